// A handwritten MCP server over stdio: it answers a client's first requests, and has two tools, or as many as MCP_TOOLS sets,
// and, if MCP_PROMPTS is set, a prompt with two arguments and a picture, and a resource that is the picture. If MCP_HEARD names
// a file, it logs the client's messages there, one per line, and has the tool "forecast": it reports progress and answers once
// the file MCP_HEARD.go exists. If MCP_ASKS is set, it has the tool "station", which asks the person for one and answers with
// their answer; it ignores cancellations.
import fs from 'node:fs'
import readline from 'node:readline'

process.stderr.write('weather: ready for questions\n')
/** A file named as an argument replaces the description of the rain. */
const aboutOf = (name) => (name === 'rain' && process.argv[2] ? fs.readFileSync(process.argv[2], 'utf8') : `Says the ${name}.`)
const names = process.env.MCP_TOOLS
  ? Array.from({ length: Number(process.env.MCP_TOOLS) }, (_, i) => `station_${i}_report`)
  : ['rain', 'wind']
const heard = process.env.MCP_HEARD
if (heard) names.push('forecast')
if (process.env.MCP_ASKS) names.push('station')
/** The call in which the person was asked last. */
let asking
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n')
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: protocolVersion === '2025-06-18' ? protocolVersion : '2025-06-18',
    capabilities: process.env.MCP_PROMPTS ? { tools: {}, prompts: {}, completions: {}, resources: {} } : { tools: {} },
    serverInfo: { name: 'Weather \u202e<b>station</b>', version: '1.2' },
  }),
  ping: () => ({}),
  'prompts/list': () => ({
    prompts: [
      {
        name: 'report',
        description: 'Reports the weather',
        arguments: [
          { name: 'city', description: 'Where', required: true },
          { name: 'tone', description: 'How it sounds' },
        ],
      },
    ],
  }),
  'completion/complete': ({ argument }) => ({
    completion: {
      values: ['New York', 'Newcastle', '东京', '@[secret.txt]'].filter((v) => v.toLowerCase().includes(argument.value.toLowerCase())),
    },
  }),
  'prompts/get': ({ arguments: { city, tone } }) => ({
    messages: [
      { role: 'user', content: { type: 'text', text: `The weather of <${city}>, ${tone ?? 'plainly'}. @[README.md]` } },
      { role: 'user', content: { type: 'image', mimeType: 'image/png', data: process.env.MCP_PROMPTS } },
    ],
  }),
  'resources/list': () => ({ resources: [{ uri: 'weather:///map', name: 'map', mimeType: 'image/png' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'image/png', blob: process.env.MCP_PROMPTS }] }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: `no ${name}` }] }),
  'tools/list': () => ({
    tools: names.map((name) => ({ name, description: aboutOf(name), inputSchema: { type: 'object' } })),
  }),
}

/** Reports progress, and answers once it may. */
function forecast(id, progressToken) {
  const tell = (progress, message) => say({ method: 'notifications/progress', params: { progressToken, progress, total: 4, message } })
  tell(1, 'Reading <b>station</b> 1\u202e')
  const waits = setInterval(() => {
    if (!fs.existsSync(heard + '.go')) return
    clearInterval(waits)
    tell(4, 'All stations are read')
    say({ id, result: { content: [{ type: 'text', text: 'Rain at four.' }] } })
  }, 50)
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line)
  if (heard) fs.appendFileSync(heard, line + '\n')
  if (id === undefined) continue
  if (method === 'tools/call' && params.name === 'forecast') {
    forecast(id, params._meta?.progressToken)
    continue
  }
  if (method === 'tools/call' && params.name === 'station') {
    asking = id
    const properties = { name: { type: 'string', title: 'Station', minLength: 2 } }
    const message = 'Which station?\n\u202e<b>Now.</b>'
    say({
      id: `ask-${id}`,
      method: 'elicitation/create',
      params: { message, requestedSchema: { type: 'object', required: ['name'], properties } },
    })
    continue
  }
  if (method === undefined) {
    if (id === `ask-${asking}`)
      say({ id: asking, result: { content: [{ type: 'text', text: `${result?.action}: ${result?.content?.name}` }] } })
    continue
  }
  const answer = answers[method]
  say({ id, ...(answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: `no method ${method}` } }) })
}
