import type { Backend } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'

/** Presence tells the program whether the person sees this window, which decides about notifications. */
export class Presence implements Feature {
  readonly #backend: Backend
  #front: boolean | undefined

  constructor(backend: Backend) {
    this.#backend = backend
  }

  set(front: boolean): void {
    this.#front = front
    // A lost connection is reported elsewhere.
    this.#backend.call.SetInFront(front).catch(() => undefined)
  }

  load(): void {
    // A restarted program does not know it yet.
    if (this.#front !== undefined) this.set(this.#front)
  }
  apply(): void {} // no event concerns it
  stop(): void {}
}
