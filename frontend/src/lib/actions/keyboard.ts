import { pressedKey } from '$lib/ui/pressedKey'
import { find, heardIn, type Action, type HeardOf, type Place } from './actions'
import { changedKeys } from './chosenKeys.svelte'

/** One key with its modifiers. */
interface Chord {
  /** KeyboardEvent.key in lower case. */
  key: string
  ctrl: boolean
  alt: boolean
  shift: boolean
}

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'repeat' | 'timeStamp'> &
  Partial<Pick<KeyboardEvent, 'getModifierState'>>

/** The names in KeyboardEvent.key of keys that are written differently. */
const called: Record<string, string> = {
  esc: 'escape',
  del: 'delete',
  space: ' ',
  '↑': 'arrowup',
  '↓': 'arrowdown',
  '←': 'arrowleft',
  '→': 'arrowright',
  '−': '-',
}

/** The longest pause between two keys of a sequence, in milliseconds. */
const soon = 600

/** The chords in a text of keys, in order. */
export function chordsOf(keys: string): Chord[] {
  return keys.split(' ').map((written) => {
    const held = /^(?:(?:Ctrl|Alt|Shift)\+(?=.))*/.exec(written)![0]
    const key = written.slice(held.length).toLowerCase()
    return { key: called[key] ?? key, ctrl: held.includes('Ctrl'), alt: held.includes('Alt'), shift: held.includes('Shift') }
  })
}

/**
 * The keys that a press can mean: the character that it types, and the Latin letter of its place if
 * the layout types another character there, always or with Alt.
 */
function meaningsOf(e: Pressed): string[] {
  const key = pressedKey(e).toLowerCase()
  const place = /^Key[A-Z]$/.test(e.code) && (e.altKey || (key.length === 1 && key > '~')) ? e.code.slice(3).toLowerCase() : key
  // A digit that its layout types with Shift.
  const digit = e.ctrlKey && !e.shiftKey && !e.altKey && /^Digit\d$/.test(e.code) ? e.code.slice(5) : key
  return [key, place, digit]
}

function hits(chord: Chord, e: Pressed): boolean {
  if (!meaningsOf(e).includes(chord.key)) return false
  if (chord.ctrl !== (e.ctrlKey || e.metaKey) || chord.alt !== e.altKey) return false
  // It depends on the layout which characters need Shift.
  const sign = chord.key.length === 1 && !/[\p{L}\s]/u.test(chord.key)
  return chord.shift === e.shiftKey || (sign && !chord.shift)
}

/** Whether a press types a character with AltGr, which Windows reports as Ctrl and Alt. */
export const altGr = (e: Pressed): boolean => e.key.length === 1 && (e.getModifierState?.('AltGraph') ?? false)

/** Whether a press is that of some keys, in any layout and with Caps Lock too. */
const is = (keys: string, e: Pressed): boolean => !altGr(e) && hits(chordsOf(keys)[0]!, e)

/** What a press does in edited text, if it is a key of undo or redo. */
export const undoOrRedo = (e: Pressed): 'undo' | 'redo' | undefined =>
  is('Ctrl+Z', e) ? 'undo' : is('Ctrl+Shift+Z', e) || is('Ctrl+Y', e) ? 'redo' : undefined

/** Whether a press copies. */
export const copies = (e: Pressed): boolean => is('Ctrl+C', e)

/** Whether a press selects all of a text. */
export const selectsAll = (e: Pressed): boolean => is('Ctrl+A', e)

/** Whether a key affects edited text. */
const types = (chord: Chord): boolean => !chord.ctrl && !chord.alt && !/^f\d+$/.test(chord.key)

interface Binding {
  id: string
  action: Action
  chords: Chord[]
}

const bindingsOf = <P extends Place>(place: P): Binding[] =>
  heardIn(place).flatMap((id) => {
    const action = find(place, id as never)
    return [...action.keys!, ...(action.also ?? [])].map((keys) => ({ id: id as string, action, chords: chordsOf(keys) }))
  })

/** The action of a key press. If a held key must not repeat the action, held is true: the key is handled but does nothing. */
export interface Asked<P extends Place> {
  id: HeardOf<P>
  held: boolean
}

/** Keyboard maps the key presses in a place to actions. It remembers the first key of a sequence of two. */
export class Keyboard<P extends Place> {
  readonly #place: P
  #bindings: Binding[] = []
  #of: object | undefined
  #first: { bindings: Binding[]; time: number; count: number } | undefined
  #count = 0

  constructor(place: P) {
    this.#place = place
  }

  /** The current meanings of the place's keys. */
  #all(): Binding[] {
    const of = changedKeys()
    if (of !== this.#of) {
      this.#of = of
      this.#bindings = bindingsOf(this.#place)
    }
    return this.#bindings
  }

  /** Notes a key press that is handled elsewhere: it ends a sequence of two. For places that do not see all keys themselves. */
  pressed(): void {
    this.#count++
  }

  /** The action of a press; null if it has none here. editing: text is being edited. */
  asked(e: Pressed, editing = false): Asked<P> | null {
    const first = this.#first
    this.#first = undefined
    if (altGr(e)) return null
    const heard = this.#all().filter(({ action, chords: [chord] }) => hits(chord!, e) && !(editing && (action.outside || types(chord!))))
    const alone = heard.find((binding) => binding.chords.length === 1)
    const give = (binding: Binding) => ({ id: binding.id as HeardOf<P>, held: e.repeat && !binding.action.repeats })
    if (alone) return give(alone)
    if (e.repeat) return null
    const second =
      first && e.timeStamp - first.time < soon && this.#count <= first.count + 1
        ? first.bindings.find((binding) => hits(binding.chords[1]!, e))
        : undefined
    if (second) return give(second)
    if (heard.length) this.#first = { bindings: heard, time: e.timeStamp, count: this.#count }
    return null
  }

  /** Forgets the first key of a sequence. */
  forget(): void {
    this.#first = undefined
  }
}

/** Whether an element accepts text, so that plain keys and undo belong to it. */
export function takesText(element: EventTarget | null): boolean {
  if (!(element instanceof HTMLElement)) return false
  return (
    element.isContentEditable ||
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && !/^(button|checkbox|radio|range|submit|reset|file|color)$/.test(element.type))
  )
}
