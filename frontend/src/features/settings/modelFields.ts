import type { settings } from '$lib/backend/backend'
import { t } from '$lib/language/language'

/** The settings of a model besides its prices; an empty field leaves the value to the server. */
export interface Field {
  key: 'contextTokens' | 'maxOutput' | 'temperature'
  name: string
  placeholder: string
}

export const fields: readonly Field[] = [
  { key: 'contextTokens', name: t`Context, tokens`, placeholder: t`unknown` },
  { key: 'maxOutput', name: t`Longest answer, tokens`, placeholder: t`server's choice` },
  { key: 'temperature', name: t`Temperature, 0 to 2`, placeholder: t`server's choice` },
]

export const efforts = ['', 'minimal', 'low', 'medium', 'high'] as const

const maxTokens = 1_000_000_000

/** A typed number, with k and M for thousands and millions of tokens; undefined for an empty field, NaN for an invalid one. */
export function numberOf(key: Field['key'], text: string): number | undefined {
  const plain = text.trim().replace(/[,_\s]/g, '')
  if (plain === '') return undefined
  if (key === 'temperature') return /^(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : NaN
  const m = /^(\d+(?:\.\d+)?)([kKmM]?)$/.exec(plain)
  return m ? Math.round(Number(m[1]) * (m[2] === '' ? 1 : m[2]!.toLowerCase() === 'k' ? 1000 : 1_000_000)) : NaN
}

/** The problem of a typed field, or "". */
export function fieldProblem(key: Field['key'], text: string): string {
  const n = numberOf(key, text)
  if (n === undefined) return ''
  if (key === 'temperature') return n >= 0 && n <= 2 ? '' : t`A temperature is a number from 0 to 2.`
  return n >= 0 && n <= maxTokens ? '' : t`Enter a number of tokens, such as 32768 or 128k.`
}

/** A field's value in the settings; "" if it is not set. */
export function fieldText(model: settings.ModelView, key: Field['key']): string {
  const n = model[key]
  return n === undefined || (n === 0 && key !== 'temperature') ? '' : String(n)
}

/** The model with a field changed. */
export function withField(model: settings.ModelView, key: Field['key'], text: string): settings.ModelView {
  const n = numberOf(key, text)
  if (key === 'contextTokens') return { ...model, contextTokens: n ?? 0 }
  return { ...model, [key]: n }
}
