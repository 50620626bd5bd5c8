import { nameOf } from './statusDot'
import type { Node } from './node'
import type { Family } from './tree'
import { t } from '$lib/language/language'

/**
 * Suffixes for agents of the same name, by file: the parent's name if it differs
 * for all of them, otherwise a part of the file's name. Agents with a unique
 * name have none.
 */
export function suffixesOf(all: readonly Node[], family: Pick<Family, 'parents'>): ReadonlyMap<string, string> {
  const byName = new Map<string, Node[]>()
  for (const node of all) {
    const name = nameOf(node).toLowerCase()
    const same = byName.get(name)
    if (same) same.push(node)
    else byName.set(name, [node])
  }
  const apart = new Map<string, string>()
  for (const same of byName.values()) {
    if (same.length < 2) continue
    const above = same.map((node) => family.parents.get(node))
    const names = above.map((parent) => (parent ? t`in ${nameOf(parent)}` : ''))
    const distinct = names.every(Boolean) && new Set(names.map((n) => n.toLowerCase())).size === same.length
    same.forEach((node, i) => apart.set(node.file, distinct ? names[i]! : shortFile(node.file)))
  }
  return apart
}

/** "agent-1f3a9c20.mtm" in any folder is "1f3a9c20"; a file that a person named keeps its name. */
const shortFile = (file: string): string =>
  file
    .slice(file.lastIndexOf('/') + 1)
    .replace(/\.mtm$/, '')
    .replace(/^agent-(?=[0-9a-f]{8}$)/, '')
