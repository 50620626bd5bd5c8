import type { preview } from '$lib/backend/backend'

/** A line of the list of rules: a folder, or a rule in one. */
export type RuleRow =
  { kind: 'folder'; path: string; name: string; depth: number } | { kind: 'rule'; part: preview.Part; name: string; depth: number }

/** The rules as a tree by folder, in the order in which they are sent. */
export function ruleRows(rules: readonly preview.Part[]): RuleRow[] {
  const rows: RuleRow[] = []
  let open: string[] = []
  for (const part of rules) {
    const names = part.source.split('/')
    const folders = names.slice(0, -1)
    let same = 0
    while (same < open.length && same < folders.length && open[same] === folders[same]) same++
    for (let d = same; d < folders.length; d++)
      rows.push({ kind: 'folder', path: folders.slice(0, d + 1).join('/'), name: folders[d]!, depth: d })
    open = folders
    rows.push({ kind: 'rule', part, name: names.at(-1)!, depth: folders.length })
  }
  return rows
}
