/** The settings, in one file of the build. */
export { default as SettingsDialog } from '../features/settings/SettingsDialog.svelte'
export { default as AgentsSection } from '../features/acp/AgentsSection.svelte'
export { default as RulesSection } from '../features/approvals/RulesSection.svelte'
export { default as ServersSection } from '../features/servers/ServersSection.svelte'
