import { Fault, type Backend, type BackendEvent, type approval } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { t } from '$lib/language/language'

export type Rule = approval.Rule

/** The grants and denials, and the verdict on a command. Loaded while shown. */
export class RulesState implements Feature {
  readonly #backend: Backend
  readonly #failed: (title: string, fault: Fault) => void
  #rules = $state.raw<readonly Rule[]>()
  #fault = $state.raw<Fault>()
  #verdict = $state.raw<{ command: string; verdict: approval.Verdict }>()
  #problem = $state.raw<Fault>()
  #wanted = false
  #loads = 0
  #asks = 0

  constructor(backend: Backend, failed: (title: string, fault: Fault) => void) {
    this.#backend = backend
    this.#failed = failed
  }

  /** Newest first; undefined until loaded. */
  get rules(): readonly Rule[] | undefined {
    return this.#rules
  }
  /** Why they could not be loaded. */
  get fault(): Fault | undefined {
    return this.#fault
  }
  get verdict(): { command: string; verdict: approval.Verdict } | undefined {
    return this.#verdict
  }
  /** Why a command could not be checked. */
  get problem(): Fault | undefined {
    return this.#problem
  }

  /** Loads the rules and follows them until close. */
  open(): void {
    this.#wanted = true
    void this.reload()
  }
  close(): void {
    this.#wanted = false
    this.#verdict = this.#problem = undefined
    this.#asks++
  }
  load(): void {
    if (this.#wanted) void this.reload()
  }
  apply(e: BackendEvent): void {
    if (e.type === 'grantsChanged') this.load()
  }
  stop(): void {
    this.close()
  }

  /** Loads the rules; a newer load wins. */
  async reload(): Promise<void> {
    const mine = ++this.#loads
    try {
      const rules = (await this.#backend.call.ApprovalRules('')) ?? []
      if (mine !== this.#loads) return
      this.#rules = [...rules].reverse()
      this.#fault = undefined
    } catch (thrown) {
      if (mine === this.#loads) this.#fault = Fault.from(thrown)
    }
  }

  async revoke(rule: Rule): Promise<void> {
    const before = this.#rules
    this.#rules = before?.filter((r) => r.id !== rule.id)
    try {
      await this.#backend.call.RevokeApprovalRule(rule.id)
    } catch (thrown) {
      const fault = Fault.from(thrown)
      if (fault.kind !== 'notFound') this.#failed(t`Could not revoke the rule`, fault)
      await this.reload()
    }
  }

  /** Adds a rule, for the notebook at path unless it is permanent. Throws a Fault for the form to show. */
  async add(path: string, rule: Pick<Rule, 'tool' | 'pattern' | 'deny' | 'scope'>): Promise<void> {
    await this.#backend.call.AddApprovalRule(path, { id: '', atMs: 0, notebook: '', ...rule } as Rule)
    await this.reload()
  }

  /** Requests the verdict on a command in a notebook; the last request counts. */
  async simulate(path: string, command: string): Promise<void> {
    const mine = ++this.#asks
    try {
      const verdict = await this.#backend.call.SimulateCommand(path, command)
      if (mine !== this.#asks) return
      this.#verdict = { command, verdict }
      this.#problem = undefined
    } catch (thrown) {
      if (mine !== this.#asks) return
      this.#verdict = undefined
      this.#problem = Fault.from(thrown)
    }
  }
}
