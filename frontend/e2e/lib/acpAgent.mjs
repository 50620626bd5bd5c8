// A handwritten agent that speaks the Agent Client Protocol, version 1, over stdio. A prompt with the words "Please change" makes a
// plan, thinks, searches, asks to edit garden.md, edits it through the client, runs a command, and says what it did; one with
// "Please crash" ends the process; it greets back, or asks. If ACP_SIGNIN is set, it wants a sign-in first. If ACP_HEARD
// names a file, it logs the client's messages there, one per line.
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline'

const heard = process.env.ACP_HEARD
const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n')
const waiting = new Map()
let asked = 0
const request = (method, params) =>
  new Promise((done, fail) => {
    const id = `a${++asked}`
    waiting.set(id, { done, fail })
    write({ id, method, params })
  })

let signed = !process.env.ACP_SIGNIN
let cwd = ''
let cancelled = false
const chosen = { model: 'sonnet', mode: 'ask' }
const select = (id, name, values) => ({
  id,
  name,
  category: id,
  type: 'select',
  currentValue: chosen[id],
  options: Object.entries(values).map(([value, label]) => ({ value, name: label, description: `${label} \u202e` })),
})
const configOptions = () => [
  select('model', 'Model', { sonnet: 'Sonnet 4.5', opus: 'Opus 4.5' }),
  select('mode', 'Mode', { ask: 'Always ask', free: 'Accept edits' }),
]
const sessionId = `sess-${process.pid}`
const update = (sessionUpdate, more) => write({ method: 'session/update', params: { sessionId, update: { sessionUpdate, ...more } } })
const say = (text, kind = 'agent_message_chunk') => update(kind, { content: { type: 'text', text } })
const plan = (...states) =>
  update('plan', {
    entries: ['Find the sentence', 'Mend it', 'Count the lines'].map((content, i) => ({
      content,
      priority: 'high',
      status: states[i] ?? 'pending',
    })),
  })

async function change() {
  const file = path.join(cwd, 'garden.md')
  plan('in_progress')
  say('Where is it?', 'agent_thought_chunk')
  update('tool_call', {
    toolCallId: 's',
    title: 'grep "rain"',
    kind: 'search',
    status: 'pending',
    rawInput: { pattern: 'rain', path: '.' },
  })
  update('tool_call_update', {
    toolCallId: 's',
    status: 'completed',
    content: [{ type: 'content', content: { type: 'text', text: 'garden.md:1: Water when the rain fails.' } }],
  })
  const before = (await request('fs/read_text_file', { sessionId, path: file })).content
  const after = before.replace('rain', 'last rain')
  plan('completed', 'in_progress')
  const edit = {
    toolCallId: 'e',
    title: 'Edit garden.md',
    kind: 'edit',
    status: 'pending',
    locations: [{ path: file, line: 1 }],
    rawInput: { file_path: file },
    content: [{ type: 'diff', path: file, oldText: before, newText: after }],
  }
  update('tool_call', edit)
  const { outcome } = await request('session/request_permission', {
    sessionId,
    toolCall: edit,
    options: [
      { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ],
  })
  if (outcome.outcome !== 'selected' || outcome.optionId !== 'yes') {
    update('tool_call_update', { toolCallId: 'e', status: 'failed' })
    return say('Then it stays as it is.')
  }
  await request('fs/write_text_file', { sessionId, path: file, content: after })
  update('tool_call_update', { toolCallId: 'e', status: 'completed' })
  update('tool_call', {
    toolCallId: 'x',
    title: '`wc -l garden.md`',
    kind: 'execute',
    status: 'completed',
    rawInput: { command: 'wc -l garden.md' },
    content: [{ type: 'content', content: { type: 'text', text: '1 garden.md' } }],
  })
  plan('completed', 'completed', 'completed')
  say('It says **the last rain** now.')
}

const answers = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: false, promptCapabilities: { image: true, embeddedContext: true } },
    authMethods: process.env.ACP_SIGNIN ? [{ id: 'key', name: 'Your account', description: 'Opens nothing in a test' }] : [],
    agentInfo: { name: 'claude', title: 'Claude Code', version: '2.1.44' },
  }),
  authenticate: () => {
    signed = true
    return {}
  },
  'session/new': (params) => {
    if (!signed) throw { code: -32000, message: 'Authentication required' }
    cwd = params.cwd
    setImmediate(() =>
      update('available_commands_update', {
        availableCommands: [{ name: 'review', description: 'Reviews the changes', input: { hint: 'branch' } }],
      }),
    )
    return { sessionId, configOptions: configOptions() }
  },
  'session/set_config_option': ({ configId, value }) => {
    chosen[configId] = value
    return { configOptions: configOptions() }
  },
  'session/prompt': async ({ prompt }) => {
    cancelled = false
    const text = prompt.map((block) => block.text ?? '').join('\n')
    if (text.includes('Please crash')) {
      process.stderr.write('out of compost\n')
      process.exit(3)
    }
    if (text.includes('Please change')) await change()
    else say(text.includes('Good morning') ? 'A good morning to you.' : 'What is it?')
    update('usage_update', { used: 64_000, size: 200_000, cost: { amount: 0.42, currency: 'USD' } })
    return { stopReason: cancelled ? 'cancelled' : 'end_turn' }
  },
}

readline.createInterface({ input: process.stdin }).on('line', async (line) => {
  if (heard) fs.appendFileSync(heard, line + '\n')
  const { id, method, params, result, error } = JSON.parse(line)
  if (method === undefined) {
    const { done, fail } = waiting.get(id)
    return error ? fail(error) : done(result)
  }
  if (method === 'session/cancel') cancelled = true
  if (id === undefined) return
  try {
    if (!answers[method]) throw { code: -32601, message: `there is no method ${method}` }
    write({ id, result: await answers[method](params) })
  } catch (thrown) {
    write({ id, error: { code: thrown.code ?? -32603, message: thrown.message ?? String(thrown) } })
  }
})
