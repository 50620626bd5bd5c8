import { SvelteMap } from 'svelte/reactivity'

/** Recent caches the values of the last few keys, to show them at once when needed again. */
export class Recent<V> {
  readonly #maxEntries: number
  readonly #known = new SvelteMap<string, V>()

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get(key: string): V | undefined {
    return this.#known.get(key)
  }

  /** Stores a value; the key that was stored longest ago is removed. */
  set(key: string, value: V): void {
    this.#known.delete(key)
    this.#known.set(key, value)
    for (const old of this.#known.keys()) {
      if (this.#known.size <= this.#maxEntries) break
      this.#known.delete(old)
    }
  }
}
