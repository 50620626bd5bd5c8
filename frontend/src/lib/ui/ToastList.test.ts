// @vitest-environment jsdom
import { render } from '@testing-library/svelte'
import { expect, test, vi } from 'vitest'
import { modalsChanged } from './modal'
import { domOfComponents } from './testing'
import ToastList from './ToastList.svelte'
import { Toasts } from './toasts.svelte'

domOfComponents()

test('notices are readable and clickable above the front dialog, and return to the page when it closes', () => {
  const toasts = new Toasts()
  toasts.failed('Could not save', 'The disk is full.')
  const dialog = document.body.appendChild(document.createElement('dialog'))
  let open: Element[] = []
  // jsdom does not support modal dialogs.
  vi.spyOn(document, 'querySelectorAll').mockImplementation(() => open as unknown as NodeListOf<Element>)
  const { container } = render(ToastList, { toasts })
  const list = container.querySelector('[aria-label="Notices"]')!
  const changed = (to: Element[]) => {
    open = to
    document.dispatchEvent(new Event(modalsChanged))
    return list.parentElement
  }
  expect(list.parentElement).toBe(container)
  expect(changed([dialog])).toBe(dialog)
  expect(changed([])).toBe(container)
  dialog.remove()
})
