import type { complete } from '$lib/backend/backend'
import type { Choice, Step } from '../features/palette/entry'
import { t } from '$lib/language/language'

/** Asks the server of a command for values of an argument; others are the known ones. */
export type AskValues = (command: string, argument: string, typed: string, others: Record<string, string>) => Promise<readonly string[]>

const space = /[\s\u0085]/

/** A value as one argument after a command; undefined if no quotes can hold it together. */
export function quoted(value: string): string | undefined {
  if (value !== '' && !space.test(value) && !/^["']/.test(value)) return value
  const quote = ['"', "'"].find((q) => !new RegExp(`${q}${space.source}`).test(value))
  return quote && quote + value + quote
}

/** The command with the values of its arguments, in order; empty ones at the end are left out. */
export function written(command: string, values: readonly string[]): string {
  const last = values.findLastIndex((value) => value !== '')
  const words = values.slice(0, last + 1).map((value) => quoted(value) ?? value)
  return `/${command} ${words.join(' ')}`
}

/** The step that asks for the next argument of a server's prompt; done gets the whole command. */
export function argumentStep(
  { label, arguments: all = [] }: Pick<complete.Item, 'label' | 'arguments'>,
  ask: AskValues,
  done: (text: string) => void,
  given: readonly string[] = [],
): Step {
  const { name, description, required } = all[given.length]!
  const isLast = given.length + 1 === all.length
  const choice = (value: string, more: Omit<Choice, 'id'>): Choice => {
    const values = [...given, value]
    const leads = isLast
      ? { run: () => done(written(label, values)) }
      : { next: () => argumentStep({ label, arguments: all }, ask, done, values) }
    return { id: `value ${value}`, ...more, ...leads }
  }
  const typed = (text: string): Choice => {
    const value = text.trim()
    if (value === '' && required) return { id: 'typed', label: t`Type a value`, off: t`it is required` }
    const off = quoted(value) === undefined ? t`it has both kinds of quotes before spaces: leave one out` : undefined
    return { ...choice(value, { label: value || t`Leave it empty`, note: value && t`as typed`, off }), id: 'typed' }
  }
  const others = () => Object.fromEntries(given.flatMap((value, i) => (value === '' ? [] : [[all[i]!.name, value]])))
  return {
    crumb: name,
    search: required ? t`${name}, required` : t`${name}, may stay empty`,
    of: t`for a prompt`,
    columns: [],
    choices: [],
    typed,
    ask: async (text) =>
      (await ask(label, name, text.trim(), others()))
        .filter((value) => value.trim() === value && quoted(value) !== undefined)
        .map((value) => choice(value, { label: value, note: t`proposed by the server` })),
    about: () => [t`Argument ${given.length + 1} of ${all.length} of /${label}`, description].filter(Boolean).join(': '),
  }
}
