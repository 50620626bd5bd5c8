/*
 * The arithmetic of groups of tabs side by side (SPEC 16.2). One group is active: new tabs open in
 * it. There is always one; if there are more, each has a tab. A document may have a tab in each
 * group, but only one per group.
 *
 * Pure: every function returns the new groups.
 */

/** One group: its tabs in order, and the current one ("" if there is none). */
export interface Group {
  /** Its id for as long as it exists. */
  readonly id: number
  readonly paths: readonly string[]
  readonly active: string
}

export interface Groups {
  readonly all: readonly Group[]
  /** The id of the active group. */
  readonly front: number
}

/** The largest number of groups side by side. */
export const maxGroups = 2

/** A saved group; its contents may be wrong. */
export interface KeptGroup {
  readonly tabs: readonly string[]
  readonly active: string
}

/** Restores saved groups, from left to right. front: the index of the active one. */
export function restored(kept: readonly KeptGroup[], front = 0): Groups {
  const whole = kept.map(({ tabs, active }) => {
    const paths = [...new Set(tabs)]
    return { paths, active: paths.includes(active) ? active : (paths[0] ?? '') }
  })
  const used = whole[front]
  const all = whole.filter((group) => group.paths.length > 0).slice(0, maxGroups)
  if (all.length === 0) return { all: [{ id: 0, paths: [], active: '' }], front: 0 }
  return { all: all.map((group, id) => ({ id, ...group })), front: Math.max(0, used ? all.indexOf(used) : 0) }
}

/** The group with an id, or else the active one. */
export const groupOf = ({ all, front }: Groups, id = front): Group =>
  all.find((group) => group.id === id) ?? all.find((group) => group.id === front)!

/** The group after the active one, wrapping around; undefined if there is only one. */
export function otherOf({ all, front }: Groups): Group | undefined {
  return all.length > 1 ? all[(all.findIndex((group) => group.id === front) + 1) % all.length] : undefined
}

/** All tabs, each once: from left to right, in the order of each group. */
export const pathsOf = ({ all }: Groups): readonly string[] => [...new Set(all.flatMap((group) => group.paths))]

const put = (groups: Groups, group: Group): Groups => ({ ...groups, all: groups.all.map((g) => (g.id === group.id ? group : g)) })

/** A group with a tab made current; a new one is inserted after the current one, or at a place. */
function withTab(group: Group, path: string, at = group.paths.indexOf(group.active) + 1 || group.paths.length): Group {
  return { ...group, paths: group.paths.includes(path) ? group.paths : group.paths.toSpliced(at, 0, path), active: path }
}

/** A group without some of its tabs: the right neighbour of the current one becomes current, or else the left. */
function without(group: Group, going: ReadonlySet<string>): Group {
  const stays = (path: string) => !going.has(path)
  const at = group.paths.indexOf(group.active)
  const active = stays(group.active) ? group.active : (group.paths.slice(at).find(stays) ?? group.paths.slice(0, at).findLast(stays) ?? '')
  return { ...group, paths: group.paths.filter(stays), active }
}

/** The groups that have tabs; if the active one is removed, its neighbour becomes active. */
function swept(groups: Groups): Groups {
  const all = groups.all.filter((group) => group.paths.length > 0)
  if (all.length === groups.all.length) return groups
  if (all.length === 0) return { ...groups, all: [groupOf(groups)] }
  if (all.some((group) => group.id === groups.front)) return { ...groups, all }
  const at = groups.all.findIndex((group) => group.id === groups.front)
  return { all, front: all[Math.min(at, all.length - 1)]!.id }
}

/** Shows a path in a group and makes that active. */
export function opened(groups: Groups, path: string, id = groups.front): Groups {
  const group = groupOf(groups, id)
  return { ...put(groups, withTab(group, path)), front: group.id }
}

/** Tabs that are closed, of one group or of all. */
export interface Closing {
  readonly path: string
  readonly group: number | undefined
}

/** Closes tabs of one group, or of all. */
export const closed = (groups: Groups, paths: readonly string[], id?: number): Groups =>
  swept({
    ...groups,
    all: groups.all.map((group) => (id === undefined || group.id === id ? without(group, new Set(paths)) : group)),
  })

/** Makes tabs show another path in their place. */
export function renamed(groups: Groups, from: string, to: string): Groups {
  const name = (path: string) => (path === from ? to : path)
  return {
    ...groups,
    all: groups.all.map((group) => ({ ...group, paths: [...new Set(group.paths.map(name))], active: name(group.active) })),
  }
}

/** Moves a tab within its group to a place. */
export function moved(groups: Groups, path: string, index: number, id = groups.front): Groups {
  const group = groupOf(groups, id)
  const from = group.paths.indexOf(path)
  const to = Math.max(0, Math.min(group.paths.length - 1, index))
  if (from < 0 || from === to) return groups
  return put(groups, { ...group, paths: group.paths.toSpliced(from, 1).toSpliced(to, 0, path) })
}

/** Makes a group active. */
export const inUse = (groups: Groups, id: number): Groups =>
  groups.all.some((group) => group.id === id) ? { ...groups, front: id } : groups

/** The groups plus a new active one at the right that shows one path; unchanged if there are as many as possible. */
function added(groups: Groups, path: string): Groups {
  if (groups.all.length >= maxGroups) return groups
  const id = [...Array(maxGroups).keys()].find((free) => groups.all.every((group) => group.id !== free))!
  return { all: [...groups.all, { id, paths: [path], active: path }], front: id }
}

/** Shows a path in the group beside the active one, which is made if it is missing. */
export function besides(groups: Groups, path: string): Groups {
  const other = otherOf(groups)
  if (other) return opened(groups, path, other.id)
  return groupOf(groups).paths.length === 0 ? opened(groups, path) : added(groups, path)
}

/** Whether a tab can move to another group: there is one, or its own group keeps a tab. */
export const canSend = (groups: Groups, path: string, from = groups.front): boolean => {
  const { paths } = groupOf(groups, from)
  return paths.includes(path) && (groups.all.length > 1 || paths.length > 1)
}

/**
 * Moves a tab to the other group, at a place or after the current tab there; if there is no other group, to a new one at the
 * right.
 */
export function sent(groups: Groups, path: string, from = groups.front, at?: number): Groups {
  if (!canSend(groups, path, from)) return groups
  const source = groupOf(groups, from)
  const target = groups.all.find((group) => group.id !== source.id)
  const left = put(groups, without(source, new Set([path])))
  return target ? swept({ ...put(left, withTab(target, path, at)), front: target.id }) : added(left, path)
}

/** The most notebooks of a group that stay in the page, with the current one. */
const maxMounted = 2

/**
 * Returns the notebooks of a group that are in the page, the current one first. The one before it stays, so that going
 * back and forth shows them at once; the others keep only their state and their scroll position. A notebook that the
 * other group shows does not stay: text that streams in would be drawn twice.
 *
 * @param before what this returned for the group the last time
 */
export function mounted(groups: readonly Group[], group: Group, before: readonly string[]): readonly string[] {
  const current = new Set(groups.map((g) => g.active))
  return [group.active, ...before.filter((path) => !current.has(path))].slice(0, maxMounted)
}
