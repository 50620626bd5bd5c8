import { objectOf, type Request } from './words'

/** So many parts of a command are shown at once; of one with more, those that matter most first. */
export const mostParts = 60
/** So many parts of a change are shown at once. */
export const mostHunks = 20

/** Whether a request came without some lines of its changes. */
export const isCut = (r: Request): boolean => (r.changes ?? []).some((c) => c.more > 0)

/** Whether one line and two numbers can stand for a request: nothing of it is cut, of many parts, or without lines. */
export function isShort(r: Request): boolean {
  const text = r.command?.text ?? ''
  if (/\n/.test(text.trim()) || text.length > 400 || (r.command?.parts ?? []).length > mostParts) return false
  return (r.changes ?? []).every((c) => !c.more && !c.plain && (c.hunks ?? []).length <= mostHunks)
}

const shown = new WeakMap<Request, string>()

/** All that a card shows of what would be done, and every argument. */
function shownOf(r: Request): string {
  let text = shown.get(r)
  if (text === undefined) {
    const args = Object.entries(objectOf(r.arguments) ?? { '': r.arguments }).sort(([a], [b]) => (a < b ? -1 : 1))
    const warnings = (r.warnings ?? []).map((w) => w.text)
    text = JSON.stringify([r.tool, args, r.folder, r.command, r.changes ?? [], warnings])
    shown.set(r, text)
  }
  return text
}

/** Whether who has seen one request whole has seen the other too: no line of either is left out, and nothing differs. */
export const showSame = (a: Request, b: Request): boolean => !isCut(a) && !isCut(b) && shownOf(a) === shownOf(b)
