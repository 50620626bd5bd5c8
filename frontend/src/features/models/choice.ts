import type { acp, settings } from '$lib/backend/backend'
import { t } from '$lib/language/language'
import { visible } from '$lib/ui/visible'
import { ofProgram } from '$lib/language/program'

/** A model of a provider, as stored in a notebook or the settings. */
export type Choice = settings.Choice

/** What a choice names as its provider if another agent answers; its model is the agent's id (SPEC 14.1). */
export const answers = 'acp'

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

/** Why an agent cannot answer; "" if it can. Of an unknown agent only its name is known. */
export function agentProblem(agent: acp.View | undefined, name: string): string {
  switch (agent?.state) {
    case 'ready':
      return ''
    case 'signIn':
      return t`${name} needs you to sign in: see Agents in the settings.`
    case 'broken':
      return visible(ofProgram(agent.problem)) || t`${name} did not start.`
    default:
      return t`${name} is not on this computer.`
  }
}
