import { copies, Keyboard, takesText } from '$lib/actions/keyboard'
import type { Bound } from '$lib/actions/registry'
import { composing } from '$lib/ui/composing'
import { modalOpen } from '$lib/ui/modal'
import { heldKeys } from './focus'
import type { PageState } from './page.svelte'

/** The listeners for the window's keys: capture gets each key first, keydown gets keys that nothing else handled. */
export function windowKeys(actions: Bound<'window'>, page: PageState) {
  const keyboard = new Keyboard('window')
  const held = heldKeys()
  return {
    capture(e: KeyboardEvent) {
      held(e)
      keyboard.pressed()
      // WebKit would empty the clipboard.
      if (copies(e) && !takesText(e.target) && (getSelection()?.isCollapsed ?? true)) e.preventDefault()
    },
    keydown(e: KeyboardEvent) {
      if (e.defaultPrevented || composing(e) || modalOpen()) return keyboard.forget()
      const editing = takesText(e.target)
      if (e.key === 'Escape' && page.closeFront(editing)) return keyboard.forget()
      const asked = keyboard.asked(e, editing)
      if (!asked) return
      e.preventDefault()
      const action = actions[asked.id]
      if (!asked.held && action.when()) action.press(/^Digit\d$/.test(e.code) ? e.code.slice(5) : e.key)
    },
  }
}
