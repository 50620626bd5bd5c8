/* The keys of the window: one list for what they do and for the help sheet. */

export type Intent =
  | 'new'
  | 'open'
  | 'find'
  | 'inbox'
  | 'settings'
  | 'sidebar'
  | 'inspector'
  | 'preview'
  | 'deck'
  | 'close'
  | 'nextTab'
  | 'previousTab'
  | 'zoomIn'
  | 'zoomOut'
  | 'zoomReset'
  | 'undo'
  | 'redo'
  | 'help'

export interface Shortcut {
  intent: Intent
  /** As written for a person. */
  keys: string
  name: string
  /** KeyboardEvent.key in lower case; several for layouts and numeric pads. */
  key: string[]
  ctrl?: boolean
  shift?: boolean | 'either'
  alt?: boolean
  /** A key that is held down does it again and again. */
  repeats?: boolean
  /** Not while text is edited: there the keys have their own meaning. */
  outside?: boolean
}

export const shortcuts: readonly Shortcut[] = [
  { intent: 'new', keys: 'Ctrl N', name: 'New agent', key: ['n'], ctrl: true },
  { intent: 'open', keys: 'Ctrl O', name: 'Open a folder', key: ['o'], ctrl: true },
  { intent: 'find', keys: 'Ctrl K', name: 'Search agents', key: ['k'], ctrl: true },
  { intent: 'close', keys: 'Ctrl W', name: 'Close tab', key: ['w'], ctrl: true },
  { intent: 'nextTab', repeats: true, keys: 'Ctrl Tab', name: 'Next tab', key: ['tab'], ctrl: true },
  { intent: 'previousTab', repeats: true, keys: 'Ctrl Shift Tab', name: 'Previous tab', key: ['tab'], ctrl: true, shift: true },
  { intent: 'sidebar', keys: 'Ctrl B', name: 'Show or hide the agents', key: ['b'], ctrl: true },
  { intent: 'inspector', keys: 'Ctrl Alt B', name: 'Show or hide the context', key: ['b'], ctrl: true, alt: true },
  { intent: 'preview', keys: 'Ctrl Shift P', name: 'Show what will be sent', key: ['p'], ctrl: true, shift: true },
  { intent: 'deck', keys: 'Ctrl Shift D', name: 'Show the flight deck', key: ['d'], ctrl: true, shift: true },
  { intent: 'inbox', keys: 'Ctrl J', name: 'Go to what waits for you', key: ['j'], ctrl: true },
  { intent: 'settings', keys: 'Ctrl ,', name: 'Settings', key: [','], ctrl: true },
  { intent: 'zoomIn', repeats: true, keys: 'Ctrl +', name: 'Larger', key: ['+', '='], ctrl: true, shift: 'either' },
  { intent: 'zoomOut', repeats: true, keys: 'Ctrl −', name: 'Smaller', key: ['-', '_'], ctrl: true, shift: 'either' },
  { intent: 'zoomReset', keys: 'Ctrl 0', name: 'Usual size', key: ['0'], ctrl: true },
  { intent: 'undo', repeats: true, keys: 'Ctrl Z', name: 'Undo in the notebook', key: ['z'], ctrl: true, outside: true },
  { intent: 'redo', repeats: true, keys: 'Ctrl Shift Z', name: 'Redo in the notebook', key: ['z'], ctrl: true, shift: true, outside: true },
  { intent: 'help', keys: '?', name: 'All keys', key: ['?'], shift: 'either', outside: true },
]

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

/** Whether what a key asks is done again while it is held down. */
export const repeats = (intent: Intent): boolean => shortcuts.some((s) => s.intent === intent && s.repeats)

/** What a key press asks of the window; editing says whether text is being edited. */
export function intentOf(e: Pressed, editing: boolean): Intent | null {
  const ctrl = e.ctrlKey || e.metaKey
  const key = e.key.toLowerCase()
  // With Alt some layouts turn letters into other signs: the place of the key counts then.
  const placed = e.altKey && /^Key[A-Z]$/.test(e.code) ? e.code.slice(3).toLowerCase() : key
  const hit = shortcuts.find(
    (s) =>
      (s.key.includes(key) || s.key.includes(placed)) &&
      Boolean(s.ctrl) === ctrl &&
      Boolean(s.alt) === e.altKey &&
      (s.shift === 'either' || Boolean(s.shift) === e.shiftKey) &&
      !(s.outside && editing),
  )
  return hit?.intent ?? null
}

/** Whether an element takes text, so that plain keys and undo belong to it. */
export function takesText(element: EventTarget | null): boolean {
  if (!(element instanceof HTMLElement)) return false
  return element.isContentEditable || element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && !/^(button|checkbox|radio|range|submit|reset|file|color)$/.test(element.type))
}
