/** Keys by action, such as "window.find"; an empty list means that it has none. */
export type ChosenKeys = Record<string, string[]>

// A page has one keyboard whose meaning is needed everywhere: the only state that belongs to a module.
let chosen = $state.raw<ChosenKeys>({})

/** The keys that the person chose instead of the program's. */
export const changedKeys = (): ChosenKeys => chosen

/** Sets the keys that the person chose. Menus, hints and keyboards follow at once. */
export function changeKeys(keys: ChosenKeys): void {
  chosen = keys
}
