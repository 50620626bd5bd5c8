import { Fault, type Backend, type approval } from '$lib/backend/backend'

export type Rule = approval.Rule

/** What is granted and denied, and what would become of a command. Loaded while somebody looks at it. */
export class RulesState {
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

  /** Newest first; undefined until they are loaded. */
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
  /** Why a command could not be looked at. */
  get problem(): Fault | undefined {
    return this.#problem
  }

  /** Keeps the rules loaded until close. */
  open(): void {
    this.#wanted = true
    void this.load()
  }
  close(): void {
    this.#wanted = false
    this.#verdict = this.#problem = undefined
    this.#asks++
  }
  /** The rules have changed. */
  changed(): void {
    if (this.#wanted) void this.load()
  }

  /** Loads the rules; a newer load wins. */
  async load(): Promise<void> {
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
      if (fault.kind !== 'notFound') this.#failed('Could not revoke the rule', fault)
      await this.load()
    }
  }

  /** Adds a rule. It throws a Fault, for the form to show. */
  async add(rule: Pick<Rule, 'tool' | 'pattern' | 'deny' | 'scope' | 'notebook'>): Promise<void> {
    await this.#backend.call.AddApprovalRule({ id: '', atMs: 0, ...rule } as Rule)
    await this.load()
  }

  /** Asks what would happen to a command in a notebook; the last one that was asked counts. */
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
