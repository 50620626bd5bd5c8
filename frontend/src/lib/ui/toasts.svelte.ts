/** A notice of something that happened, shown once at the bottom of the window. */
export interface Toast {
  id: number
  /** failed stays until closed; done disappears by itself. */
  kind: 'failed' | 'done'
  /** What happened. */
  title: string
  /** Why, and what to do. */
  detail: string
  action?: { label: string; run: () => void }
}

const shownMs = 6_000
/** A notice with an action stays long enough to read and reach it. */
const offeredMs = 30_000
const maxShown = 4

/** The visible toasts; the oldest ones about success are dropped first. */
export class Toasts {
  #list = $state<Toast[]>([])
  #next = 1

  get list(): readonly Toast[] {
    return this.#list
  }

  /** Shows a failure. The same failure does not stack up. */
  failed(title: string, detail: string, action?: Toast['action']): void {
    this.#list = this.#list.filter((t) => t.title !== title || t.detail !== detail)
    this.#add({ id: this.#next++, kind: 'failed', title, detail, action })
  }

  /** Reports a success that is not visible otherwise. */
  done(title: string, detail = '', action?: Toast['action']): void {
    const toast: Toast = { id: this.#next++, kind: 'done', title, detail, action }
    this.#add(toast)
    setTimeout(() => this.close(toast.id), action ? offeredMs : shownMs)
  }

  close(id: number): void {
    this.#list = this.#list.filter((t) => t.id !== id)
  }

  #add(toast: Toast): void {
    let spare = this.#list.length + 1 - maxShown
    this.#list = [...this.#list.filter((t) => t.kind === 'failed' || spare-- <= 0), toast]
  }
}
