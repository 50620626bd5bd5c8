import type { settings } from '$lib/backend/backend'

/** A model of a provider, as a notebook or the settings name it. */
export interface Choice {
  provider: string
  model: string
}

export const modelName = (m: settings.ModelView): string => m.name || m.id

/* The rules of backend/settings, repeated to show what it will choose. */

/** Whether a provider can be picked without having been named: it has its key, or needs none. */
export function usable(p: settings.ProviderView): boolean {
  if (p.models.length === 0) return false
  if (p.source !== 'file') return true
  return p.key.set || (p.key.store === 'none' && /^https?:\/\/(localhost|127\.|\[::1\])/.test(p.baseUrl))
}

/** Whether a provider waits for a key that somebody has to give it. */
export const keyMissing = (p: settings.ProviderView): boolean => p.source === 'file' && p.key.store !== 'none' && !p.key.set

/** Whether a name looks like a model that answers in text. */
const chats = (id: string): boolean =>
  !/embed|whisper|tts|dall-e|moderation|transcribe|realtime|-audio|gpt-image|sora|rerank|davinci|babbage|imagen|veo-|bge-|nomic-|stable-diffusion|flux/i.test(
    id,
  )

const firstModel = (p: settings.ProviderView): string => p.models.find((m) => chats(m.id))?.id ?? ''

/**
 * The model of a notebook that names none: the default of the settings,
 * else the first provider that can be used, the offline guide last.
 */
export function defaultChoice(view: settings.View): Choice | null {
  const { defaultProvider, defaultModel } = view.preferences
  const named = view.providers.find((p) => p.id === defaultProvider)
  if (named) return { provider: named.id, model: defaultModel || firstModel(named) }
  const able = view.providers.filter(usable)
  const first = able.find((p) => p.source !== 'builtin') ?? able[0]
  if (!first) return null
  return { provider: first.id, model: first.models.some((m) => m.id === defaultModel) ? (defaultModel ?? '') : firstModel(first) }
}

export interface Found {
  provider: settings.ProviderView
  model: settings.ModelView | undefined
}

/** The provider and model of a choice; null when the provider is gone. */
export function findChoice(view: settings.View, choice: Choice | null): Found | null {
  const provider = choice && view.providers.find((p) => p.id === choice.provider)
  return provider ? { provider, model: provider.models.find((m) => m.id === choice.model) } : null
}

/** Whether only the offline guide answers: no provider is connected. */
export function offlineOnly(view: settings.View): boolean {
  return !view.providers.some((p) => p.source !== 'builtin' && usable(p))
}
