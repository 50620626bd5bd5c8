import { expect, test } from 'vitest'
import type { settings } from '$lib/backend/backend'
import { LayoutState } from './layout.svelte'

const ui = { sidebarWidth: 264, inspectorWidth: 312, sidebarOpen: true, inspectorOpen: true } as settings.UIState

test('groups of tabs are side by side from 900 px on, and the inspector makes room for them', () => {
  const layout = new LayoutState(() => {})
  layout.load({ ui }, false)
  const at = (width: number) => {
    layout.windowWidth = width
    return [layout.showsGroups, layout.inspectorOpen]
  }
  expect([at(1440), at(1100), at(900)]).toEqual([
    [false, true],
    [false, true],
    [false, false],
  ])
  layout.split = true
  expect([at(1900), at(1476), at(1475), at(1164), at(1163), at(900)]).toEqual([
    [true, true],
    [true, true],
    [true, false],
    [true, false],
    [false, false],
    [false, false],
  ])
  layout.sidebarOpen = false
  expect([at(900), at(899)]).toEqual([
    [true, false],
    [false, false],
  ])
  layout.inspectorOpen = true // overlays them
  layout.split = false
  expect(at(1440)).toEqual([false, true])
  expect(layout.kept().inspectorOpen).toBe(true)
})

test('a share is a whole number, and leaves room for both', () => {
  let changes = 0
  const layout = new LayoutState(() => changes++)
  layout.load({ ui: { ...ui, beside: { tabs: [], active: '', front: false, share: 33 } } }, false)
  const read = [layout.share]
  for (const share of [40.4, 3, 98]) read.push(((layout.share = share), layout.share))
  expect(read).toEqual([33, 40, 25, 75])
  expect(changes).toBe(4)
})
