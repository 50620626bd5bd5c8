import { Fault, type acp, type Backend, type BackendEvent, type notebook } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { Follower } from '$lib/follow/follower'
import { t } from '$lib/language/language'
import { visible } from '$lib/ui/visible'

/** The delay between an event and the next request, in milliseconds: an agent that starts causes several. */
const changedMs = 100

/** What the metadata of a notebook that another agent answers name as its provider. */
export const acpProvider = 'acp'

/** The agent that answers a notebook, by its id; "" if a model does. */
export const answererOf = (meta: Pick<notebook.MetaView, 'provider' | 'model'> | undefined): string =>
  meta?.provider === acpProvider ? (meta.model ?? '') : ''

/** A notebook, and the agent that answers it. */
interface Session {
  path: string
  agent: string
}

interface Host {
  failed: (title: string, fault: Fault) => void
  done: (title: string, detail: string) => void
}

/**
 * AcpState holds the agents on this computer that can answer notebooks, and what the one that
 * answers the notebook on view offers for it (SPEC 14.1).
 */
export class AcpState implements Feature {
  readonly #backend: Backend
  readonly #host: Host
  readonly #lister: Follower<'', acp.View[]>
  readonly #sessions: Follower<Session, acp.SessionView>
  #agents = $state.raw<readonly acp.View[]>([])
  #fault = $state.raw<Fault>()
  #of = $state.raw<Session>()
  #session = $state.raw<{ of: Session; view: acp.SessionView }>()
  /** The person does not want to use an agent of this computer now. */
  #declined = $state.raw(false)
  /** The agents to which the person is signing in, and choices that are on their way. */
  #signing = $state.raw<ReadonlySet<string>>(new Set())
  #chosen = $state.raw<Record<string, string>>({})

  constructor(backend: Backend, host: Host) {
    this.#backend = backend
    this.#host = host
    this.#lister = new Follower({
      ask: () => backend.call.ACPAgents(),
      subject: () => '',
      answered: (agents) => {
        this.#agents = agents ?? []
        this.#fault = undefined
      },
      failed: (fault) => {
        if (fault.kind !== 'canceled') this.#fault = fault
      },
    })
    this.#sessions = new Follower({
      ask: ({ path }) => backend.call.ACPSession(path),
      subject: ({ path, agent }) => `${agent}\n${path}`,
      answered: (view, of) => {
        this.#session = { of, view }
        this.#chosen = {}
      },
      failed: () => (this.#session = undefined),
    })
  }

  /** All agents: of the settings, found ones, and known ones that are not on this computer. */
  get agents(): readonly acp.View[] {
    return this.#agents
  }
  /** Why the last request for the agents failed. */
  get fault(): Fault | undefined {
    return this.#fault
  }
  /** The agents that can answer, or could after a sign-in. */
  get here(): readonly acp.View[] {
    return this.#agents.filter((a) => a.state === 'ready' || a.state === 'signIn')
  }
  get ready(): readonly acp.View[] {
    return this.#agents.filter((a) => a.state === 'ready')
  }
  /** The agents to offer to somebody who has connected no provider; none after decline. */
  get offered(): readonly acp.View[] {
    return this.#declined ? [] : this.ready
  }
  decline(): void {
    this.#declined = true
  }
  agent(id: string): acp.View | undefined {
    return this.#agents.find((a) => a.id === id)
  }
  /** The name of an agent; its id if it is not known. "" for none. */
  nameOf(id: string | undefined): string {
    return id ? visible(this.agent(id)?.name || id) : ''
  }
  /** That an agent answers, in a sentence; "" for none. */
  wordsOf(id: string | undefined): string {
    return id ? t`${this.nameOf(id)} answers, over ACP` : ''
  }

  /** What the agent that answers the notebook on view offers and says; undefined if it said nothing yet. */
  get session(): acp.SessionView | undefined {
    const { of, view } = this.#session ?? {}
    return of && of.path === this.#of?.path && of.agent === this.#of.agent ? view : undefined
  }
  /** The choices that it offers, with the person's latest. */
  get options(): readonly acp.Option[] {
    return (this.session?.options ?? []).map((o) => ({ ...o, value: this.#chosen[o.id] ?? o.value }))
  }
  /** follow sets the notebook on view and the agent that answers it; "" for none. */
  follow(path: string, agent: string): void {
    if (this.#of?.path === path && this.#of.agent === agent) return
    this.#chosen = {}
    if (!path || !agent) {
      this.#of = undefined
      this.#sessions.stop()
    } else {
      this.#of = { path, agent }
      this.#sessions.ask(this.#of)
    }
  }
  /** choose makes a choice that the agent offers; it shows at once. */
  async choose(option: string, value: string): Promise<void> {
    const path = this.#of?.path
    if (path === undefined) return
    this.#chosen = { ...this.#chosen, [option]: value }
    const done = await this.#do(t`Could not change what ${this.nameOf(this.#of?.agent)} uses`, () =>
      this.#backend.call.SetACPOption(path, option, value),
    )
    if (!done) this.#chosen = {}
    this.#sessions.again(changedMs)
  }

  /** Whether a sign-in to an agent is under way. */
  signsIn(id: string): boolean {
    return this.#signing.has(id)
  }
  async signIn(id: string, method: string): Promise<void> {
    if (this.#signing.has(id)) return
    this.#signing = new Set([...this.#signing, id])
    const name = this.nameOf(id)
    if (await this.#do(t`Could not sign in to ${name}`, () => this.#backend.call.SignInACPAgent(id, method)))
      this.#host.done(t`Signed in to ${name}`, t`It can answer notebooks now.`)
    this.#signing = new Set([...this.#signing].filter((other) => other !== id))
    this.retry()
  }
  /** save adds an agent to the settings, or changes it. It reports whether it did. */
  async save(agent: acp.Input): Promise<boolean> {
    const title = agent.id ? t`Could not change ${visible(agent.name)}` : t`Could not add ${visible(agent.name)}`
    const done = await this.#do(title, () => this.#backend.call.AddACPAgent(agent))
    if (done) this.retry()
    return done
  }
  async remove(id: string): Promise<void> {
    await this.#do(t`Could not remove ${this.nameOf(id)}`, () => this.#backend.call.RemoveACPAgent(id))
    this.retry()
  }
  /** openHome opens the page that says how to install an agent. */
  async openHome(agent: acp.View): Promise<void> {
    await this.#do(t`Could not open the page of ${visible(agent.name)}`, () => this.#backend.openLink(agent.home))
  }
  /** retry looks for agents again. */
  retry(): void {
    this.#lister.again(changedMs)
  }

  load(): void {
    // Not awaited: the first frame does not need it.
    this.#lister.ask('')
    this.#sessions.again()
  }
  apply(e: BackendEvent): void {
    if (e.type === 'acpAgentsChanged' || e.type === 'settingsChanged') this.#lister.again(changedMs)
    else if (e.type === 'acpSessionChanged' && e.data.path === this.#of?.path) this.#sessions.again(changedMs)
  }
  stop(): void {
    this.#lister.stop()
    this.#sessions.stop()
  }

  async #do(title: string, what: () => Promise<unknown>): Promise<boolean> {
    try {
      await what()
      return true
    } catch (thrown) {
      this.#host.failed(title, Fault.from(thrown))
      return false
    }
  }
}
