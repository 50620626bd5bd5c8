import type { agenttree } from '$lib/backend/backend'
import type { DotKind } from '$lib/ui/dot'
import { age, elapsed } from '$lib/format/time'

export type Node = agenttree.Node

/** A row of the tree, in the order in which rows stand. */
export interface Row {
  node: Node
  /** 0 at the top. */
  depth: number
  /** How many children it has in this view. */
  children: number
  expanded: boolean
  /** Its place among its siblings, from 1, and how many they are. */
  place: number
  siblings: number
}

/**
 * Orders nodes into rows. The newest agents stand at the top, children in the
 * order in which they were made. A parent that is not there, or that would
 * close a circle, counts as none: every node has exactly one row unless an
 * agent above it is folded. With a filter, only matches and the agents above
 * them are left, and nothing is folded.
 */
export function buildRows(nodes: Iterable<Node>, folded: ReadonlySet<string>, filter = ''): Row[] {
  const all = [...nodes]
  const byUuid = new Map<string, Node>()
  for (const node of all) if (node.uuid && !byUuid.has(node.uuid)) byUuid.set(node.uuid, node)
  const parents = parentsOf(all, byUuid)
  const kept = filter.trim() ? matches(all, parents, filter.trim().toLowerCase()) : null

  const children = new Map<Node | null, Node[]>()
  for (const node of all) {
    if (kept && !kept.has(node)) continue
    const parent = parents.get(node) ?? null
    const list = children.get(parent)
    if (list) list.push(node)
    else children.set(parent, [node])
  }
  for (const [parent, list] of children) list.sort(parent ? oldestFirst : newestFirst)

  const rows: Row[] = []
  const stack: { list: Node[]; at: number; depth: number }[] = [{ list: children.get(null) ?? [], at: 0, depth: 0 }]
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const node = top.list[top.at++]
    if (!node) {
      stack.pop()
      continue
    }
    const below = children.get(node) ?? []
    const expanded = below.length > 0 && (kept !== null || !folded.has(node.uuid))
    rows.push({ node, depth: top.depth, children: below.length, expanded, place: top.at, siblings: top.list.length })
    if (expanded) stack.push({ list: below, at: 0, depth: top.depth + 1 })
  }
  return rows
}

function parentsOf(all: Node[], byUuid: Map<string, Node>): Map<Node, Node> {
  const parents = new Map<Node, Node>()
  for (const node of all) {
    const parent = node.parentId ? byUuid.get(node.parentId) : undefined
    if (parent && parent !== node) parents.set(node, parent)
  }
  // Cut each circle once, where the walk upwards meets itself.
  const safe = new Set<Node>()
  for (const start of all) {
    const path = new Set<Node>()
    for (let node: Node | undefined = start; node && !safe.has(node); node = parents.get(node)) {
      path.add(node)
      const next = parents.get(node)
      if (next && path.has(next)) parents.delete(node)
    }
    for (const node of path) safe.add(node)
  }
  return parents
}

function matches(all: Node[], parents: Map<Node, Node>, filter: string): Set<Node> {
  const kept = new Set<Node>()
  for (const node of all) {
    if (!`${node.name}\n${node.file}`.toLowerCase().includes(filter)) continue
    for (let at: Node | undefined = node; at && !kept.has(at); at = parents.get(at)) kept.add(at)
  }
  return kept
}

const made = (node: Node) => Date.parse(node.createdAt) || node.modifiedMs
const byName = (a: Node, b: Node) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.file < b.file ? -1 : 1)
const newestFirst = (a: Node, b: Node) => made(b) - made(a) || byName(a, b)
const oldestFirst = (a: Node, b: Node) => made(a) - made(b) || byName(a, b)

/** Which dot an agent has: what needs the person comes first. */
export function dotOf(node: Pick<Node, 'status' | 'marks'>): DotKind {
  if (node.marks.includes('needsYou')) return 'waiting'
  if (node.status === 'running') return 'running'
  if (node.marks.includes('failed')) return 'failed'
  if (node.marks.includes('queued') || node.status === 'pending') return 'pending'
  return node.status === 'finished' ? 'finished' : 'standby'
}

/** What stands at the right of an agent: what it waits for, how long it runs, or when it last changed. */
export function asideOf(node: Node, nowMs: number): string {
  if (node.problem) return 'damaged'
  if (node.marks.includes('needsYou')) return 'needs you'
  if (node.status === 'running') return node.startedMs ? elapsed(nowMs - node.startedMs) : 'running'
  if (node.marks.includes('queued')) return 'queued'
  return age(node.modifiedMs, nowMs)
}

/** The name to show: a file that is not a notebook, or has no name, is called by its file. */
export function nameOf(node: Pick<Node, 'name' | 'file'>): string {
  return node.name.trim() || node.file.slice(node.file.lastIndexOf('/') + 1)
}
