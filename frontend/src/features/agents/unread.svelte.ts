import { SvelteMap } from 'svelte/reactivity'
import type { settings } from '$lib/backend/backend'
import type { Node } from './node'

type Kept = Pick<settings.UIState, 'read' | 'readAll'>

/**
 * The agents that finished or failed since the person last opened them. Children count only if
 * their run failed, as their parent gets their report.
 */
export class Unread {
  /** The time up to which the person has seen an agent's work, by uuid. */
  readonly #read = new SvelteMap<string, number>()
  /** The same time for agents that are not in #read. */
  #readAll = $state(0)

  /** Loads the saved state; in a folder that was never open before, only work after nowMs counts. */
  load(kept: Kept, nowMs: number): void {
    this.#read.clear()
    for (const [uuid, ms] of Object.entries(kept.read ?? {})) this.#read.set(uuid, ms)
    this.#readAll = kept.readAll || nowMs
  }

  has(node: Node): boolean {
    if (!node.endedMs || !node.uuid || node.status === 'running') return false
    if (node.parentId && !node.marks.includes('failed')) return false
    return node.endedMs > (this.#read.get(node.uuid) ?? this.#readAll)
  }

  /** Marks an agent's work as seen, and reports whether it was unread. */
  see(node: Node): boolean {
    if (!this.has(node)) return false
    this.#read.set(node.uuid, node.endedMs!)
    return true
  }

  /** The state to save: without any agent's name if all were seen. */
  kept(nodes: readonly Node[]): Kept {
    if (!nodes.some((n) => this.has(n))) return { readAll: Math.max(this.#readAll, ...nodes.map((n) => n.endedMs ?? 0)), read: {} }
    const there = new Set(nodes.map((n) => n.uuid))
    return {
      readAll: this.#readAll,
      read: Object.fromEntries([...this.#read].filter(([uuid, ms]) => ms > this.#readAll && there.has(uuid))),
    }
  }
}
