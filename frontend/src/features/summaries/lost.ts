import type { compaction } from '$lib/backend/backend'
import { plural } from '$lib/format/number'
import { t } from '$lib/language/language'

/** The kinds of items that a summary may leave out, in list order. */
export const lostKinds = [
  { kind: 'todo', title: 'Open to-dos', one: 'to-do', many: 'to-dos' },
  { kind: 'command', title: t`Failed commands`, one: t`failed command`, many: t`failed commands` },
  { kind: 'words', title: t`Your sentences`, one: t`sentence of yours`, many: t`sentences of yours` },
  { kind: 'path', title: t`Paths`, one: 'path', many: 'paths' },
  { kind: 'address', title: t`Addresses`, one: 'address', many: 'addresses' },
  { kind: 'number', title: t`Numbers`, one: 'number', many: 'numbers' },
  { kind: 'name', title: t`Names`, one: 'name', many: 'names' },
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
    .map(({ kind, one, many }) => ({ one, many, n: lost.filter((l) => l.kind === kind).length }))
    .filter(({ n }) => n > 0)
    .sort((a, b) => b.n - a.n)
    .map(({ n, one, many }) => plural(n, one, many))
    .join(', ')
}
