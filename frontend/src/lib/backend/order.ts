import { Fault } from './fault'
import { wait } from './wait'

/**
 * Calls whose first argument is not a notebook, and calls that only read. They are sent at once.
 * Every other call about a notebook waits for the previous one: neither Wails nor HTTP keeps the
 * order of calls that are not awaited.
 */
const unordered: ReadonlySet<string> = new Set([
  // By an id or a name of something else.
  'ResolveApproval',
  'HoldApproval',
  'PreviewApproval',
  'AddApprovalRule',
  'RevokeApprovalRule',
  'TaskOutput',
  'KillTask',
  'RemoveTask',
  'RecallWorktree',
  'DiscardLeftWorktree',
  'DeleteProvider',
  'SetKey',
  'TestConnection',
  'OpenExternal',
  'OpenFolder',
  'OpenSample',
  // They only read.
  'FindText',
  'Context',
  'Conflict',
  'Changes',
  'RestorePlan',
  'CommandOutput',
  'Timeline',
  'FileUse',
  'Worktree',
  'ChildTrees',
  'Compaction',
  'ACPSession',
  'ApprovalRules',
  'SimulateCommand',
  'InsertPaths',
  'PasteFromClipboard',
  'RevealNotebook',
  'RevealFile',
  'RevealWorktree',
])
/** Calls that end work. They wait for their turn only briefly: a hanging call does not hold them up. */
const stops: ReadonlySet<string> = new Set(['Stop', 'StopTree'])
/** Calls that begin work. */
const starts: ReadonlySet<string> = new Set(['Run', 'Continue', 'Resume', 'SendNow'])

/** How long a stop waits for the calls before it, in milliseconds. */
const patienceMs = 2000

interface Call {
  name: string
  args: unknown[]
  answer: (value: unknown) => void
  fail: (thrown: unknown) => void
  /** It is sent once this resolves, and not at all if it rejects. */
  after: Promise<unknown> | undefined
}
interface Line {
  /** The running call. */
  sent: Call
  waiting: Call[]
}

/**
 * InOrder sends the calls about each notebook one after another. A closing page gets no answers:
 * its edits do not wait for one.
 */
export class InOrder {
  readonly #send: (name: string, args: unknown[]) => Promise<unknown>
  readonly #closes: () => boolean
  readonly #lines = new Map<string, Line>()

  /** closes tells whether the page is being closed just now. */
  constructor(send: (name: string, args: unknown[]) => Promise<unknown>, closes: () => boolean) {
    this.#send = send
    this.#closes = closes
  }

  /** Queues a call at once, even if it also waits for something else. */
  call(name: string, args: unknown[], after?: Promise<unknown>): Promise<unknown> {
    const path = args[0]
    if (typeof path !== 'string' || unordered.has(name)) return after ? after.then(() => this.#send(name, args)) : this.#send(name, args)
    return new Promise((answer, fail) => {
      const call: Call = { name, args, answer, fail, after }
      const line = this.#lines.get(path)
      if (!line) return this.#go(path, { sent: call, waiting: [] })
      line.waiting.push(call)
      if (name === 'Edit' && this.#closes()) return this.#sendEdits(line)
      if (stops.has(name)) void wait(patienceMs).then(() => this.#overtake(path, call))
    })
  }

  /** Sends the calls of a queue one after another. */
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

  /** Sends a stop before the waiting calls. Later calls that would begin work are not sent. */
  #overtake(path: string, stop: Call): void {
    const line = this.#lines.get(path)
    const at = line?.waiting.indexOf(stop) ?? -1
    if (!line || at < 0) return
    const before = line.waiting.slice(0, at)
    line.waiting = [...before.filter((c) => !starts.has(c.name)), ...line.waiting.slice(at + 1)]
    // A start that was already sent may arrive after the stop, so stop again.
    if (starts.has(line.sent.name))
      line.waiting.unshift({ name: stop.name, args: stop.args, answer: () => {}, fail: () => {}, after: undefined })
    for (const c of before) if (starts.has(c.name)) c.fail(new Fault('canceled', 'Stopped before it began.'))
    void this.#sendOne(stop)
  }

  /** Sends the waiting edits at once, as one call, so that none overtakes another. The running call has arrived before. */
  #sendEdits(line: Line): void {
    const edits = line.waiting.filter((c) => c.name === 'Edit' && !c.after)
    line.waiting = line.waiting.filter((c) => !edits.includes(c))
    const last = edits.at(-1)
    if (!last) return
    const [path, , ...rest] = last.args
    void this.#sendOne({
      ...last,
      args: [path, edits.flatMap((c) => c.args[1]), ...rest],
      answer: (value) => edits.forEach((c) => c.answer(value)),
      fail: (thrown) => edits.forEach((c) => c.fail(thrown)),
    })
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
