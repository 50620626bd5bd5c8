// @vitest-environment jsdom
import { render, screen } from '@testing-library/svelte'
import { createRawSnippet } from 'svelte'
import { expect, test, vi } from 'vitest'
import { Backend } from '$lib/backend/backend'
import { domOfComponents } from '$lib/ui/testing'
import { SettingsState } from './settings.svelte'
import SettingsDialog from './SettingsDialog.svelte'
import { eventually } from '$lib/testing/waits'

domOfComponents()

test('the setting that it was opened for has the focus, however late it is drawn', async () => {
  const settings = new SettingsState(new Backend(), () => {})
  settings.load({
    settings: { path: '', providers: [], preferences: { stepLimit: 50, parallelAgents: 4, commandEnv: [], keys: {} } },
  } as never)
  const none = createRawSnippet(() => ({ render: () => '<p></p>' }))
  const parts = { approvals: none, keys: none, servers: none, agents: none }
  render(SettingsDialog, { settings, section: 'running', setting: 'Parallel agents', version: '1', onclose: vi.fn(), ...parts })
  await eventually(() => expect(document.activeElement).toBe(screen.getByLabelText('Parallel agents')))
})
