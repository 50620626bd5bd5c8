import type { acp } from '$lib/backend/backend'

/** An agent that is ready. */
export const agent = (id: string, more: Partial<acp.View> = {}): acp.View => ({
  id,
  name: `Name of ${id}`,
  from: 'found',
  line: `${id} --acp`,
  version: '',
  state: 'ready',
  problem: '',
  home: '',
  signIns: [],
  ...more,
})

export const session = (more: Partial<acp.SessionView> = {}): acp.SessionView => ({
  agent: 'claude',
  session: 's',
  live: true,
  options: [],
  commands: [],
  used: 0,
  size: 0,
  cost: 0,
  currency: '',
  ...more,
})

/** A choice between values, the first of which is chosen. Its id is its category. */
export const option = (id: string, values: readonly string[]): acp.Option => ({
  id,
  name: id,
  description: '',
  category: id,
  value: values[0]!,
  choices: values.map((value) => ({ value, name: `Name of ${value}`, description: '' })),
})
