import type { Backend } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'

/** Presence tells the program whether the person sees this window: notifications depend on it. */
export class Presence implements Feature {
  readonly #backend: Backend
  #front: boolean | undefined

  constructor(backend: Backend) {
    this.#backend = backend
  }

  set(front: boolean): void {
    this.#front = front
    // A connection that is lost says so by itself.
    this.#backend.call.SetInFront(front).catch(() => undefined)
  }

  load(): void {
    // A restarted program does not know it.
    if (this.#front !== undefined) this.set(this.#front)
  }
  apply(): void {} // no event is about it
  stop(): void {}
}
