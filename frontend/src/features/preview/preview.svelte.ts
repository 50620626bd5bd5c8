import { SvelteSet } from 'svelte/reactivity'
import type { Backend, BackendEvent, Fault, preview, workspace } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { CellFollower } from '$lib/follow/cellFollower.svelte'
import type { Target } from '$lib/follow/refreshDelays'
import { ListMemory } from '$lib/ui/virtual'

/** Everything, or only differences from the last request. */
export type Mode = 'messages' | 'changes'

/** Its tab as saved: in front, behind another one, or not there. */
export type KeptTab = 'shown' | 'open' | ''

/** The row at which the common beginning with the last request ends. */
export const cacheLine = 'cache'

/** The width for guessing heights until the list has its own. */
const usualWidth = 800

/**
 * The scroll position of a list that was not seen yet: a little above the first difference from the last request, or the top.
 */
function fromTheCacheLine(): ListMemory {
  const memory = new ListMemory()
  memory.width = usualWidth
  memory.start({ key: cacheLine, index: 0, into: -160, way: '', top: 160, height: 0 })
  return memory
}

/**
 * PreviewState holds the next request, message by message. It follows the
 * current cell while it is shown; a preview changes nothing.
 */
export class PreviewState implements Feature {
  readonly #cell: CellFollower<preview.Preview>
  #view = $state.raw<preview.Preview>()
  #open = $state(false)
  #shown = $state(false)
  mode = $state<Mode>('messages')
  /** Parts whose whole text is shown. */
  readonly whole = new SvelteSet<string>()
  #memory = $state.raw(fromTheCacheLine())
  readonly #changed: () => void

  /** changed is called when its tab is opened, closed, or comes to or leaves the front. */
  constructor(backend: Backend, changed: () => void = () => undefined) {
    this.#changed = changed
    this.#cell = new CellFollower({
      ask: (t, signal) => backend.preview(t.path, t.cell, t.draft, signal),
      answered: (view) => (this.#view = view),
      moved: (path) => {
        this.whole.clear()
        if (this.#view?.path !== path) this.#memory = fromTheCacheLine()
      },
    })
  }

  /** The scroll position of the list of messages. */
  get memory(): ListMemory {
    return this.#memory
  }
  /** Whether it has a tab. */
  get open(): boolean {
    return this.#open
  }
  /** Whether its tab is in front. */
  get shown(): boolean {
    return this.#open && this.#shown
  }
  /** The last known state of the current notebook; undefined until the first answer. */
  get view(): preview.Preview | undefined {
    return this.#view?.path === this.#cell.target?.path ? this.#view : undefined
  }
  get fault(): Fault | undefined {
    return this.#cell.fault
  }

  /** The state of its tab to save for the next start. */
  get kept(): KeptTab {
    if (this.shown) return 'shown'
    return this.#open ? 'open' : ''
  }
  /** Restores the saved state of its tab. */
  restore(kept: KeptTab): void {
    this.#tab(kept !== '', kept === 'shown')
  }

  show(): void {
    this.#tab(true, true)
  }
  /** Notes that another tab comes to the front. */
  hide(): void {
    this.#tab(this.#open, false)
  }
  close(): void {
    this.#tab(false, false)
    this.follow(undefined)
    this.whole.clear()
    this.#memory = fromTheCacheLine()
  }

  #tab(open: boolean, shown: boolean): void {
    if (this.#open === open && this.#shown === shown) return
    this.#open = open
    this.#shown = shown
    this.#changed()
  }

  follow(target: Target | undefined): void {
    this.#cell.follow(target)
  }

  load(_snapshot: workspace.Snapshot, again: boolean): void {
    if (again) this.retry()
  }
  apply(e: BackendEvent): void {
    this.#cell.apply(e)
  }

  retry(): void {
    this.#cell.retry()
  }

  toggle(id: string): void {
    if (!this.whole.delete(id)) this.whole.add(id)
  }

  stop(): void {
    this.#cell.stop()
  }
}
