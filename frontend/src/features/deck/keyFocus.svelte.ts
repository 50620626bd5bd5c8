/**
 * KeyFocus reports whether a composite that keeps the focus for its items has
 * it, and got it or is moved in by keys: only then its cursor is drawn.
 */
export class KeyFocus {
  focused = $state(false)
  byKeys = $state(false)

  /** Whether the cursor is to be seen. */
  get seen(): boolean {
    return this.focused && this.byKeys
  }
  take = (e: FocusEvent & { currentTarget: Element }): void => {
    this.focused = true
    this.byKeys = e.currentTarget.matches(':focus-visible')
  }
  leave = (): void => {
    this.focused = false
  }
}
