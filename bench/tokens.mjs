// A server that streams tokens at a steady pace, on a thread of its own so that the measurement
// does not slow it down. An answer takes answerSeconds and then calls the tool `ls`, so that the
// agent sends another request, like one at work; after the end of the run it is the last answer.
// With fork, the agent with the prompt fork.prompt starts fork.children, and those end with
// `task_finish`.
import http from 'node:http'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { fileURLToPath } from 'node:url'
import { random } from './workload.mjs'

/** Starts the server; stop() gives all text that was sent, by the first words of the first prompt. */
export function tokenServer({ perSecond, seconds, answerSeconds = 20, fork }) {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { perSecond, seconds, answerSeconds, fork } })
  return new Promise((done, fail) => {
    worker.once('error', fail)
    worker.once('message', (port) =>
      done({
        env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'bench', OPENAI_MODEL: 'bench' },
        sent: () =>
          new Promise((got) => {
            worker.once('message', got)
            worker.postMessage('sent')
          }),
        stop: () => worker.terminate(),
      }),
    )
  })
}

function main({ perSecond, seconds, answerSeconds, fork }) {
  const sent = {} // first prompt -> {text, tokens, requests}
  const starts = {}
  const server = http.createServer((request, response) => {
    if (request.method === 'GET') {
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'bench', object: 'model', owned_by: 'bench' }] }))
      return
    }
    const chunks = []
    request.on('data', (c) => chunks.push(c)).on('end', () => stream(JSON.parse(Buffer.concat(chunks).toString()), response))
  })

  function stream(body, response) {
    const prompt = body.messages.find((m) => m.role === 'user').content
    // The program's addition to a prompt follows it, after an empty line.
    const key = (typeof prompt === 'string' ? prompt : prompt[0].text).split('\n')[0]
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    const send = (delta, finish = null) =>
      response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`)
    const end = (tool, input) => {
      if (tool) send({ tool_calls: [{ index: 0, id: `call_${body.messages.length}`, type: 'function', function: { name: tool, arguments: JSON.stringify(input) } }] })
      send({}, tool ? 'tool_calls' : 'stop')
      response.end('data: [DONE]\n\n')
    }
    if (key === fork?.prompt) {
      if (!body.messages.some((m) => m.role === 'tool')) return end('self_fork', { children: fork.children })
      send({ content: 'All of them are done.' })
      return end()
    }
    const run = (sent[key] ??= { text: [], tokens: 0, requests: 0, late: 0 })
    const began = Date.now()
    starts[key] ??= began
    const request = run.requests++
    const next = random(request + 1)
    const left = seconds * 1000 - (began - starts[key])
    const total = Math.max(1, Math.round((Math.min(answerSeconds * 1000, left) * perSecond) / 1000))
    const tools = (body.tools ?? []).some((t) => t.function.name === 'ls')
    let at = 0
    let text = ''
    const timer = setInterval(() => {
      const due = Math.min(total, Math.floor(((Date.now() - began) * perSecond) / 1000))
      if (due - at > perSecond / 4) run.late++
      for (; at < due; at++) {
        const token = word(next, at)
        text += token
        run.tokens++
        send({ content: token })
      }
      if (at < total) return
      clearInterval(timer)
      run.text.push(text)
      if (tools && left > answerSeconds * 1000 + 1000) end('ls', { uri: '.' })
      else if (fork) end('task_finish', { summary: 'Done.' })
      else end()
    }, 5)
    response.on('close', () => clearInterval(timer))
  }

  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
  parentPort.on('message', () => parentPort.postMessage(sent))
}

/** One token of an answer: words in paragraphs, a list now and then, code in between. */
function word(next, at) {
  const w = ['water', 'bed', 'rain', 'stream', 'token', 'cache', 'buffer', 'leaf', 'garden', 'agent'][Math.floor(next() * 10)]
  const place = at % 400
  if (place === 0) return `${at ? '\n```\n\n' : ''}## Part ${at / 400 + 1}\n\n`
  if (place === 300) return '\n\n```go\n'
  if (place > 300) return place % 8 === 0 ? `${w}()\n` : `${w} `
  if (place > 200) return place % 10 === 0 ? `\n- **${w}** ` : `${w} `
  return place % 60 === 59 ? `${w}.\n\n` : `${w} `
}

if (!isMainThread) main(workerData)
