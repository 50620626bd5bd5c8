// @vitest-environment jsdom
import { render } from '@testing-library/svelte'
import { expect, test } from 'vitest'
import { showModal } from './modal'
import { domOfComponents } from './testing'
import ToastList from './ToastList.svelte'
import { Toasts } from './toasts.svelte'

domOfComponents()

test('notices are readable and clickable above the front dialog, and return to the page when it closes', () => {
  const toasts = new Toasts()
  toasts.failed('Could not save', 'The disk is full.')
  const dialog = document.body.appendChild(document.createElement('dialog'))
  // jsdom does not support modal dialogs.
  dialog.showModal = () => (dialog.open = true)
  dialog.close = () => (dialog.open = false)
  const { container } = render(ToastList, { toasts })
  const list = container.querySelector('[aria-label="Notices"]')!
  expect(list.parentElement).toBe(container)
  const close = showModal(dialog)
  expect(list.parentElement).toBe(dialog)
  close()
  expect(list.parentElement).toBe(container)
  dialog.remove()
})
