import { expect, test } from 'vitest'
import { Recent } from './recent'

test('the latest choice comes first, once, and follows a renamed notebook', () => {
  let changes = 0
  const recent = new Recent(() => changes++)
  recent.load({ ui: { recent: ['agent a.mtm', 'cell a.mtm c1', 'file a.mtm.txt', 'agent b/a.mtm'] } }, false)
  recent.add('command window.open')
  recent.add('agent a.mtm')
  recent.load({ ui: { recent: ['stale'] } }, true) // after a gap the page's own list is newer
  recent.apply({ seq: 1, type: 'notebookMoved', data: { from: 'a.mtm', to: 'new name.mtm' } })
  expect([recent.list, changes]).toEqual([
    ['agent new name.mtm', 'command window.open', 'cell new name.mtm c1', 'file a.mtm.txt', 'agent b/a.mtm'],
    2,
  ])
})
