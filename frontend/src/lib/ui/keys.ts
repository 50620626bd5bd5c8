/** Whether this system shows keys as symbols: ⌘ for Ctrl. */
export const apple = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform)
/** The symbols of keys on Apple keyboards. Tab and the wheel use Control there too: with Cmd they belong to the system. */
const signs: Record<string, string> = { Ctrl: '⌘', Alt: '⌥', Shift: '⇧', Cmd: '⌘', Enter: '↩', Del: '⌦' }

/* One notation for keys: "Ctrl+Shift+P", "Ctrl Shift P" and "control ⇧ p" give the same caps. */

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

/** The caps of keys as written in the code: joined by "+", or in sequence. */
export function capsOf(keys: string, signed = apple): Cap[] {
  const parts = keys
    .trim()
    .split(/\s+/)
    // A plus is a key if it is alone or at the end.
    .flatMap((part) =>
      part.length > 1 && part.includes('+') ? [...part.replace(/\+$/, '').split('+'), ...(part.endsWith('++') ? ['+'] : [])] : [part],
    )
    .filter((part) => part !== '')
  return parts.map((part) => {
    const text = names[part.toLowerCase()] ?? (part.length === 1 ? part.toUpperCase() : part)
    const sign = !signed ? undefined : text === 'Ctrl' && /Tab|Wheel/.test(keys) ? '⌃' : signs[text]
    if (sign) return { text: sign, kind: 'key', held: modifiers.has(text) }
    return { text, kind: /^(–|\/|or|to|twice)$/.test(part) ? 'word' : 'key', held: modifiers.has(text) }
  })
}

/** The same keys as text. */
export const keysText = (keys: string, signed = apple): string =>
  capsOf(keys, signed)
    .map((cap, i, all) => cap.text + (i === all.length - 1 ? '' : !cap.held ? ' ' : signed ? '' : '+'))
    .join('')
