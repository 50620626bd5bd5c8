/* One way to write keys: "Ctrl+Shift+P", "Ctrl Shift P" and "control ⇧ p" are the same caps. */

const names: Record<string, string> = {
  control: 'Ctrl',
  '⌃': 'Ctrl',
  '⇧': 'Shift',
  option: 'Alt',
  '⌥': 'Alt',
  meta: 'Cmd',
  '⌘': 'Cmd',
  escape: 'Esc',
  delete: 'Del',
  return: 'Enter',
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
}
const modifiers = new Set(['Ctrl', 'Shift', 'Alt', 'Cmd'])

/** A cap to draw, or a word between caps: "1 – 4", "J or K". */
export interface Cap {
  text: string
  kind: 'key' | 'word'
  /** It is held while the next one is pressed. */
  held: boolean
}

/** The caps of keys as they are written in the code: joined by "+", or one after the other. */
export function capsOf(keys: string): Cap[] {
  const parts = keys
    .trim()
    .split(/\s+/)
    // A plus is a key where it stands alone or at the end.
    .flatMap((part) =>
      part.length > 1 && part.includes('+') ? [...part.replace(/\+$/, '').split('+'), ...(part.endsWith('++') ? ['+'] : [])] : [part],
    )
    .filter((part) => part !== '')
  return parts.map((part) => {
    const text = names[part.toLowerCase()] ?? (part.length === 1 ? part.toUpperCase() : part)
    return { text, kind: /^(–|\/|or|to|twice)$/.test(part) ? 'word' : 'key', held: modifiers.has(text) }
  })
}

/** The same keys in a line of text. */
export const keysText = (keys: string): string =>
  capsOf(keys)
    .map((cap, i, all) => cap.text + (i === all.length - 1 ? '' : cap.held ? '+' : ' '))
    .join('')
