import { SvelteMap } from 'svelte/reactivity'

/** Recent keeps what was last known of the last few things, to show it at once when one of them comes back. */
export class Recent<V> {
  readonly #most: number
  readonly #known = new SvelteMap<string, V>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): V | undefined {
    return this.#known.get(key)
  }

  /** Takes what is known now; what has not been known anew for longest goes. */
  set(key: string, value: V): void {
    this.#known.delete(key)
    this.#known.set(key, value)
    for (const old of this.#known.keys()) {
      if (this.#known.size <= this.#most) break
      this.#known.delete(old)
    }
  }
}
