import type { Backend, BackendEvent, Fault, coedit } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { Follower } from '$lib/follow/follower'
import { Recent } from '$lib/follow/recent'

export type FileUse = coedit.File

const changedMs = 80
/** Tools of working agents follow each other closely. */
const workingMs = 800
const maxKept = 8

/**
 * FileUseState holds the files that the current notebook's agent read and wrote, and the other agents that wrote them, while
 * shown.
 */
export class FileUseState implements Feature {
  readonly #follower: Follower<string, FileUse[]>
  readonly #known = new Recent<readonly FileUse[]>(maxKept)
  #path = $state('')
  #fault = $state.raw<Fault>()

  constructor(backend: Backend) {
    this.#follower = new Follower({
      ask: (path) => backend.call.FileUse(path),
      subject: (path) => path,
      answered: (list, path) => this.#take(path, list ?? []), // Go may write an empty list as null
      failed: (fault) => {
        if (fault.kind !== 'canceled') this.#fault = fault
      },
    })
  }

  /** Its files, the latest first; undefined until the first answer. */
  get list(): readonly FileUse[] | undefined {
    return this.#known.get(this.#path)
  }
  get fault(): Fault | undefined {
    return this.#fault
  }

  /** follow sets the notebook to show; undefined for none. */
  follow(path: string | undefined): void {
    if (!path) {
      this.#follower.stop()
      this.#path = ''
    } else if (path !== this.#path) {
      this.#path = path
      this.#fault = undefined
      this.#follower.ask(path)
    }
  }

  load(): void {
    this.refresh()
  }
  apply(e: BackendEvent): void {
    if (!this.#path) return
    // Other agents' writes matter here as well.
    if (e.type === 'filesChanged' || (e.type === 'notebookReloaded' && e.data.path === this.#path)) this.#follower.again(changedMs)
    else if (e.type === 'messagePut' && e.data.message.role === 'tool') this.#follower.again(workingMs)
  }

  refresh(): void {
    this.#fault = undefined
    this.#follower.again()
  }
  stop(): void {
    this.#follower.stop()
  }

  #take(path: string, list: readonly FileUse[]): void {
    this.#known.set(
      path,
      list.map((h) => ({ ...h, others: h.others ?? [] })),
    )
    this.#fault = undefined
  }
}
