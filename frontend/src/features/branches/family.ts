import type { branches } from '$lib/backend/backend'

/** A member of a family with its place in the drawing. */
export interface Member extends branches.Member {
  /** The number of its ancestors. */
  depth: number
  /** The number of cells that it shares with its origin. */
  common: number
  /** The id of the member it was made from; "" for none. */
  origin: string
  /** The first words of the cell after the shared ones in its origin. */
  next: string
}

/** placed puts each member after its origin, and returns its depth. */
export function placed(family: branches.Family): Member[] {
  const origin = new Map(family.edges.map((e) => [e.to, e]))
  const children = new Map<string, branches.Member[]>()
  const roots: branches.Member[] = []
  const known = new Set(family.members.map((m) => m.id))
  for (const m of family.members) {
    const from = origin.get(m.id)?.from
    if (from === undefined || !known.has(from) || from === m.id) roots.push(m)
    else children.set(from, [...(children.get(from) ?? []), m])
  }
  const all: Member[] = []
  const seen = new Set<string>()
  const add = (m: branches.Member, depth: number) => {
    if (seen.has(m.id)) return
    seen.add(m.id)
    const edge = origin.get(m.id)
    all.push({ ...m, depth, common: edge?.cells ?? 0, origin: depth > 0 ? edge!.from : '', next: edge?.next ?? '' })
    for (const child of children.get(m.id) ?? []) add(child, depth + 1)
  }
  for (const m of roots) add(m, 0)
  for (const m of family.members) add(m, 0) // members that are their own ancestors because of an edited file
  return all
}

/** Some cells of a member, as a row of the drawing. A member has several if others branch off in the middle. */
export interface RailRow {
  member: Member
  /** Its cells, from 1; none if to is less than from. */
  from: number
  to: number
  /** The first words of the first cell. */
  words: string
  /** The index of its vertical line. */
  lane: number
  /** The row from which a line leads here: of the same member, or of its origin; -1: none. */
  above: number
}

/** railRows splits the members where others branch off, so that each row begins below the cells that it follows. */
export function railRows(members: readonly Member[]): RailRow[] {
  const children = new Map<string, Member[]>()
  for (const m of members) if (m.origin) children.set(m.origin, [...(children.get(m.origin) ?? []), m])
  const rows: RailRow[] = []
  let lanes = 0
  const add = (m: Member, above: number) => {
    const lane = lanes++
    let from = m.origin ? m.common + 1 : 1
    let words = m.origin ? m.first : m.begin
    let last = above
    const row = (to: number) => {
      rows.push({ member: m, from, to, words, lane, above: last })
      last = rows.length - 1
      from = to + 1
    }
    for (const child of (children.get(m.id) ?? []).toSorted((a, b) => a.common - b.common)) {
      if (child.common >= from || last === above) row(Math.max(child.common, from - 1))
      add(child, last)
      words = child.next
    }
    if (from <= m.cells || last === above) row(Math.max(m.cells, from - 1))
  }
  for (const m of members) if (!m.origin) add(m, -1)
  return rows
}

/** The numbers of a row's cells: "[7–9]", "[7]"; "" for none. */
export const numbersOf = ({ from, to }: RailRow): string => (to < from ? '' : to === from ? `[${from}]` : `[${from}–${to}]`)
