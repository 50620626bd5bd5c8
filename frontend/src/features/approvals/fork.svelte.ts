import { plural } from '$lib/format/number'
import { toolOf } from '$lib/tools'
import { absolute, inside, shortPlace } from './folderPaths'
import { objectOf, type Request } from './words'
import { comma, t } from '$lib/language/language'

/** A child in a call of self_fork; unknown fields are kept. */
type Raw = Record<string, unknown>

const textOf = (v: unknown): string => (typeof v === 'string' ? v : '')

/** The most agents that one call can start. */
const maxChildren = 20

let made = 0

/** Child is an agent to start, as the person edits it. */
export class Child {
  /** Stays the same while the card is open. */
  readonly key = ++made
  readonly #raw: Raw
  name = $state('')
  prompt = $state('')
  /** Folders that it may access; none: the parent's. */
  allowed = $state.raw<readonly string[]>([])
  /** "provider/model"; "": the parent's. */
  model = $state('')
  /** Name of a kind of agent; "": the parent's choice. */
  kind = $state('')
  worktree = $state(false)

  constructor(raw: Raw = {}) {
    this.#raw = raw
    this.name = textOf(raw.name)
    this.prompt = textOf(raw.prompt)
    this.allowed = Array.isArray(raw.allowed_uris) ? raw.allowed_uris.filter((u) => typeof u === 'string') : []
    this.model = textOf(raw.model)
    this.kind = textOf(raw.kind)
    this.worktree = raw.worktree === true
  }

  /** The child as arguments of the call, without empty fields that were missing before. */
  get raw(): Raw {
    const now: Raw = {
      name: this.name,
      prompt: this.prompt,
      allowed_uris: [...this.allowed],
      model: this.model,
      kind: this.kind,
      worktree: this.worktree,
    }
    const kept = Object.entries(now).filter(
      ([key, v]) => key in this.#raw || !(v === '' || v === false || (Array.isArray(v) && v.length === 0)),
    )
    return { ...this.#raw, ...Object.fromEntries(kept) }
  }
}

/** ForkDraft is the person's edit of a call that starts agents. */
export class ForkDraft {
  readonly #request: Request
  readonly #args: Raw
  readonly #was: string
  #children = $state.raw<readonly Child[]>([])

  constructor(request: Request, args: Raw, children: readonly Raw[]) {
    this.#request = request
    this.#args = args
    this.#children = children.map((c) => new Child(c))
    this.#was = this.arguments
  }

  /** The draft of a request that starts agents; undefined if its arguments are not such a call. */
  static of(request: Request): ForkDraft | undefined {
    if (toolOf(request.tool)?.as !== 'fork') return undefined
    const args = objectOf(request.arguments)
    const children = args?.children
    if (!args || !Array.isArray(children) || children.some((c) => typeof c !== 'object' || c === null || Array.isArray(c))) return undefined
    return new ForkDraft(request, args, children as Raw[])
  }

  get children(): readonly Child[] {
    return this.#children
  }
  /** Whether no more can be added. */
  get full(): boolean {
    return this.#children.length >= maxChildren
  }
  /** Adds an empty child at the end. */
  add(): Child {
    const child = new Child()
    this.#children = [...this.#children, child]
    return child
  }
  remove(child: Child): void {
    this.#children = this.#children.filter((c) => c !== child)
  }

  /** The current arguments of the call. */
  get arguments(): string {
    return JSON.stringify({ ...this.#args, children: this.#children.map((c) => c.raw) })
  }
  readonly changed: boolean = $derived.by(() => this.arguments !== this.#was)

  /** Why a child may not access a folder, or "". */
  refusal(folder: string): string {
    const { allowed, folder: base } = this.#request
    if (folder.trim() === '') return t`Write the path of a folder.`
    if (!allowed?.length || inside(folder, allowed, base)) return ''
    return t`${absolute(folder, base)} is outside of what the parent may touch: ${allowed.map((a) => shortPlace(a, base)).join(comma)}. A child never gets more.`
  }
  /** Gives a child one more folder; returns the problem, or "". */
  allow(child: Child, folder: string): string {
    const why = this.refusal(folder)
    if (why) return why
    const path = folder.trim()
    const base = this.#request.folder
    if (child.allowed.some((a) => absolute(a, base) === absolute(path, base))) return t`It is in the list already.`
    child.allowed = [...child.allowed, path]
    return ''
  }
  disallow(child: Child, folder: string): void {
    child.allowed = child.allowed.filter((a) => a !== folder)
  }

  /** The problem of a child, or "". */
  problemOf(child: Child): string {
    if (child.prompt.trim() === '') return t`${child.name.trim() ? `“${child.name.trim().slice(0, 80)}”` : t`An agent`} has no prompt.`
    const outside = child.allowed.find((a) => this.refusal(a) !== '')
    return outside === undefined ? '' : this.refusal(outside)
  }
  /** The problem of the whole call, or "". */
  readonly problem: string = $derived.by(() => {
    if (this.#children.length > maxChildren)
      return t`At most ${maxChildren} agents can be started in one call: remove ${this.#children.length - maxChildren}.`
    if (this.#children.length === 0) return t`No agent is left. Reject the call, or add one.`
    const wrong = this.#children.map((c) => this.problemOf(c)).filter(Boolean)
    return wrong.length > 1 ? t`${wrong[0]} (${plural(wrong.length - 1, 'more problem')} below.)` : (wrong[0] ?? '')
  })
}
