import { Fault, type Backend, type BackendEvent } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { t } from '$lib/language/language'
import { ofProgram } from '$lib/language/program'
import { visible } from '$lib/ui/visible'

interface Host {
  failed: (title: string, fault: Fault) => void
  /** Shows a message that stays until the person has read it, with an action. */
  ask: (title: string, detail: string, action: { label: string; run: () => void }) => void
  /** Removes the message: the matter is settled. */
  done: (title: string) => void
  say: (title: string, detail: string) => void
}

const wanted = (name: string) => t`${visible(name)} wants to know who you are`

/** SignIns signs the person in to MCP servers. A browser opens only when they press for it. */
export class SignIns implements Feature {
  readonly #backend: Backend
  readonly #host: Host

  constructor(backend: Backend, host: Host) {
    this.#backend = backend
    this.#host = host
  }

  /** begin asks the server where to sign in, and opens that page. The list of servers shows the progress. */
  begin(name: string): Promise<void> {
    this.#host.done(wanted(name))
    return this.#do(t`Could not sign in to ${visible(name)}`, async () => {
      const page = await this.#backend.call.SignInServer(name)
      await this.#backend.openLink(page.address)
    })
  }
  /** open opens the page again: the browser may not have appeared, or was closed. */
  open(name: string, address: string): Promise<void> {
    return this.#do(t`Could not sign in to ${visible(name)}`, () => this.#backend.openLink(address))
  }
  cancel(name: string): Promise<void> {
    return this.#do(t`Could not cancel the sign-in to ${visible(name)}`, () => this.#backend.call.CancelSignIn(name))
  }
  out(name: string): Promise<void> {
    return this.#do(t`Could not sign out of ${visible(name)}`, async () => {
      const note = await this.#backend.call.SignOutServer(name)
      if (note) this.#host.say(t`Signed out of ${visible(name)} here alone`, t`The server could not be told: ${visible(ofProgram(note))}`)
    })
  }

  load(): void {}
  apply(e: BackendEvent): void {
    if (e.type !== 'signInWanted') return
    const name = e.data.server
    this.#host.ask(wanted(name), t`An agent wanted to use this MCP server. Your browser opens when you sign in.`, {
      label: t`Sign in`,
      run: () => void this.begin(name),
    })
  }
  stop(): void {}

  async #do(title: string, what: () => Promise<void>): Promise<void> {
    try {
      await what()
    } catch (thrown) {
      this.#host.failed(title, Fault.from(thrown))
    }
  }
}
