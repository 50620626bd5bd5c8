import { SvelteSet } from 'svelte/reactivity'
import { Fault } from '$lib/backend/backend'
import { toolOf } from '$lib/tools'
import type { Request } from './words'

/** The pause in typing before the edit is checked. */
export const checkDelayMs = 300

/** Returns the request with other arguments; with "" the original, including every line of its changes. */
export type Check = (args: string) => Promise<Request>

/**
 * The preview of a request while the person edits it: the command and the difference for the
 * current arguments, and the excluded hunks. The last request counts; a late answer is dropped.
 */
export class Edited {
  readonly #request: Request
  readonly #check: Check
  readonly fixed: boolean
  readonly #left = new SvelteSet<string>()
  #seen = $state.raw<Request>()
  #fault = $state.raw<Fault>()
  #checking = $state(false)
  #timer: ReturnType<typeof setTimeout> | undefined
  #asks = 0

  /** fixed: the call is made whole or not at all. */
  constructor(request: Request, check: Check, fixed = false) {
    this.#request = request
    this.#check = check
    this.fixed = fixed
  }

  /** The request as it would be decided now. */
  get request(): Request {
    return this.#seen ?? this.#request
  }
  /** Whether the preview is older than the typed text. */
  get checking(): boolean {
    return this.#checking
  }
  /** Whether all lines that can be shown were requested. */
  get asked(): boolean {
    return this.#seen !== undefined
  }
  /** The problem of the current arguments. */
  get fault(): Fault | undefined {
    return this.#fault
  }

  /** The arguments changed: checks them when typing pauses. */
  typed(args: string): void {
    this.#left.clear()
    clearTimeout(this.#timer)
    this.#asks++
    this.#checking = true
    this.#timer = setTimeout(() => void this.#ask(args), checkDelayMs)
  }
  /** Loads all lines of the changes; the request holds only some of them. */
  async whole(args: string): Promise<void> {
    this.#checking = true
    await this.#ask(args)
  }
  /** Restores the agent's arguments. */
  reset(): void {
    clearTimeout(this.#timer)
    this.#asks++
    this.#left.clear()
    this.#checking = false
    this.#seen = this.#fault = undefined
  }

  async #ask(args: string): Promise<void> {
    const mine = ++this.#asks
    try {
      const seen = await this.#check(args)
      if (mine !== this.#asks) return
      this.#seen = seen
      this.#fault = undefined
    } catch (thrown) {
      if (mine !== this.#asks) return
      this.#fault = Fault.from(thrown)
    }
    this.#checking = false
  }

  /** The hunks that can be taken or left; none if there is only one. */
  get parts(): readonly string[] {
    const hunks = this.request.changes?.length === 1 ? (this.request.changes[0]!.hunks ?? []) : []
    const pickable = toolOf(this.request.tool)?.writes !== undefined
    return pickable && !this.fixed && hunks.length > 1 ? hunks : []
  }
  takes(hunk: string): boolean {
    return !this.#left.has(hunk)
  }
  take(hunk: string, on: boolean): void {
    if (on) this.#left.delete(hunk)
    else this.#left.add(hunk)
  }
  /** The hunks that the person excluded. */
  get left(): string[] {
    return this.parts.filter((h) => this.#left.has(h))
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#asks++
  }
}
