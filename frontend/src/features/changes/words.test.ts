import { expect, test } from 'vitest'
import { inTree, once } from './words'

test('a file merged from a work tree is counted once', () => {
  const tree = '/home/me/.local/state/mutsumi/trees/u-1/tree'
  const shorten = (path: string) => inTree(path, tree)
  const list = [{ path: 'src/a.go' }, { path: `${tree}/src/a.go` }, { path: `${tree}/src/b.go` }, { path: '/elsewhere/src/a.go' }]
  expect(once(list, shorten).map((c) => shorten(c.path))).toEqual(['src/a.go', 'own work tree/src/b.go', '/elsewhere/src/a.go'])
  expect(once(list, (path) => path)).toHaveLength(4)
})
