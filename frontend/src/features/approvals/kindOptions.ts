import type { kind, settings } from '$lib/backend/backend'
import { t } from '$lib/language/language'

export interface Option {
  value: string
  label: string
  group?: string
}

/** The kinds that an agent of a kind may start; the kind that a call names is always included. */
export function kindOptions(kinds: readonly kind.Kind[], parent: string, current: string): Option[] {
  const able = kinds.filter((k) => !k.problem && !k.inert)
  // In the order in which the parent's kind lists them: the first is the default.
  const may = able.find((k) => k.name === (parent || 'chat'))?.children
  const list = may ? may.flatMap((name) => able.find((k) => k.name === name) ?? []) : able
  const usual = may && list[0] ? t`Usual (${list[0].name})` : t`Usual`
  const options: Option[] = [{ value: '', label: usual }, ...list.map((k) => ({ value: k.name, label: k.name }))]
  return options.some((o) => o.value === current) ? options : [...options, { value: current, label: t`${current} (cannot be chosen)` }]
}

/** The models of all providers; the model that a call names is always included. */
export function modelOptions(providers: readonly settings.ProviderView[], current: string): Option[] {
  const list: Option[] = [{ value: '', label: t`Same as the parent` }]
  for (const p of providers) for (const m of p.models) list.push({ value: `${p.id}/${m.id}`, label: m.name || m.id, group: p.name })
  if (list.some((o) => o.value === current)) return list
  // A model without a provider means the first provider that has it.
  const known = providers.find((p) => p.models.some((m) => m.id === current))
  return [...list, { value: current, label: known ? `${current} (${known.name})` : t`${current} (not in the settings)` }]
}
