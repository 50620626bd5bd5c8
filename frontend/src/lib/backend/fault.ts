import type { Sentence } from '$lib/language/language'
import { translated } from '$lib/language/program'
import type { fault } from '$wails/go/models'
import { t } from '$lib/language/language'

/** What can be done about an error; the same words as backend/fault. */
export type FaultKind = 'invalid' | 'notFound' | 'denied' | 'conflict' | 'canceled' | 'provider' | 'internal'

const kinds: readonly string[] = ['invalid', 'notFound', 'denied', 'conflict', 'canceled', 'provider', 'internal']

/** The code of the only fault that the page itself finds: the program does not answer. */
export const codeDisconnected = 'disconnected'

/**
 * Fault is the only error that lib/backend throws. Its message is a sentence for a person; the
 * interface branches on kind and code.
 */
export class Fault extends Error {
  override readonly name = 'Fault'
  constructor(
    readonly kind: FaultKind,
    message: string,
    readonly code: string = '',
  ) {
    super(message)
  }

  /** From the form in events. */
  static of(f: fault.Error): Fault {
    return new Fault(kinds.includes(f.kind) ? (f.kind as FaultKind) : 'internal', translated(f.said ?? [{ text: f.message }]), f.code ?? '')
  }

  /**
   * Makes a Fault of anything thrown. The backend's errors arrive as a JSON string
   * {"kind","code","message"}: bare, or as the message of an Error, because Wails wraps them.
   * Anything else becomes an internal fault with its text.
   */
  static from(thrown: unknown): Fault {
    if (thrown instanceof Fault) return thrown
    if (thrown instanceof DOMException && thrown.name === 'AbortError') return new Fault('canceled', t`Stopped.`)
    const text = thrown instanceof Error ? thrown.message : typeof thrown === 'string' ? thrown : ''
    return Fault.parse(text) ?? new Fault('internal', text || t`Something went wrong, and the cause is unknown.`)
  }

  /** Parses the JSON form; null when text is not one. */
  static parse(text: string): Fault | null {
    if (!text.trimStart().startsWith('{')) return null
    try {
      const value: unknown = JSON.parse(text)
      if (typeof value !== 'object' || value === null) return null
      const { kind, code, message, said } = value as Record<string, unknown>
      if (typeof kind !== 'string' || typeof message !== 'string') return null
      return Fault.of({
        kind,
        message,
        ...(typeof code === 'string' ? { code } : {}),
        ...(areSentences(said) ? { said } : {}),
      })
    } catch {
      return null
    }
  }
}

/** Whether a value is a list of sentences with separate fields. */
const areSentences = (value: unknown): value is Sentence[] =>
  Array.isArray(value) &&
  value.every((one: Partial<Sentence> | null) => typeof one?.text === 'string' && (one.fields === undefined || Array.isArray(one.fields)))
