import type { settings } from '$lib/backend/backend'

/** A model of a provider, as stored in a notebook or the settings. */
export type Choice = settings.Choice

export const modelName = (m: settings.ModelView): string => m.name || m.id

/** Whether a provider still needs a key from the person. */
export const keyMissing = (p: settings.ProviderView): boolean => p.source === 'file' && p.key.store !== 'none' && !p.key.set

export interface Found {
  provider: settings.ProviderView
  model: settings.ModelView | undefined
}

/** The provider and model of a choice; null if the provider is gone. */
export function findChoice(view: settings.View, choice: Choice | null | undefined): Found | null {
  const provider = choice && view.providers.find((p) => p.id === choice.provider)
  return provider ? { provider, model: provider.models.find((m) => m.id === choice.model) } : null
}
