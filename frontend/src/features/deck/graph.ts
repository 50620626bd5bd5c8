/* The layout of which agent started which, as a tree from left to right. */

/** The position of an agent in the graph. */
export interface Placed {
  path: string
  depth: number
  x: number
  y: number
  /** The index of its parent; -1 for a root. */
  parent: number
}

/** Room for a name in two lines and a line of facts. */
export const boxWidth = 224
export const boxHeight = 62
const columnPx = boxWidth + 44
const rowPx = boxHeight + 12

/**
 * Places agents, given in tree order with their depths: leaves one below the other, parents at the
 * middle of their children. It walks the list once forwards and once backwards.
 */
export function placeTree(nodes: readonly { path: string; depth: number }[]): { placed: Placed[]; width: number; height: number } {
  const placed: Placed[] = []
  const above: number[] = [] // the index of the last agent of each depth
  for (const [i, { path, depth: wanted }] of nodes.entries()) {
    const depth = Math.min(wanted, above.length)
    placed.push({ path, depth, x: depth * columnPx, y: -1, parent: depth > 0 ? above[depth - 1]! : -1 })
    above.length = depth
    above.push(i)
  }
  const first = new Array<number>(placed.length).fill(-1)
  const last = new Array<number>(placed.length).fill(-1)
  for (const [i, p] of placed.entries()) {
    if (p.parent < 0) continue
    if (first[p.parent]! < 0) first[p.parent] = i
    last[p.parent] = i
  }
  let leaves = 0
  for (const [i, p] of placed.entries()) if (first[i]! < 0) p.y = rowPx * leaves++
  // Children come after their parents in the list, so they already have positions.
  for (let i = placed.length - 1; i >= 0; i--) if (first[i]! >= 0) placed[i]!.y = (placed[first[i]!]!.y + placed[last[i]!]!.y) / 2
  const deepest = placed.reduce((d, p) => Math.max(d, p.depth), 0)
  return { placed, width: deepest * columnPx + boxWidth, height: Math.max(boxHeight, leaves * rowPx - 12) }
}
