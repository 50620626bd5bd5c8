import { count } from '$lib/format/number'
import type { notebook } from '$lib/backend/backend'

/** The actions on an ended run. */
export type WayOut = 'settings' | 'model' | 'again' | 'continue' | 'resume'

export interface Ending {
  /** quiet: nothing to say; note: it ended early; fail: it went wrong. */
  tone: 'quiet' | 'note' | 'fail'
  title: string
  detail: string
  ways: { way: WayOut; label: string }[]
}

const settings = { way: 'settings', label: 'Open settings' } as const
const model = { way: 'model', label: 'Choose a model' } as const
const again = { way: 'again', label: 'Try again' } as const
const resume = { way: 'resume', label: 'Resume' } as const
const goOn = { way: 'continue', label: 'Continue' } as const

/** The title and the action of each code of a provider's fault (backend/fault). */
const codes: Record<string, { title: string; ways: Ending['ways'] }> = {
  keyMissing: { title: 'No key is set', ways: [settings, model] },
  keyRejected: { title: 'The key was rejected', ways: [settings, again] },
  modelUnknown: { title: 'The model is not known', ways: [model, again] },
  contextTooLong: { title: 'The request is too long for the model', ways: [model, again] },
  rateLimited: { title: 'Too many requests', ways: [again] },
  unreachable: { title: 'The server cannot be reached', ways: [again, settings] },
  server: { title: 'The server failed', ways: [again] },
  badRequest: { title: 'The server refused the request', ways: [again, settings] },
  notAStream: { title: 'The server did not answer as a model does', ways: [settings, again] },
  streamBroken: { title: 'The answer broke off', ways: [goOn, again] },
  streamError: { title: 'The server reported an error', ways: [goOn, again] },
}

/** ending describes how a run ended and what to do next; undefined when nothing needs saying. */
export function ending(run: notebook.RunInfo | undefined): Ending | undefined {
  const detail = run?.fault?.message ?? ''
  switch (run?.outcome) {
    case 'stopped':
      return { tone: 'note', title: 'Stopped', detail: '', ways: [goOn] }
    case 'interrupted':
      return { tone: 'note', title: 'Interrupted when the program ended', detail: '', ways: [resume] }
    case 'elsewhere':
      return {
        tone: 'note',
        title: 'Running in another program',
        detail: 'Wait until it is done, or stop it there. What it writes is shown here once it is saved.',
        ways: [],
      }
    case 'stepLimit':
      return { tone: 'note', title: 'Stopped at the step limit', detail, ways: [goOn] }
    case 'failed':
    case 'broken': {
      const broken = run.outcome === 'broken'
      const known = codes[run.fault?.code ?? '']
      const title = known?.title ?? (broken ? 'The answer broke off' : 'The run failed')
      let ways = known?.ways ?? [again]
      if (broken) ways = [goOn, ...ways.filter((w) => w.way !== 'continue')]
      else ways = ways.filter((w) => w.way !== 'continue')
      return { tone: 'fail', title, detail, ways }
    }
    default:
      return undefined
  }
}

/** usageLine is the usage of a run in a line: "1,204 in · 310 out · $0.0031 · 6 s"; ~ marks an estimate. */
export function usageLine(run: notebook.RunInfo | undefined, took: (ms: number) => string): string {
  const parts: string[] = []
  const u = run?.usage
  if (u) {
    const about = u.estimated ? '~' : ''
    parts.push(`${about}${count(u.input)} in`, `${about}${count(u.output)} out`)
    if (u.cached && u.input > 0) parts.push(`${Math.round((100 * u.cached) / u.input)}% cached`)
  }
  if (run?.cost) parts.push(run.cost)
  const tookMs = (run?.earlierMs ?? 0) + (run?.tookMs ?? 0)
  if (tookMs > 0) parts.push(took(tookMs))
  if (run?.model) parts.push(run.model)
  return parts.join(' · ')
}
