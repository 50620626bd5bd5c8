/** Keys by action, as "window.find"; an empty list: it has none. */
export type ChosenKeys = Record<string, string[]>

// A page has one keyboard, and what it means is asked for everywhere: the one state that belongs to a module.
let chosen = $state.raw<ChosenKeys>({})

/** The keys that the person chose instead of those of the program. */
export const changedKeys = (): ChosenKeys => chosen

/** Takes the keys that the person chose. Menus, hints and keyboards follow at once. */
export function changeKeys(keys: ChosenKeys): void {
  chosen = keys
}
