import { Fault } from '$lib/backend/fault'

/** Notices holds the failure that a notebook shows at its top: only the latest. */
export class Notices {
  #shown = $state.raw<Fault | undefined>()
  /** The failure to load the notebook or a part of it, while it lasts. */
  #passing: Fault | undefined

  /** The failure of the person's last action, or of loading. */
  get shown(): Fault | undefined {
    return this.#shown
  }

  /** say shows a failure. A stop by the person is not a failure. */
  say(thrown: unknown): void {
    const fault = Fault.from(thrown)
    if (fault.kind !== 'canceled') this.#shown = fault
  }

  /** meanwhile shows a lasting failure; undefined clears it. */
  meanwhile(text: string | undefined): void {
    if (this.#shown && this.#shown === this.#passing) this.#shown = undefined
    this.#passing = text === undefined ? undefined : new Fault('internal', text)
    if (this.#passing) this.#shown = this.#passing
  }

  dismiss(): void {
    this.#shown = undefined
  }
}
