import { byPointer } from './lastInput'

/**
 * Has WebKitGTK show the focus that a key moves, as other engines do: after a click it would not, until Tab is pressed. Other engines
 * are left as they are.
 */
export function showKeyboardFocus(): void {
  if (document.documentElement.dataset.engine !== 'webkitgtk') return
  const { focus } = HTMLElement.prototype
  HTMLElement.prototype.focus = function (this: HTMLElement, options) {
    focus.call(this, byPointer() ? options : { focusVisible: true, ...options })
  }
}
