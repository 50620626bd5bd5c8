import { SvelteSet } from 'svelte/reactivity'
import { Fault } from '$lib/backend/backend'
import type { Request } from './words'

/** For so long nobody types before what was typed is looked at. */
export const lookMs = 300

/** Gives a request as it would be with other arguments; "" for its own, with every line of its changes. */
export type Look = (args: string) => Promise<Request>

/**
 * What the person sees of a request while they change it: the command and the
 * difference of the arguments as they are now, and the parts of the change
 * that they do not want. The last question counts; a late answer is dropped.
 */
export class Edited {
  readonly #request: Request
  readonly #look: Look
  readonly #left = new SvelteSet<string>()
  #seen = $state.raw<Request>()
  #fault = $state.raw<Fault>()
  #looking = $state(false)
  #timer: ReturnType<typeof setTimeout> | undefined
  #asks = 0

  constructor(request: Request, look: Look) {
    this.#request = request
    this.#look = look
  }

  /** The request as it would be decided now. */
  get request(): Request {
    return this.#seen ?? this.#request
  }
  /** Whether what is shown is older than what was typed. */
  get looking(): boolean {
    return this.#looking
  }
  /** Whether it came with all lines that can be shown. */
  get asked(): boolean {
    return this.#seen !== undefined
  }
  /** What is wrong with the arguments as they are. */
  get fault(): Fault | undefined {
    return this.#fault
  }

  /** The arguments have changed: they are looked at when the typing rests. */
  typed(args: string): void {
    this.#left.clear()
    clearTimeout(this.#timer)
    this.#asks++
    this.#looking = true
    this.#timer = setTimeout(() => void this.#ask(args), lookMs)
  }
  /** All lines of the changes, which come in part at first. */
  async whole(args: string): Promise<void> {
    this.#looking = true
    await this.#ask(args)
  }
  /** The arguments are again those of the agent. */
  reset(): void {
    clearTimeout(this.#timer)
    this.#asks++
    this.#left.clear()
    this.#looking = false
    this.#seen = this.#fault = undefined
  }

  async #ask(args: string): Promise<void> {
    const mine = ++this.#asks
    try {
      const seen = await this.#look(args)
      if (mine !== this.#asks) return
      this.#seen = seen
      this.#fault = undefined
    } catch (thrown) {
      if (mine !== this.#asks) return
      this.#fault = Fault.from(thrown)
    }
    this.#looking = false
  }

  /** The parts of the change that can be taken or left: none when there is only one. */
  get parts(): readonly string[] {
    const hunks = this.request.changes?.length === 1 ? (this.request.changes[0]!.hunks ?? []) : []
    const pickable = this.request.tool === 'write_file' || this.request.tool === 'edit_file'
    return pickable && hunks.length > 1 ? hunks : []
  }
  takes(hunk: string): boolean {
    return !this.#left.has(hunk)
  }
  take(hunk: string, on: boolean): void {
    if (on) this.#left.delete(hunk)
    else this.#left.add(hunk)
  }
  /** The parts that the person does not want. */
  get left(): string[] {
    return this.parts.filter((h) => this.#left.has(h))
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#asks++
  }
}
