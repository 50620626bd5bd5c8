import { Fault, type Backend, type settings } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { t } from '$lib/language/language'

const savedAfterMs = 500

/** The parts of the layout that are saved together. */
export interface LayoutParts {
  /** The saved state of each part, without the size of the window. */
  parts(): Omit<settings.UIState, 'window'>
  failed(title: string, fault: Fault): void
}

/**
 * LayoutSaver saves the window's layout shortly after the last change, but not while a stored
 * layout is being restored.
 */
export class LayoutSaver implements Feature {
  readonly #backend: Backend
  readonly #of: LayoutParts
  #timer: ReturnType<typeof setTimeout> | undefined
  #restored = false
  #window: settings.WindowState = { width: 0, height: 0, maximised: false }

  constructor(backend: Backend, of: LayoutParts) {
    this.#backend = backend
    this.#of = of
  }

  /** Saves nothing until restored; returns whether a layout had been restored before. */
  restoring(): boolean {
    const before = this.#restored
    this.#restored = false
    return before
  }
  restored(): void {
    this.#restored = true
  }

  /** Stores the window's size, which only the program knows: it is sent back unchanged. */
  load({ ui }: { ui: settings.UIState }, again: boolean): void {
    if (!again) this.#window = ui.window
  }
  apply(): void {} // no event concerns it
  stop(): void {
    clearTimeout(this.#timer)
  }

  changed = (): void => {
    if (!this.#restored) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.save(), savedAfterMs)
  }

  /** Saves the layout immediately. */
  async save(): Promise<void> {
    clearTimeout(this.#timer)
    if (!this.#restored) return
    try {
      await this.#backend.call.SaveUI({ ...this.#of.parts(), window: this.#window })
    } catch (thrown) {
      this.#of.failed(t`Could not save how the window looks`, Fault.from(thrown))
    }
  }
}
