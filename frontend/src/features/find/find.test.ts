import { afterEach, expect, test, vi } from 'vitest'
import { FindState } from './find.svelte'

afterEach(() => vi.unstubAllGlobals())

function shown(focused: string): string {
  vi.stubGlobal('getSelection', () => 'pin')
  vi.stubGlobal('document', { activeElement: { tagName: focused } })
  const find = new FindState()
  find.text = 'needle'
  find.show()
  return find.text
}

test('the bar opens with the selected text of the page, but not with that of a field', () => {
  expect(['BODY', 'DIV', 'INPUT', 'TEXTAREA'].map(shown)).toEqual(['pin', 'pin', 'needle', 'needle'])
})
