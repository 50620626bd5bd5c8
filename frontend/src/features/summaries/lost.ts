import type { compaction } from '$lib/backend/backend'
import { plural } from '$lib/format/number'
import { comma, t } from '$lib/language/language'

/** The kinds of items that a summary may leave out, in list order. */
export const lostKinds = [
  { kind: 'todo', title: t`Open to-dos`, counted: (n: number) => plural(n, 'to-do') },
  { kind: 'command', title: t`Failed commands`, counted: (n: number) => plural(n, 'failed command') },
  { kind: 'words', title: t`Your sentences`, counted: (n: number) => plural(n, 'sentence of yours', 'sentences of yours') },
  { kind: 'path', title: t`Paths`, counted: (n: number) => plural(n, 'path') },
  { kind: 'address', title: t`Addresses`, counted: (n: number) => plural(n, 'address', 'addresses') },
  { kind: 'number', title: t`Numbers`, counted: (n: number) => plural(n, 'number') },
  { kind: 'name', title: t`Names`, counted: (n: number) => plural(n, 'name') },
] as const

export interface LostGroup {
  kind: string
  title: string
  list: readonly compaction.Loss[]
}

/** The left-out items, by kind. */
export function lostGroups(lost: readonly compaction.Loss[]): LostGroup[] {
  return lostKinds
    .map(({ kind, title }) => ({ kind, title, list: lost.filter((l) => l.kind === kind) }))
    .filter((group) => group.list.length > 0)
}

/** The left-out items in a few words: "9 paths, 5 numbers", the largest number first. */
export function lostWords(lost: readonly compaction.Loss[]): string {
  return lostKinds
    .map(({ kind, counted }) => ({ counted, n: lost.filter((l) => l.kind === kind).length }))
    .filter(({ n }) => n > 0)
    .sort((a, b) => b.n - a.n)
    .map(({ n, counted }) => counted(n))
    .join(comma)
}
