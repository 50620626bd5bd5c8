import type { Request } from './words'

/** A waiting call of the shell, or a variation of it. */
export const request = (id: string, over: Partial<Request> = {}): Request => ({
  id,
  atMs: 1,
  tool: 'shell',
  action: '',
  why: '',
  path: 'a.mtm',
  notebook: 'u',
  agent: 'A',
  cell: 'c',
  callId: `call ${id}`,
  folder: '/w',
  arguments: '{"command":"go test ./..."}',
  changes: [],
  warnings: [],
  suggestions: [{ label: 'go test', patterns: ['go test *'] }],
  verdict: { outcome: 'ask', reason: '', parts: [] },
  allowed: [],
  conflicts: [],
  held: '',
  print: `print of ${id}`,
  ...over,
})
