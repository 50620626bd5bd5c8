import type { settings } from '$lib/backend/backend'
import type { SettingsState } from './settings.svelte'

/** The props of a section of preferences. */
export interface SectionProps {
  settings: SettingsState
  preferences: settings.Preferences
}
