import { SvelteMap } from 'svelte/reactivity'
import { Fault, type Backend, type checkpoint } from '$lib/backend/backend'
import { filesWords } from './words'
import { gap, t } from '$lib/language/language'
import { ofProgram } from '$lib/language/program'

/** The prompt to go back to. */
export interface Target {
  path: string
  cell: string
  /** The number that the gutter shows. */
  number: number
}

/** The parts to restore. */
export type What = 'files' | 'conversation' | 'both'

export interface RestoreHost {
  /** Sends a notebook's drafts; false if they did not arrive. */
  flush(path: string): Promise<boolean>
  /** Reports a change to the work of a notebook's agent, and offers to undo it. */
  done(path: string, title: string, detail: string, undo?: () => void): void
  failed(title: string, fault: Fault): void
}

/**
 * RestoreState restores the state before a prompt: it shows the effect on each file, lets the
 * person choose, carries it out, and undoes it.
 */
export class RestoreState {
  readonly #backend: Backend
  readonly #host: RestoreHost
  readonly #choices = new SvelteMap<string, checkpoint.Choice>()
  #target = $state.raw<Target>()
  #plan = $state.raw<checkpoint.Plan>()
  #fault = $state.raw<Fault>()
  #stale = $state('')
  #busy = $state<What>()
  #asked = 0

  constructor(backend: Backend, host: RestoreHost) {
    this.#backend = backend
    this.#host = host
  }

  /** The prompt whose dialog is open. */
  get shown(): Target | undefined {
    return this.#target
  }
  /** The plan; undefined until it is known. */
  get plan(): checkpoint.Plan | undefined {
    return this.#plan
  }
  /** Why there is no plan: nothing was recorded (kind notFound), or a failure. */
  get fault(): Fault | undefined {
    return this.#fault
  }
  /** The failure of the last attempt. */
  get problem(): string {
    return this.#stale
  }
  get busy(): What | undefined {
    return this.#busy
  }

  open(target: Target): Promise<void> {
    this.#target = target
    this.#plan = this.#fault = undefined
    this.#stale = ''
    this.#choices.clear()
    return this.#ask()
  }
  close(): void {
    if (this.#busy) return
    this.#asked++
    this.#target = undefined
  }
  retry(): Promise<void> {
    this.#fault = undefined
    this.#stale = ''
    return this.#ask()
  }

  /** Files that this agent changed, as far as known. */
  get own(): readonly checkpoint.Restore[] {
    return (this.#plan?.files ?? []).filter((f) => !f.uncertain)
  }
  /** Files that changed while commands ran and may be somebody else's: the person chooses. */
  get uncertain(): readonly checkpoint.Restore[] {
    return (this.#plan?.files ?? []).filter((f) => f.uncertain)
  }
  /** Why they are uncertain, if all have the same reason. */
  get doubt(): string {
    const whys = new Set(this.uncertain.filter((f) => !f.conflict).map((f) => f.why ?? ''))
    return whys.size === 1 ? ([...whys][0] ?? '') : ''
  }
  /** Selects or deselects all except conflicts, which are chosen one by one. */
  chooseUncertain(take: boolean): void {
    for (const f of this.uncertain) if (!f.conflict) this.choose(f, take)
  }

  /** Whether a file would be restored: conflicts and uncertain files only by choice. */
  takes(file: checkpoint.Restore): boolean {
    if (file.action === 'unable' || !this.#emptied(file)) return false
    return (this.#choices.get(file.path) ?? (file.conflict || file.uncertain ? 'leave' : 'take')) === 'take'
  }
  /** A folder is removed only with everything in it. */
  #emptied(folder: checkpoint.Restore): boolean {
    if (folder.from.kind !== 'folder' || folder.action !== 'remove') return true
    const inside = (path: string) => path.startsWith(folder.path) && /[\\/]/.test(path.charAt(folder.path.length))
    return (this.#plan?.files ?? []).every((f) => !inside(f.path) || this.takes(f))
  }
  choose(file: checkpoint.Restore, take: boolean): void {
    if (file.action !== 'unable') this.#choices.set(file.path, take ? 'take' : 'leave')
  }
  /** Whether the person can choose about a file. */
  free(file: checkpoint.Restore): boolean {
    return file.action !== 'unable' && this.#emptied(file)
  }
  /** The number of files that would be restored. */
  get taken(): number {
    return (this.#plan?.files ?? []).filter((f) => this.takes(f)).length
  }

  async #ask(): Promise<void> {
    const target = this.#target
    if (!target) return
    const mine = ++this.#asked
    try {
      const plan = await this.#backend.call.RestorePlan(target.path, target.cell)
      if (mine !== this.#asked) return
      this.#plan = plan
      this.#fault = undefined
    } catch (thrown) {
      if (mine !== this.#asked) return
      this.#plan = undefined
      this.#fault = Fault.from(thrown)
    }
  }

  /** Carries out the decision and closes the dialog; false if it failed. */
  async apply(what: What): Promise<boolean> {
    const target = this.#target
    const plan = this.#plan
    if (!target || this.#busy || (what !== 'conversation' && !plan)) return false
    this.#busy = what
    this.#stale = ''
    try {
      if (!(await this.#host.flush(target.path))) throw new Fault('conflict', t`What you typed is not saved yet.`)
      const before = what === 'files' ? undefined : await this.#branches(target)
      let applied: checkpoint.Applied = { id: '', restored: [], left: [] }
      if (what !== 'conversation' && plan) {
        const choices = Object.fromEntries(plan.files.map((f): [string, checkpoint.Choice] => [f.path, this.takes(f) ? 'take' : 'leave']))
        applied = await this.#backend.call.Restore(target.path, target.cell, plan.token, choices, what === 'both')
      } else await this.#backend.call.Edit(target.path, [{ kind: 'rewind', cell: target.cell }], '')
      this.#target = undefined
      this.#asked++
      this.#report(target, applied, what, before)
      return true
    } catch (thrown) {
      const fault = Fault.from(thrown)
      this.#stale = fault.message
      if (fault.kind === 'conflict') await this.#ask()
      return false
    } finally {
      this.#busy = undefined
    }
  }

  #report(target: Target, applied: checkpoint.Applied, what: What, before: ReadonlySet<string> | undefined): void {
    const files = applied.restored.length
    const stays = applied.conversation
    const title =
      what === 'conversation'
        ? t`The conversation went back`
        : what === 'both' && !stays
          ? t`${filesWords(files)} and the conversation went back`
          : files
            ? t`${filesWords(files)} went back`
            : t`No file went back`
    const undo = applied.id || before ? () => void this.undo(target, applied.id, before) : undefined
    this.#host.done(
      target.path,
      title,
      [stays ? t`The conversation stays as it is: ${stays.message}.` : '', leftWords(applied)].filter((w) => w !== '').join(gap),
      undo,
    )
  }

  /** Undoes a restore: the files by its id, the conversation by the earlier branches. */
  async undo(target: Target, id: string, before: ReadonlySet<string> | undefined): Promise<void> {
    try {
      let applied: checkpoint.Applied | undefined
      if (id) applied = await this.#backend.call.UndoRestore(target.path, id)
      if (before) {
        const aside = [...(await this.#branches(target))].find((b) => !before.has(b))
        if (aside) await this.#backend.call.Edit(target.path, [{ kind: 'restore', branch: aside }], '')
      }
      const left = applied ? leftWords(applied) : ''
      this.#host.done(
        target.path,
        applied ? t`The restore was taken back: ${filesWords(applied.restored.length)}` : t`The restore was taken back`,
        left,
      )
    } catch (thrown) {
      this.#host.failed(t`Could not take the restore back`, Fault.from(thrown))
    }
  }

  /** The branches at the prompt. */
  async #branches(target: Target): Promise<Set<string>> {
    const { state } = await this.#backend.notebook(target.path)
    return new Set((state.branches ?? []).filter((b) => b.cell === target.cell).map((b) => b.id))
  }
}

/** The number of files that were left, in a few words. */
function leftWords(applied: checkpoint.Applied): string {
  const troubles = applied.left.filter((l) => l.why)
  const first = troubles[0]
  const chosen = applied.left.length - troubles.length
  const parts = chosen ? [t`${filesWords(chosen)} left as ${chosen === 1 ? t`it is` : t`they are`} by choice.`] : []
  if (first)
    parts.push(
      t`Could not restore ${first.path.slice(first.path.lastIndexOf('/') + 1)}: ${ofProgram(first.why)}${troubles.length > 1 ? t` And ${troubles.length - 1} more.` : ''}`,
    )
  return parts.join(gap)
}
