import type { branches } from '$lib/backend/backend'

/** A member of a family with its place in the drawing. */
export interface Member extends branches.Member {
  /** How many members it descends from. */
  depth: number
  /** Cells that it has in common with the one that it was made from. */
  common: number
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
    all.push({ ...m, depth, common: origin.get(m.id)?.cells ?? 0 })
    for (const child of children.get(m.id) ?? []) add(child, depth + 1)
  }
  for (const m of roots) add(m, 0)
  for (const m of family.members) add(m, 0) // what descends from itself in a circle, by a file that was edited
  return all
}

/** shareOf is a number against the larger of two, from 0 to 1. */
export const shareOf = (n: number, other: number): number => (Math.max(n, other) > 0 ? n / Math.max(n, other) : 0)
