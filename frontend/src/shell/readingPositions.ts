import type { settings } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import type { Place } from '$lib/ui/readingPosition'

type Kept = Pick<settings.UIState, 'places'>

/** The reading position in each notebook, by uuid; an unknown notebook starts at its end. */
export class Places implements Feature {
  readonly #changed: () => void
  readonly #known = new Map<string, settings.Place>()
  /** The positions that changed in this window: other windows may have newer positions of the rest. */
  readonly #mine = new Map<string, settings.Place>()

  constructor(changed: () => void) {
    this.#changed = changed
  }

  load({ ui }: { ui: Kept }, again: boolean): void {
    if (!again) for (const [uuid, place] of Object.entries(ui.places ?? {})) this.#known.set(uuid, place)
  }
  apply(): void {} // no event concerns it
  stop(): void {}

  get(uuid: string): Place | undefined {
    const place = this.#known.get(uuid)
    return place?.key ? place : undefined
  }

  set(uuid: string, place: Place | undefined): void {
    if (!place && !this.get(uuid)) return
    const now = { ...(place ?? { key: '', index: 0, into: 0, way: '', top: 0, height: 0 }), atMs: Date.now() }
    this.#known.set(uuid, now)
    this.#mine.set(uuid, now)
    this.#changed()
  }

  /** The positions to save; they are added to the saved ones. */
  kept(): Kept {
    return this.#mine.size > 0 ? { places: Object.fromEntries(this.#mine) } : {}
  }
}
