import type { checkpoint } from '$lib/backend/backend'
import { plural } from '$lib/format/number'
import { placeWords, type DiffLine } from '$lib/ui/diff'
import { t } from '$lib/language/language'

/** The lines of a hunk in the form that Diff.svelte takes. */
export function linesOf(hunk: checkpoint.Hunk): DiffLine[] {
  const head: DiffLine = { op: '@', text: `@@ -${hunk.from},${hunk.fromN} +${hunk.to},${hunk.toN} @@` }
  return [head, ...hunk.lines.map((line): DiffLine => ({ op: line.slice(0, 1), text: line.slice(1) }))]
}

/** The position of a hunk in the current file. */
export const placeOf = (hunk: checkpoint.Hunk): string => placeWords(hunk.to, hunk.toN)

/** The kind of a file's change in a word: "new", "deleted", or "" if it was changed. */
export function newOrDeleted(change: checkpoint.Change): '' | 'new' | 'deleted' {
  if (change.start.kind === 'absent') return 'new'
  return change.now.kind === 'absent' ? 'deleted' : ''
}

const plain: Record<string, string> = {
  binary: t`It is not text, so there is nothing to show line by line.`,
  large: t`The difference is too large to be shown here.`,
  link: t`It is a link or another kind of file, so there is nothing to show line by line.`,
  mode: t`Only its permissions changed.`,
  missing: t`What it was at first is not kept any more.`,
}

/** Why a change has no lines; "" if it has some. */
export const plainWords = (change: checkpoint.Change): string =>
  change.plain ? (plain[change.plain] ?? t`It cannot be shown line by line.`) : ''

/** Each file once: a file of an agent's work tree that was merged is shown in the folder. */
export function once<T extends { path: string }>(list: readonly T[], shorten: (path: string) => string): readonly T[] {
  const here = new Set(list.map((c) => c.path))
  return list.filter((c) => {
    const short = shorten(c.path)
    return !short.startsWith(ownTreeWords) || !here.has(short.slice(ownTreeWords.length))
  })
}

/** A path relative to the folder; a path outside stays absolute. */
export function within(folder: string, path: string): string {
  const unix = (p: string) => p.replaceAll('\\', '/')
  const base = unix(folder).replace(/\/*$/, '/')
  return unix(path).startsWith(base) ? unix(path).slice(base.length) : path
}

const ownTreeWords = t`own work tree/`

/** The display form of a path: a path in the agent's own work tree, which is far away, says so first. */
export function inTree(path: string, tree = ''): string {
  // The path may be relative to the open folder: only the end of the tree's own path is certain to be in it.
  const end = tree && `/${tree.replaceAll('\\', '/').split('/').slice(-3).join('/')}/`
  const at = end ? path.indexOf(end) : -1
  return at < 0 ? path : ownTreeWords + path.slice(at + end.length)
}

/** The effect of a restore on a file. */
export function actionWords(restore: checkpoint.Restore): string {
  switch (restore.action) {
    case 'rewrite':
      return t`goes back to what it was`
    case 'remove':
      return restore.from.kind === 'folder' ? t`folder goes, if it is empty` : t`is removed: it was not there`
    case 'recreate':
      return t`comes back`
    case 'chmod':
      return t`gets its permissions back`
    default:
      return t`cannot be restored`
  }
}

/** "3 files", with the number of files that were left. */
export const filesWords = (n: number): string => plural(n, 'file')
