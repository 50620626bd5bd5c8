import { objectOf, type Request } from './words'

/** The number of parts of a command shown at once; if there are more, the most important come first. */
export const maxParts = 60
/** The number of hunks shown at once. */
export const maxHunks = 20

/** Whether a request lacks some lines of its changes. */
export const isCut = (r: Request): boolean => (r.changes ?? []).some((c) => c.more > 0)

/** Whether one line and two numbers describe a request: it is not cut, has few parts, and has lines. */
export function isShort(r: Request): boolean {
  const text = r.command?.text ?? ''
  if (/\n/.test(text.trim()) || text.length > 400 || (r.command?.parts ?? []).length > maxParts) return false
  return (r.changes ?? []).every((c) => !c.more && !c.plain && (c.hunks ?? []).length <= maxHunks)
}

/** Whether the person must view the whole request before approving: it may do harm, is not understood, or has changed. */
export const needsReview = (r: Request): boolean =>
  !isShort(r) ||
  Boolean(r.renewed) ||
  (r.warnings ?? []).length > 0 ||
  (r.conflicts ?? []).length > 0 ||
  (r.command !== undefined && r.command !== null && !r.command.understood)

const shown = new WeakMap<Request, string>()

/** Everything that a card shows of the action, and every argument. */
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

/** Whether viewing one request means having viewed the other: neither lacks lines, and nothing differs. */
export const showSame = (a: Request, b: Request): boolean => !isCut(a) && !isCut(b) && shownOf(a) === shownOf(b)
