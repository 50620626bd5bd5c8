import { t } from '$lib/language/language'

/**
 * LazyModule is a part of the program that is loaded when it is first needed, or earlier while the
 * window is idle. Once loaded it stays and is drawn at once.
 */
export class LazyModule<M> {
  readonly #fetch: () => Promise<M>
  #module = $state.raw<M>()
  #fault = $state.raw<unknown>()
  #loading: Promise<void> | undefined
  #loaded!: () => void
  /** Resolves when an attempt succeeds. */
  readonly #success = new Promise<void>((resolve) => (this.#loaded = resolve))

  /** fetch is an `import()`; it is called again only after a failure. */
  constructor(fetch: () => Promise<M>) {
    this.#fetch = fetch
  }

  /** The module, once it is loaded. */
  get module(): M | undefined {
    return this.#module
  }

  /** Why the last attempt failed, until the next one. */
  get fault(): unknown {
    return this.#fault
  }

  /** load resolves when the module is loaded or the attempt failed; it never rejects. */
  load(): Promise<void> {
    if (this.#module !== undefined) return Promise.resolve()
    this.#fault = undefined
    this.#loading ??= this.#fetch()
      .then(
        (module) => {
          this.#module = module
          this.#loaded()
        },
        (thrown: unknown) => {
          this.#fault = thrown ?? new Error(t`The program sent nothing.`)
        },
      )
      .finally(() => {
        this.#loading = undefined
      })
    return this.#loading
  }

  /** need loads the module, and rejects if that fails. */
  async need(): Promise<M> {
    await this.load()
    if (this.#module === undefined) throw this.#fault
    return this.#module
  }

  /** use calls act with the module: at once if it is loaded, or else when it is, also after a failure. */
  use(act: (module: M) => void): void {
    if (this.#module !== undefined) return act(this.#module)
    void this.#success.then(() => act(this.#module!))
    void this.load()
  }
}

/** retryActions are what a person can do if a module could not be loaded. */
export const retryActions = (module: LazyModule<unknown>): { label: string; run: () => void }[] => [
  { label: t`Try again`, run: () => void module.load() },
  // A newer program has other files: only a new page knows their names.
  { label: t`Reload the page`, run: () => location.reload() },
]

/** idle resolves when the window is idle, or after half a second. */
export function idle(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve(), { timeout: 500 })
    // WebKit has no idle callback: after the next frame is the next best. (Not by a
    // MessageChannel: an unclosed one stays for as long as the page lives.)
    else requestAnimationFrame(() => requestAnimationFrame(() => resolve()))
  })
}

/**
 * loadWhenIdle loads one module after another, each when the window is idle. A failure is reported only when the module is
 * needed.
 */
export async function loadWhenIdle(modules: readonly LazyModule<unknown>[]): Promise<void> {
  for (const module of modules) {
    await idle()
    await module.load()
  }
}
