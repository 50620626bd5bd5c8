import { count } from '$lib/format/number'
import type { notebook } from '$lib/backend/backend'
import { t } from '$lib/language/language'
import { ofProgram } from '$lib/language/program'

/** The actions on an ended run. */
export type EndAction = 'settings' | 'model' | 'again' | 'continue' | 'resume'

export interface Ending {
  /** quiet: nothing to report; note: it ended early; fail: it went wrong. */
  tone: 'quiet' | 'note' | 'fail'
  title: string
  detail: string
  actions: { action: EndAction; label: string }[]
}

const settings = { action: 'settings', label: t`Open settings` } as const
const model = { action: 'model', label: t`Choose a model` } as const
const again = { action: 'again', label: t`Try again` } as const
const resume = { action: 'resume', label: t`Resume` } as const
const goOn = { action: 'continue', label: t`Continue` } as const

/** The title and the actions for each code of a provider's fault (backend/fault). */
const codes: Record<string, { title: string; actions: Ending['actions'] }> = {
  keyMissing: { title: t`No key is set`, actions: [settings, model] },
  keyRejected: { title: t`The key was rejected`, actions: [settings, again] },
  modelUnknown: { title: t`The model is not known`, actions: [model, again] },
  contextTooLong: { title: t`The request is too long for the model`, actions: [model, again] },
  rateLimited: { title: t`Too many requests`, actions: [again] },
  unreachable: { title: t`The server cannot be reached`, actions: [again, settings] },
  server: { title: t`The server failed`, actions: [again] },
  badRequest: { title: t`The server refused the request`, actions: [again, settings] },
  notAStream: { title: t`The server did not answer as a model does`, actions: [settings, again] },
  streamBroken: { title: t`The answer broke off`, actions: [goOn, again] },
  streamError: { title: t`The server reported an error`, actions: [goOn, again] },
}

/** ending describes how a run ended and what to do next; undefined if there is nothing to say. */
export function ending(run: notebook.RunInfo | undefined): Ending | undefined {
  const detail = ofProgram(run?.fault?.message ?? '')
  switch (run?.outcome) {
    case 'stopped':
      return { tone: 'note', title: t`Stopped`, detail: '', actions: [goOn] }
    case 'interrupted':
      return { tone: 'note', title: t`Interrupted when the program ended`, detail: '', actions: [resume] }
    case 'elsewhere':
      return {
        tone: 'note',
        title: t`Running in another program`,
        detail: t`Wait until it is done, or stop it there. What it writes is shown here once it is saved.`,
        actions: [],
      }
    case 'stepLimit':
      return { tone: 'note', title: t`Stopped at the step limit`, detail, actions: [goOn] }
    case 'failed':
    case 'broken': {
      const broken = run.outcome === 'broken'
      const known = codes[run.fault?.code ?? '']
      const title = known?.title ?? (broken ? t`The answer broke off` : t`The run failed`)
      let actions = known?.actions ?? [again]
      if (broken) actions = [goOn, ...actions.filter((a) => a.action !== 'continue')]
      else actions = actions.filter((a) => a.action !== 'continue')
      return { tone: 'fail', title, detail, actions }
    }
    default:
      return undefined
  }
}

/**
 * missLine says that a server read less of a request from its cache than expected, and the first
 * byte at which the request differs from the previous one; "" if it did not.
 */
export function missLine(run: notebook.RunInfo | undefined, took: (ms: number) => string): string {
  const miss = run?.cache
  if (!miss) return ''
  const what = t`${count(miss.read)} of ${count(miss.expected)} expected tokens came from the cache`
  const place = miss.same >= 0 ? t`differs from the request before from byte ${count(miss.same)} of ${count(miss.bytes)} on` : ''
  if (miss.brokenBy) return `${what}: ${place ? `${place}, ` : ''}${ofProgram(miss.brokenBy)}`
  const sent = miss.agoMs > 0 ? t`, sent ${took(miss.agoMs)} earlier` : ''
  return miss.same >= 0
    ? t`${what}, though the first ${count(miss.same)} of ${count(miss.bytes)} bytes are those of the request before${sent}`
    : t`${what}, though it begins as the request before${sent}`
}

/** usageLine describes the usage of a run in one line: "1,204 in · 310 out · $0.0031 · 6 s"; ~ marks an estimate. */
export function usageLine(run: notebook.RunInfo | undefined, took: (ms: number) => string): string {
  const parts: string[] = []
  const u = run?.usage
  // Other agents may report none.
  if (u && u.input + u.output > 0) {
    const about = u.estimated ? '~' : ''
    parts.push(t`${about}${count(u.input)} in`, t`${about}${count(u.output)} out`)
    if (u.cached && u.input > 0) parts.push(t`${Math.round((100 * u.cached) / u.input)}% cached`)
  }
  if (run?.cost) parts.push(run.cost)
  const tookMs = (run?.earlierMs ?? 0) + (run?.tookMs ?? 0)
  if (tookMs > 0) parts.push(took(tookMs))
  if (run?.model) parts.push(run.model)
  return parts.join(' · ')
}
