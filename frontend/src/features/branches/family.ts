import type { branches } from '$lib/backend/backend'

/** A member of a family with its place in the drawing. */
export interface Member extends branches.Member {
  /** How many members it descends from. */
  depth: number
  /** Cells that it has in common with the one that it was made from. */
  common: number
  /** The id of the one that it was made from; "" for none. */
  origin: string
  /** Words of the cell that follows the common ones in its origin. */
  next: string
}

/** placed puts each member behind the one that it was made from, and says how deep it stands. */
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
  for (const m of family.members) add(m, 0) // what descends from itself in a circle, by a file that was edited
  return all
}

/** Some cells of a member, as a row of the drawing. A member from which others part in the middle has several. */
export interface RailRow {
  member: Member
  /** Its cells, from 1; none when to is less than from. */
  from: number
  to: number
  /** Words of the first of them. */
  words: string
  /** Its vertical line, from 0. */
  lane: number
  /** The row that a line leads here from: of the same member, or of the one that it was made from; -1: none. */
  above: number
}

/** railRows cuts the members where others part from them, so that each row begins below the cells that it follows. */
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
