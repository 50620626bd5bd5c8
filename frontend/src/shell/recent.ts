import type { BackendEvent } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'

/** The choices in the palette, latest first: "agent a.mtm", "command window.open". */
export class Recent implements Feature {
  list: string[] = []
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  load({ ui }: { ui: { recent?: string[] } }, again: boolean): void {
    if (!again) this.list = ui.recent ?? []
  }
  apply(e: BackendEvent): void {
    if (e.type !== 'notebookMoved') return
    const { from, to } = e.data
    this.list = this.list.map((id) => (id.endsWith(` ${from}`) ? id.slice(0, -from.length) + to : id.replace(` ${from} `, ` ${to} `)))
  }
  stop(): void {}

  /** Puts a choice first. */
  add(id: string): void {
    this.list = [id, ...this.list.filter((known) => known !== id)].slice(0, 40)
    this.#changed()
  }
}
