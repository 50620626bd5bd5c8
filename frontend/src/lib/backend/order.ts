import { Fault } from './fault'
import { wait } from './wait'

/**
 * Calls whose first argument is no notebook, and calls that only look. They are
 * sent at once. Every other call about a notebook waits for the one before:
 * neither Wails nor HTTP keeps the order of calls that are not awaited.
 */
const unordered: ReadonlySet<string> = new Set([
  // By an id or a name of something else.
  'ResolveApproval', 'HoldApproval', 'PreviewApproval', 'AddApprovalRule', 'RevokeApprovalRule',
  'TaskOutput', 'KillTask', 'RemoveTask', 'RecallWorktree', 'DiscardLeftWorktree',
  'DeleteProvider', 'SetKey', 'TestConnection', 'OpenExternal', 'OpenFolder',
  // They change nothing.
  'Context', 'Conflict', 'Changes', 'RestorePlan', 'Timeline', 'Hands', 'Worktree', 'ApprovalRules', 'SimulateCommand',
  'InsertPaths', 'PasteFromClipboard', 'RevealNotebook', 'RevealFile', 'RevealWorktree',
])
/** They end work. They wait their turn for a moment only: a call that hangs does not keep them. */
const stops: ReadonlySet<string> = new Set(['Stop', 'StopTree'])
/** They begin work. */
const starts: ReadonlySet<string> = new Set(['Run', 'Continue', 'Resume', 'SendNow'])

/** How long a stop waits for the calls before it, in milliseconds. */
const patienceMs = 2000

interface Call {
  name: string
  args: unknown[]
  answer: (value: unknown) => void
  fail: (thrown: unknown) => void
  /** It is sent once that resolved, and not at all when it rejects. */
  after: Promise<unknown> | undefined
}
interface Line {
  /** The call that is under way. */
  sent: Call
  waiting: Call[]
}

/** InOrder sends the calls about each notebook one after the other. */
export class InOrder {
  readonly #send: (name: string, args: unknown[]) => Promise<unknown>
  readonly #lines = new Map<string, Line>()

  constructor(send: (name: string, args: unknown[]) => Promise<unknown>) {
    this.#send = send
  }

  /** call takes its place in the line at once, also when it waits for more than that. */
  call(name: string, args: unknown[], after?: Promise<unknown>): Promise<unknown> {
    const path = args[0]
    if (typeof path !== 'string' || unordered.has(name)) return after ? after.then(() => this.#send(name, args)) : this.#send(name, args)
    return new Promise((answer, fail) => {
      const call: Call = { name, args, answer, fail, after }
      const line = this.#lines.get(path)
      if (!line) return this.#go(path, { sent: call, waiting: [] })
      line.waiting.push(call)
      if (stops.has(name)) void wait(patienceMs).then(() => this.#overtake(path, call))
    })
  }

  /** Sends the first call of a line, and then the others. */
  #go(path: string, line: Line): void {
    this.#lines.set(path, line)
    void this.#sendOne(line.sent).then(() => {
      const next = line.waiting.shift()
      if (!next) this.#lines.delete(path)
      else {
        line.sent = next
        this.#go(path, line)
      }
    })
  }

  /** Sends a stop before the calls that still wait. What would begin work after it is not sent at all. */
  #overtake(path: string, stop: Call): void {
    const line = this.#lines.get(path)
    const at = line?.waiting.indexOf(stop) ?? -1
    if (!line || at < 0) return
    const before = line.waiting.slice(0, at)
    line.waiting = [...before.filter((c) => !starts.has(c.name)), ...line.waiting.slice(at + 1)]
    // A start that is under way may arrive after the stop: it is stopped again.
    if (starts.has(line.sent.name)) line.waiting.unshift({ name: stop.name, args: stop.args, answer: () => {}, fail: () => {}, after: undefined })
    for (const c of before) if (starts.has(c.name)) c.fail(new Fault('canceled', 'Stopped before it began.'))
    void this.#sendOne(stop)
  }

  async #sendOne(call: Call): Promise<void> {
    try {
      if (call.after) await call.after
      call.answer(await this.#send(call.name, call.args))
    } catch (thrown) {
      call.fail(thrown)
    }
  }
}
