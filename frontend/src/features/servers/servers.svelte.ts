import { Fault, type Backend, type BackendEvent, type imports, type mcp } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { Follower } from '$lib/follow/follower'
import { comma, t } from '$lib/language/language'
import { visible } from '$lib/ui/visible'

/** The delay between an event and the next request for the servers, in milliseconds: many start at the same time. */
const changedMs = 100

/** What a person entered to add servers. */
interface Entered {
  name: string
  text: string
}

interface Host {
  failed: (title: string, fault: Fault) => void
  /** Shows a message that stays until the person has read it, with an action. */
  ask: (title: string, detail: string, action: { label: string; run: () => void }) => void
  /** Removes the message of ask: it is done. */
  done: (title: string) => void
  /** Shows the servers in the settings. */
  look: () => void
}

const held = (name: string) => t`Tools of ${visible(name)} changed since you allowed them`

/** ServersState holds the configured MCP servers while they are shown, and starts and stops them. */
export class ServersState implements Feature {
  readonly #backend: Backend
  readonly #host: Host
  readonly #follower: Follower<string, mcp.Listing>
  #listing = $state.raw<mcp.Listing>()
  #fault = $state.raw<Fault>()
  #log = $state.raw<{ server: string; text: string }>()
  #change = $state.raw<mcp.ToolChange>()
  #found = $state.raw<readonly imports.Found[]>()
  readonly #reader: Follower<Entered, imports.EnteredServers>
  #entered = $state.raw<imports.EnteredServers>()
  /** How many places show the servers. */
  #followers = 0

  constructor(backend: Backend, host: Host) {
    this.#backend = backend
    this.#host = host
    this.#follower = new Follower({
      ask: () => backend.call.Servers(),
      subject: () => '',
      answered: (listing) => {
        this.#listing = listing
        this.#fault = undefined
      },
      failed: (fault) => {
        if (fault.kind !== 'canceled') this.#fault = fault
      },
    })
    this.#reader = new Follower({
      ask: ({ name, text }) => backend.call.EnteredServers(name, text),
      subject: ({ name, text }) => `${name}\n${text}`,
      answered: (entered) => (this.#entered = entered),
      failed: (fault) => {
        if (fault.kind !== 'canceled') this.#entered = { servers: [], problem: fault.message }
      },
    })
  }

  /** The servers; undefined until they are known. */
  get listing(): mcp.Listing | undefined {
    return this.#listing
  }
  get fault(): Fault | undefined {
    return this.#fault
  }
  /** The server whose log is open, with its last lines. */
  get log(): { server: string; text: string } | undefined {
    return this.#log
  }

  /** The servers of other programs, while the list is open. */
  get found(): readonly imports.Found[] | undefined {
    return this.#found
  }
  /** showFound looks for servers that other programs have set up; a second call closes the list. */
  async showFound(): Promise<void> {
    if (this.#found) {
      this.#found = undefined
      return
    }
    await this.#do(t`Could not look for servers`, async () => {
      this.#found = await this.#backend.call.FoundServers()
    })
  }
  /** take copies a server of another program into the settings, its keys into the keyring. */
  take(path: string, name: string): Promise<void> {
    return this.#do(t`Could not import ${name}`, async () => {
      await this.#backend.call.ImportServer(path, name)
      this.#found = await this.#backend.call.FoundServers()
    })
  }

  /** The servers that the text to add sets up, or why it sets up none; undefined for no text. */
  get entered(): imports.EnteredServers | undefined {
    return this.#entered
  }
  /** read finds out which servers a text sets up. */
  read(name: string, text: string): void {
    if (text.trim()) this.#reader.ask({ name, text }, changedMs)
    else {
      this.#reader.stop()
      this.#entered = undefined
    }
  }
  /** add adds the servers that a text sets up to the settings, their keys to the keyring. It reports whether it did. */
  async add(name: string, text: string): Promise<boolean> {
    let added = false
    await this.#do(t`Could not add the server`, async () => {
      await this.#backend.call.AddServers(name, text)
      added = true
    })
    return added
  }
  /** remove removes a server from the settings, with its sign-in and its keys. */
  remove(name: string): Promise<void> {
    return this.#do(t`Could not remove ${name}`, () => this.#backend.call.RemoveServer(name))
  }

  /** The difference between a tool and the definition that the person allowed, for the tool on show. */
  get change(): mcp.ToolChange | undefined {
    return this.#change
  }

  /** follow keeps the list up to date until the returned function is called. */
  follow(): () => void {
    if (++this.#followers === 1 || !this.#listing) this.#follower.ask('')
    return () => {
      if (--this.#followers > 0) return
      this.#log = undefined
      this.#change = undefined
      this.#found = undefined
      this.read('', '')
      this.#follower.stop()
    }
  }
  retry(): void {
    this.#fault = undefined
    this.#follower.again()
  }

  /** start stops a server if it runs, and starts it. */
  start(name: string): Promise<void> {
    return this.#do(t`Could not start ${name}`, () => this.#backend.call.RestartServer(name))
  }
  end(name: string): Promise<void> {
    return this.#do(t`Could not stop ${name}`, () => this.#backend.call.StopServer(name))
  }
  /** showLog reads the last lines of a server; a second call closes them. */
  async showLog(name: string): Promise<void> {
    if (this.#log?.server === name) {
      this.#log = undefined
      return
    }
    await this.#do(t`Could not read the log of ${name}`, async () => {
      this.#log = { server: name, text: await this.#backend.call.ServerLog(name) }
    })
  }
  /** showChange shows how a tool differs from what the person allowed; a second call closes it. */
  async showChange(server: string, tool: string): Promise<void> {
    if (this.#change?.server === server && this.#change.tool === tool) {
      this.#change = undefined
      return
    }
    await this.#do(t`Could not show what changed in ${tool}`, async () => {
      this.#change = await this.#backend.call.ToolChange(server, tool)
    })
  }
  /** accept lets agents use a tool as it was shown; a tool that changed again is shown again. */
  async accept(change: mcp.ToolChange): Promise<void> {
    this.#change = undefined
    this.#host.done(held(change.server))
    await this.#do(t`Could not accept the change of ${change.tool}`, () =>
      this.#backend.call.AcceptTool(change.server, change.tool, change.hash),
    )
  }

  load(): void {
    this.#follower.again()
  }
  apply(e: BackendEvent): void {
    if (e.type === 'toolsHeld') {
      const { server, tools } = e.data
      const names = tools.slice(0, 5).map(visible).join(comma) + (tools.length > 5 ? ', …' : '')
      this.#host.done(held(server))
      this.#host.ask(held(server), t`No agent is offered them until you accept the change: ${names}`, {
        label: t`Look`,
        run: () => this.#host.look(),
      })
      return
    }
    if (this.#followers === 0) return
    switch (e.type) {
      case 'contextChanged':
        if (e.data.path !== '') return
        break
      case 'serversChanged':
      case 'settingsChanged':
      case 'trustChanged':
        break
      default:
        return
    }
    this.#follower.again(changedMs)
  }
  stop(): void {
    this.#follower.stop()
  }

  async #do(title: string, what: () => Promise<void>): Promise<void> {
    try {
      await what()
    } catch (thrown) {
      this.#host.failed(title, Fault.from(thrown))
    }
    // An import emits no event.
    if (this.#followers > 0) this.#follower.again(changedMs)
  }
}
