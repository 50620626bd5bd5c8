import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import { Fault, type Backend, type BackendEvent, type builtin, type event } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import type { DotKind } from '$lib/ui/dot'
import { Output } from './output.svelte'
import { t } from '$lib/language/language'

type Task = event.Task

/**
 * TasksState is the list of running commands and of background commands that have ended; one of
 * them may be open with its output.
 */
export class TasksState implements Feature {
  readonly #backend: Backend
  readonly #failed: (title: string, fault: Fault) => void
  /** Tasks that the person stopped: an end by a signal is expected. */
  readonly #stopped = new SvelteSet<string>()
  readonly #tasks = new SvelteMap<string, Task>()
  /** Tasks that events changed while the list was loading: the events are newer. */
  #newer: Set<string> | undefined
  #loads = 0
  /** The outputs that are shown. */
  readonly #watched = new Set<Output>()
  #output = $state.raw<Output>()
  /** The last known state of the panel's task: it may leave the list while somebody reads. */
  #shown = $state.raw<Task>()
  #sandbox = $state.raw<builtin.Status>()
  readonly #list = $derived([...this.#tasks.values()].sort((a, b) => a.startedMs - b.startedMs))
  readonly #running = $derived(this.#list.filter((t) => t.endedMs === 0).length)

  constructor(backend: Backend, failed: (title: string, fault: Fault) => void) {
    this.#backend = backend
    this.#failed = failed
  }

  /** Oldest first. */
  get list(): readonly Task[] {
    return this.#list
  }
  get running(): number {
    return this.#running
  }
  /** The task whose panel is open. */
  get shown(): Task | undefined {
    return this.#shown && (this.#tasks.get(this.#shown.id) ?? this.#shown)
  }
  /** The command of a call by a notebook's agent, also one in the background. Models choose the ids of calls and may repeat them. */
  ofCall(notebook: string, callId: string): Task | undefined {
    return this.#list.findLast((t) => t.notebook === notebook && t.callId === callId)
  }
  /** The running commands of a notebook that belong to no call: they are in a prompt. */
  ofPrompt(notebook: string): Task[] {
    return this.#list.filter((t) => t.notebook === notebook && t.callId === '' && t.endedMs === 0)
  }
  get(id: string): Task | undefined {
    return this.#tasks.get(id)
  }
  /** Whether a task is on the list. */
  has(id: string): boolean {
    return this.#tasks.has(id)
  }
  /** The output of the panel's task. */
  get output(): Output | undefined {
    return this.#output
  }
  /** Whether commands are confined; undefined until it is known. */
  get sandbox(): builtin.Status | undefined {
    return this.#sandbox
  }

  load(): void {
    void this.reload()
  }

  /** Loads the list, at first and whenever events were missed. */
  async reload(): Promise<void> {
    const mine = ++this.#loads
    const newer = (this.#newer = new Set<string>())
    try {
      const list = (await this.#backend.call.Tasks()) ?? [] // Go may write an empty list as null
      if (mine !== this.#loads) return
      const there = new Set(list.map((t) => t.id))
      for (const id of [...this.#tasks.keys()]) if (!there.has(id) && !newer.has(id)) this.#tasks.delete(id)
      for (const t of list) if (!newer.has(t.id)) this.#tasks.set(t.id, t)
      for (const output of this.#watched) output.more(this.#tasks.get(output.id)?.bytes)
    } catch (thrown) {
      if (mine === this.#loads) this.#failed(t`Could not load the list of commands`, Fault.from(thrown))
    } finally {
      if (mine === this.#loads) this.#newer = undefined
    }
  }

  apply(e: BackendEvent): void {
    if (e.type !== 'taskChanged') return
    const { task, removed } = e.data
    this.#newer?.add(task.id)
    if (this.#shown?.id === task.id) this.#shown = task
    if (removed) this.#tasks.delete(task.id)
    else {
      this.#tasks.set(task.id, task)
      for (const output of this.#watched) if (output.id === task.id) output.more(task.bytes)
    }
  }

  open(id: string): void {
    this.close()
    const task = this.#tasks.get(id)
    if (!task) return
    this.#shown = task
    this.#output = this.watch(id)
    if (!this.#sandbox) void this.#askSandbox()
  }
  close(): void {
    if (this.#output) this.leave(this.#output)
    this.#output = this.#shown = undefined
  }

  stop(): void {
    this.close()
  }

  /** Follows the output of a task, all of it or its last lines, until leave. */
  watch(id: string, lastLines = false): Output {
    const output = new Output(this.#backend, id, lastLines)
    this.#watched.add(output)
    output.more(this.#tasks.get(id)?.bytes)
    return output
  }
  leave(output: Output): void {
    output.stop()
    this.#watched.delete(output)
  }

  async #askSandbox(): Promise<void> {
    try {
      this.#sandbox = await this.#backend.call.Sandbox()
    } catch {
      // Each task reports whether it is confined; only the reason is missing.
    }
  }

  /** The state of a task. */
  stateOf(task: Task): TaskState {
    if (task.endedMs === 0) return 'running'
    if (task.exitCode === -1 || (task.exitCode > 128 && this.#stopped.has(task.id))) return 'stopped'
    return task.exitCode === 0 ? 'done' : 'failed'
  }

  kill(id: string): Promise<boolean> {
    this.#stopped.add(id)
    return this.#do(t`Could not stop the command`, () => this.#backend.call.KillTask(id))
  }
  remove(id: string): Promise<boolean> {
    if (this.#shown?.id === id) this.close()
    return this.#do(t`Could not remove the command`, () => this.#backend.call.RemoveTask(id))
  }
  async removeEnded(): Promise<void> {
    await Promise.all(this.#list.filter((t) => t.endedMs !== 0).map((t) => this.remove(t.id)))
  }

  async #do(title: string, call: () => Promise<unknown>): Promise<boolean> {
    try {
      await call()
      return true
    } catch (thrown) {
      const fault = Fault.from(thrown)
      if (fault.kind === 'notFound') return true // it is already gone, as the event will say
      this.#failed(title, fault)
      return false
    }
  }
}

export type TaskState = 'running' | 'done' | 'stopped' | 'failed'

export const dots: Record<TaskState, DotKind> = { running: 'running', done: 'finished', stopped: 'standby', failed: 'failed' }

/** The state of a task, in a few words. */
export function words(state: TaskState, exitCode: number): string {
  if (state !== 'failed') return state
  return exitCode > 128 ? t`signal ${exitCode - 128}` : t`exit ${exitCode}`
}
