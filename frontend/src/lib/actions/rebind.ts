import { actions, find, type Action, type ActionOf, type Place } from './actions'
import { changedKeys, type ChosenKeys } from './chosenKeys.svelte'
import { altGr, chordsOf } from './keyboard'
import { pressedKey } from '$lib/ui/pressedKey'
import { t } from '$lib/language/language'

/** An action by its place and its id. */
export interface Named {
  place: Place
  id: string
  name: string
}

/** The name of an action in the settings. */
export const keyOf = ({ place, id }: Pick<Named, 'place' | 'id'>): string => `${place}.${id}`

/** The notation of keys with other names in KeyboardEvent.key. */
const written: Record<string, string> = {
  Escape: 'Esc',
  Delete: 'Del',
  ' ': 'Space',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  '-': '−',
}

/**
 * The keys of a press in our notation: "Ctrl+Shift+P". Null while only Ctrl, Alt or Shift is down, for a
 * held key, and for characters typed by an input method, a dead key or AltGr.
 */
export function keysOfPress(e: KeyboardEvent): string | null {
  if (e.repeat || e.isComposing || e.keyCode === 229 || altGr(e)) return null
  const pressed = pressedKey(e)
  if (/^(?:Control|Shift|Alt|AltGraph|Meta|OS|CapsLock|NumLock|Fn|Dead|Process|Unidentified|Compose)$/.test(pressed)) return null
  // The Latin letter of the key if the layout types another one, as in Keyboard.
  const latin = /^Key[A-Z]$/.test(e.code) && (e.altKey || pressed > '~') && pressed.length === 1 ? e.code.slice(3) : pressed
  const key = written[latin] ?? (latin.length === 1 ? latin.toUpperCase() : latin)
  const sign = latin.length === 1 && !/[\p{L}\s]/u.test(latin) // Shift belongs to it
  return (e.ctrlKey || e.metaKey ? 'Ctrl+' : '') + (e.altKey ? 'Alt+' : '') + (e.shiftKey && !sign ? 'Shift+' : '') + key
}

const kept: readonly (readonly [RegExp, string])[] = [
  [/^Ctrl\+[ACVX]$/, t`It copies, cuts, pastes or selects text.`],
  [/^(?:Ctrl\+)?F5$|^Ctrl\+(?:Shift\+)?R$/, t`It loads the window again.`],
  [/^F1[12]$|^Ctrl\+Shift\+[CIJ]$/, t`The browser keeps it for itself.`],
  [/^Alt\+(?:F4|Tab|Space|Esc)$|^Ctrl\+Alt\+Del$|^Ctrl\+Esc$|^PrintScreen$/, t`The system keeps it for itself.`],
  [/^(?:Shift\+)?Tab$/, t`It moves between the parts of the window.`],
  [/^Esc$/, t`It closes what is open.`],
]

/** Why keys cannot be given to an action, or null. e: the press, if there is one. */
export function refused(place: Place, keys: string, e?: Pick<KeyboardEvent, 'metaKey' | 'ctrlKey'>, apple = false): string | null {
  if (e?.metaKey && (!apple || e.ctrlKey)) return t`The system keeps it for itself.`
  if (apple && /^Ctrl\+(?:[HMQ]|Tab|Space)$/.test(keys)) return t`The system keeps it for itself.`
  for (const [pattern, why] of kept) if (pattern.test(keys)) return why
  const [chord] = chordsOf(keys)
  const plain = !chord!.ctrl && !chord!.alt
  if (place === 'prompt' && plain && (chord!.key.length === 1 || /^(?:enter|backspace|delete|arrow\w+|home|end|page\w+)$/.test(chord!.key)))
    return chord!.shift && chord!.key === 'enter' ? null : t`It writes or moves in the text.`
  if (place === 'window' && plain && /^(?:enter| |backspace|delete|arrow\w+|home|end|page\w+)$/.test(chord!.key))
    return t`It belongs to what has the keyboard.`
  return null
}

/** Whether the keys of an action can be changed: not those that a field handles itself or that move in a list. */
export const changeable = ({ native, local }: Action): boolean => !native && !local

/** The one of these actions that can get other keys in return for its own, if there is one. */
export const swapped = (from: readonly Named[]): Named | undefined => from.find(({ place, id }) => changeable(find(place, id as never)))

/** The actions that already have the keys where they would apply: in the same place, or in the whole window. */
export function holders(of: Pick<Named, 'place' | 'id'>, keys: string): Named[] {
  const wanted = chordsOf(keys).map((chord) => JSON.stringify(chord))
  const found: Named[] = []
  for (const place of Object.keys(actions) as Place[]) {
    if (place !== of.place && place !== 'window' && of.place !== 'window') continue
    for (const id of Object.keys(actions[place])) {
      if (place === of.place && id === of.id) continue
      const action = find(place, id as ActionOf<typeof place>)
      if (action.native && place !== of.place) continue
      const has = [...(action.keys ?? []), ...(action.also ?? [])].some((held) => {
        const chords = chordsOf(held).map((chord) => JSON.stringify(chord))
        return chords.slice(0, wanted.length).join() === wanted.slice(0, chords.length).join()
      })
      if (has) found.push({ place, id, name: action.name })
    }
  }
  return found
}

/** The person's keys with those of an action changed; undefined restores the default ones. */
export function withKeys(of: Pick<Named, 'place' | 'id'>, keys: string[] | undefined, all: ChosenKeys = changedKeys()): ChosenKeys {
  const rest = Object.fromEntries(Object.entries(all).filter(([name]) => name !== keyOf(of)))
  const usual = (actions[of.place] as Record<string, Action>)[of.id]?.keys ?? []
  const same = keys && keys.length === usual.length && keys.every((k, i) => k === usual[i])
  return !keys || same ? rest : { ...rest, [keyOf(of)]: keys }
}

/** The person's keys with some taken from their actions and given to another one; swap gives its old keys in return, if one of them can have them. */
export function takenFrom(of: Pick<Named, 'place' | 'id'>, keys: string, from: readonly Named[], swap: boolean): ChosenKeys {
  const before = find(of.place, of.id as never).keys ?? []
  let all = withKeys(of, [keys])
  const partner = swap ? swapped(from) : undefined
  for (const other of from) {
    const left = (find(other.place, other.id as never).keys ?? []).filter((k) => k !== keys && !k.startsWith(`${keys} `))
    const given = other === partner && before[0] && before[0] !== keys ? [before[0]] : []
    all = withKeys(other, [...given, ...left], all)
  }
  return all
}
