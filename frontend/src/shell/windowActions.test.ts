import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { actions, type BindableOf } from '$lib/actions/actions'
import { AppState } from '../app.svelte'
import { PageState } from './page.svelte'
import { windowActions } from './windowActions'

let app: AppState, page: PageState
beforeEach(() => {
  vi.stubGlobal('window', {})
  vi.stubGlobal('document', { activeElement: null, querySelector: () => null })
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(null)))
  app = new AppState()
  page = new PageState(app)
})
afterEach(() => {
  app.stop()
  vi.unstubAllGlobals()
})

test('with nothing open, actions that need a notebook are unavailable, and running them does nothing', () => {
  const bound = windowActions(app, page)
  const ids = Object.keys(actions.window) as BindableOf<'window'>[]
  expect(Object.keys(bound).sort()).toEqual([...ids].sort())
  expect(ids.filter((id) => !bound[id].when())).toEqual([
    'findText',
    'findNext',
    'findPrevious',
    'replaceText',
    'stop',
    'inbox',
    'preview',
    'branches',
    'reopen',
    'split',
    'otherGroup',
    'moveToOther',
    'closeGroup',
    'rename',
    'undo',
    'redo',
  ])
  bound.stop.run()
  bound.preview.run()
  bound.rename.run()
  expect([app.preview.open, app.tabs.renaming, app.stopping.asking]).toEqual([false, undefined, undefined])
})

test('panes and dialogs open and close', () => {
  const bound = windowActions(app, page)
  bound.sidebar.run()
  bound.keys.run()
  expect([app.layout.sidebarOpen, page.dialog]).toEqual([false, 'help'])
  bound.settings.run()
  page.openSettings('models')
  expect([page.dialog, page.section]).toEqual(['settings', 'models'])
  page.closeDialog()
  bound.sidebar.run()
  expect([app.layout.sidebarOpen, page.dialog]).toEqual([true, null])
})

test('Esc closes the preview, but not while text is edited', () => {
  app.preview.show()
  expect([page.closeFront(true), app.preview.shown, page.closeFront(false), app.preview.shown]).toEqual([false, true, true, false])
})

test('the budget is shown where it can be set, and its field gets the focus each time', async () => {
  const focus = vi.fn()
  page.budget = { focus } as Partial<HTMLInputElement> as HTMLInputElement
  await page.toBudget()
  await page.toBudget()
  expect([app.layout.segment, app.layout.inspectorOpen, focus.mock.calls.length]).toEqual(['notebook', true, 2])
})
