import type { checkpoint } from '$lib/backend/backend'
import { plural } from '$lib/format/number'
import { placeWords, type DiffLine } from '$lib/ui/diff'

/** The lines of a hunk as Diff.svelte takes them. */
export function linesOf(hunk: checkpoint.Hunk): DiffLine[] {
  const head: DiffLine = { op: '@', text: `@@ -${hunk.from},${hunk.fromN} +${hunk.to},${hunk.toN} @@` }
  return [head, ...hunk.lines.map((line): DiffLine => ({ op: line.slice(0, 1), text: line.slice(1) }))]
}

/** Where a hunk stands in the file as it is now. */
export const placeOf = (hunk: checkpoint.Hunk): string => placeWords(hunk.to, hunk.toN)

/** What happened to a file, in a word: "new", "deleted", or "" for one that was changed. */
export function fateOf(change: checkpoint.Change): '' | 'new' | 'deleted' {
  if (change.start.kind === 'absent') return 'new'
  return change.now.kind === 'absent' ? 'deleted' : ''
}

const plain: Record<string, string> = {
  binary: 'It is not text, so there is nothing to show line by line.',
  large: 'The difference is too large to be shown here.',
  link: 'It is a link or another kind of file, so there is nothing to show line by line.',
  mode: 'Only its permissions changed.',
  missing: 'What it was at first is not kept any more.',
}

/** Why a change has no lines; "" when it has. */
export const plainWords = (change: checkpoint.Change): string => (change.plain ? (plain[change.plain] ?? 'It cannot be shown line by line.') : '')

/** The folder of a path, with its slash, and the name. */
export function partsOf(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf('/') + 1
  return [path.slice(0, at), path.slice(at)]
}

/** A path of the disk as seen from the folder; one from outside stays whole. */
export function within(folder: string, path: string): string {
  const unix = (p: string) => p.replaceAll('\\', '/')
  const base = unix(folder).replace(/\/*$/, '/')
  return unix(path).startsWith(base) ? unix(path).slice(base.length) : path
}

/** A path as a list shows it: one in the agent's own work tree, which lies far away, begins with that. */
export function inTree(path: string, tree = ''): string {
  // The path may be told from the folder that is open: only the end of the tree's own is sure to be in it.
  const end = tree && `/${tree.replaceAll('\\', '/').split('/').slice(-3).join('/')}/`
  const at = end ? path.indexOf(end) : -1
  return at < 0 ? path : `own work tree/${path.slice(at + end.length)}`
}

/** What a restore does to a file. */
export function actionWords(restore: checkpoint.Restore): string {
  switch (restore.action) {
    case 'rewrite':
      return 'goes back to what it was'
    case 'remove':
      return restore.from.kind === 'folder' ? 'folder goes, if it is empty' : 'is removed: it was not there'
    case 'recreate':
      return 'comes back'
    case 'chmod':
      return 'gets its permissions back'
    default:
      return 'cannot be restored'
  }
}

/** "3 files", with what was left. */
export const filesWords = (n: number): string => plural(n, 'file')
