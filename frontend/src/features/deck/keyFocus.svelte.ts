/**
 * KeyFocus reports whether a composite widget has the focus and got it, or is used, by keys: only
 * then is its cursor drawn.
 */
export class KeyFocus {
  focused = $state(false)
  byKeys = $state(false)

  /** Whether the cursor should be visible. */
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
