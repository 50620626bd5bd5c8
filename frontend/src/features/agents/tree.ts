import { belongs, found, type Only } from './filter'
import type { Node } from './node'

/** A row of the tree, in display order. */
export interface Row {
  node: Node
  /** 0 at the top. */
  depth: number
  /** The number of its children in this view. */
  children: number
  expanded: boolean
  /** Its position among its siblings, from 1, and their number. */
  place: number
  siblings: number
  pinned: boolean
  /** It is shown only because a descendant matches. */
  lead: boolean
}

/** How to show the tree. Agents are identified by their uuids. */
export interface TreeOptions {
  folded?: ReadonlySet<string>
  /** The pinned agents in order, wherever their parents are. */
  pinned?: readonly string[]
  /** The archived agents, whose descendants are hidden too. */
  archived?: ReadonlySet<string>
  only?: Only
  /** Whether an agent has unread results. */
  unread?: (node: Node) => boolean
  /** The search text. */
  text?: string
}

/** The parents and children of agents. Every agent has at most one parent, and none is below itself. */
export interface Family {
  readonly parents: ReadonlyMap<Node, Node>
  readonly children: ReadonlyMap<Node, readonly Node[]>
  /** The first file with a uuid. */
  readonly byUuid: ReadonlyMap<string, Node>
}

/** Relates nodes to each other. A parent that is missing, or that would close a circle, counts as none. */
export function familyOf(all: readonly Node[]): Family {
  const byUuid = new Map<string, Node>()
  for (const node of all) if (node.uuid && !byUuid.has(node.uuid)) byUuid.set(node.uuid, node)
  const parents = parentsOf(all, byUuid)
  const children = new Map<Node, Node[]>()
  for (const [node, parent] of parents) push(children, parent, node)
  return { parents, children, byUuid }
}

/** All descendants of an agent, nearest first. */
export function below(family: Family, node: Node): Node[] {
  const found = [...(family.children.get(node) ?? [])]
  for (let i = 0; i < found.length; i++) found.push(...(family.children.get(found[i]!) ?? []))
  return found
}

/** The agents of a list that have no ancestor in it. */
export function topmost(family: Family, list: readonly Node[]): Node[] {
  const among = new Set(list)
  return list.filter((node) => {
    for (let at = family.parents.get(node); at; at = family.parents.get(at)) if (among.has(at)) return false
    return true
  })
}

/**
 * Orders nodes into rows. Pinned agents come first, then the newest; children are in the order of
 * their creation. Every node has exactly one row, unless an ancestor is folded or it is archived.
 * With a search or a filter, only matches and their ancestors are left, and nothing is folded.
 */
export function buildRows(all: readonly Node[], family: Family, options: TreeOptions = {}): Row[] {
  const { folded = none, archived = none, pinned = [], only = 'all' } = options
  const text = (options.text ?? '').trim().toLowerCase()
  const narrowed = text !== '' || only !== 'all'
  const pins = new Map(pinned.map((uuid, i) => [uuid, i]))
  const isPinned = (node: Node) => pins.has(node.uuid)
  const above = (node: Node) => (isPinned(node) ? undefined : family.parents.get(node))
  const matches = narrowed || archived.size > 0 ? matching(all, family, archived, only, text, options.unread ?? (() => false)) : null
  const kept = matches && withThoseAbove(matches, above)

  const roots: Node[] = []
  const children = new Map<Node, Node[]>()
  for (const node of all) {
    if (kept && !kept.has(node)) continue
    const parent = above(node)
    if (parent) push(children, parent, node)
    else roots.push(node)
  }
  const rank = (node: Node) => pins.get(node.uuid) ?? pins.size
  roots.sort((a, b) => rank(a) - rank(b) || newestFirst(a, b))
  for (const list of children.values()) list.sort(oldestFirst)

  const rows: Row[] = []
  const stack: { list: Node[]; at: number; depth: number }[] = [{ list: roots, at: 0, depth: 0 }]
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const node = top.list[top.at++]
    if (!node) {
      stack.pop()
      continue
    }
    const under = children.get(node) ?? []
    const expanded = under.length > 0 && (narrowed || !folded.has(node.uuid))
    rows.push({
      node,
      depth: top.depth,
      children: under.length,
      expanded,
      place: top.at,
      siblings: top.list.length,
      pinned: isPinned(node),
      lead: matches !== null && !matches.has(node),
    })
    if (expanded) stack.push({ list: under, at: 0, depth: top.depth + 1 })
  }
  return rows
}

/** The archived agents: the given ones and all their descendants. */
export function putAway(all: readonly Node[], family: Family, archived: ReadonlySet<string>): Set<Node> {
  const away = new Set<Node>()
  if (archived.size === 0) return away
  const next = all.filter((node) => archived.has(node.uuid))
  for (let node = next.pop(); node; node = next.pop()) {
    if (away.has(node)) continue
    away.add(node)
    next.push(...(family.children.get(node) ?? []))
  }
  return away
}

/** Unchanged rows stay the same objects, so that only changed ones are drawn again. */
export function reuseRows(before: ReadonlyMap<string, Row>, rows: Row[]): Row[] {
  return rows.map((row) => {
    const old = before.get(row.node.file)
    return old && same(old, row) ? old : row
  })
}

const same = (a: Row, b: Row) =>
  a.node === b.node &&
  a.depth === b.depth &&
  a.children === b.children &&
  a.expanded === b.expanded &&
  a.place === b.place &&
  a.siblings === b.siblings &&
  a.pinned === b.pinned &&
  a.lead === b.lead

const none: ReadonlySet<string> = new Set()

function matching(
  all: readonly Node[],
  family: Family,
  archived: ReadonlySet<string>,
  only: Only,
  text: string,
  unread: (node: Node) => boolean,
): Set<Node> {
  const away = putAway(all, family, archived)
  return new Set(all.filter((node) => belongs(node, only, away.has(node), unread(node)) && found(node, text)))
}

function withThoseAbove(matches: Set<Node>, above: (node: Node) => Node | undefined): Set<Node> {
  const kept = new Set<Node>()
  for (const node of matches) for (let at: Node | undefined = node; at && !kept.has(at); at = above(at)) kept.add(at)
  return kept
}

function parentsOf(all: readonly Node[], byUuid: Map<string, Node>): Map<Node, Node> {
  const parents = new Map<Node, Node>()
  for (const node of all) {
    const parent = node.parentId ? byUuid.get(node.parentId) : undefined
    if (parent && parent !== node) parents.set(node, parent)
  }
  // Cut each circle once, where the upward walk meets itself.
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

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

/* The creation time of each node, parsed once. */
const times = new WeakMap<Node, number>()
function made(node: Node): number {
  let at = times.get(node)
  if (at === undefined) times.set(node, (at = Date.parse(node.createdAt) || node.modifiedMs))
  return at
}
const byName = (a: Node, b: Node) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.file < b.file ? -1 : 1)
const newestFirst = (a: Node, b: Node) => made(b) - made(a) || byName(a, b)
const oldestFirst = (a: Node, b: Node) => made(a) - made(b) || byName(a, b)
