import { byPointer } from './lastInput'

/**
 * Makes WebKitGTK show the focus that a key moves, as other engines do. By itself it shows none after a click, until Tab is pressed.
 */
export function showKeyboardFocus(): void {
  if (document.documentElement.dataset.engine !== 'webkitgtk') return
  const { focus } = HTMLElement.prototype
  HTMLElement.prototype.focus = function (this: HTMLElement, options) {
    focus.call(this, byPointer() ? options : { focusVisible: true, ...options })
  }
}
