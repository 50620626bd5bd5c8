// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/svelte'
import { createRawSnippet, flushSync } from 'svelte'
import { expect, test, vi } from 'vitest'
import Lazy from './Lazy.svelte'
import { LazyModule, loadWhenIdle } from './lazy.svelte'
import { domOfComponents } from './testing'

domOfComponents()

const children = createRawSnippet((module: () => { words: string }) => ({ render: () => `<p>${module().words}</p>` }))
const waiting = createRawSnippet(() => ({ render: () => '<p>As high as it will be.</p>' }))

test('a part is loaded when it is first shown, and drawn at once from then on', async () => {
  const fetch = vi.fn(async () => ({ words: 'Here it is.' }))
  const from = new LazyModule(fetch)
  expect(fetch).not.toHaveBeenCalled()
  const { unmount } = render(Lazy, { from, what: 'the settings', children, waiting } as never)
  expect(screen.getByText('As high as it will be.')).toBeTruthy()
  await screen.findByText('Here it is.')
  expect(screen.queryByText('As high as it will be.')).toBeNull()
  unmount()
  render(Lazy, { from, what: 'the settings', children, waiting } as never)
  expect(screen.getByText('Here it is.'), 'in the same frame').toBeTruthy()
  expect(fetch).toHaveBeenCalledOnce()
})

test('a part that could not be loaded says why, and can be retried or closed', async () => {
  const fetch = vi.fn<() => Promise<{ words: string }>>().mockRejectedValue(new Error('The connection ended.'))
  const onclose = vi.fn()
  render(Lazy, { from: new LazyModule(fetch), what: 'the settings', onclose, children } as never)
  expect((await screen.findByRole('alert')).textContent).toContain('Could not load the settings. The connection ended.')
  expect(screen.getByRole('button', { name: 'Reload the page' })).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(onclose).toHaveBeenCalledOnce()
  fetch.mockResolvedValue({ words: 'Here it is.' })
  await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await screen.findByText('Here it is.')
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a part that failed to load while the window was idle is loaded again when needed', async () => {
  const fetch = vi.fn<() => Promise<{ words: string }>>().mockRejectedValueOnce(new Error('The connection ended.'))
  const [broken, next] = [new LazyModule(fetch), new LazyModule(async () => 1)]
  await loadWhenIdle([broken, next])
  flushSync()
  expect([broken.module, next.module]).toEqual([undefined, 1])
  fetch.mockResolvedValue({ words: 'Here it is.' })
  render(Lazy, { from: broken, what: 'the settings', children } as never)
  expect(screen.queryByRole('alert')).toBeNull()
  await screen.findByText('Here it is.')
})

test('what needs a part is done once it is there: at once, later, or after a failure', async () => {
  const fetch = vi.fn<() => Promise<{ words: string }>>().mockRejectedValueOnce(new Error('The connection ended.'))
  const from = new LazyModule(fetch)
  const done: string[] = []
  from.use(({ words }) => done.push(`first ${words}`))
  await expect(from.need()).rejects.toThrow('The connection ended.')
  expect(done).toEqual([])
  fetch.mockResolvedValue({ words: 'here' })
  from.use(({ words }) => done.push(`second ${words}`))
  expect(await from.need()).toEqual({ words: 'here' })
  expect(done).toEqual(['first here', 'second here'])
  from.use(({ words }) => done.push(`third ${words}`))
  expect(done).toHaveLength(3)
  expect(fetch).toHaveBeenCalledTimes(2)
})
