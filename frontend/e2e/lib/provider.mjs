// The model's side of the wire. `mock` is aimock, an independent implementation of the providers'
// protocols, for ordinary answers. `Paced` is a server whose stream the test controls, for states
// in between: a running answer, a stop, a broken connection.
import http from 'node:http'
import { LLMock } from '@copilotkit/aimock'

/** Starts aimock; answers maps a pattern of the last prompt to the text answered. */
export async function mock(answers = {}, options = {}) {
  const server = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', ...options })
  for (const [pattern, answer] of Object.entries(answers)) {
    server.onMessage(pattern, typeof answer === 'string' ? { content: answer } : answer)
  }
  await server.start()
  /* stop() waits for every connection to end, and a client keeps an unused one
     for a minute and a half, so they are cut. The class does not expose its
     listener, so it is taken from inside. */
  const stop = () => {
    const stopped = server.stop()
    server.serverInstance.server.closeAllConnections()
    return stopped
  }
  return { server, env: environment(`${server.url}/v1`, 'gpt-4o'), requests: () => server.getRequests(), stop }
}

/** The key that the program gets; no file, event or page may hold it. */
export const secretKey = 'sk-test-key-that-no-file-may-hold'

const environment = (url, model) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: secretKey, OPENAI_MODEL: model })

export class Paced {
  #http
  #waiting = []
  #arrived = []
  #model

  /** Starts the server. Every chat request waits until the test takes it with next(). */
  static async start({ model = 'paced-model' } = {}) {
    const paced = new Paced()
    paced.#model = model
    paced.#http = http.createServer((request, response) => paced.#answer(request, response))
    await new Promise((done) => paced.#http.listen(0, '127.0.0.1', done))
    return paced
  }

  /** Its address, for a provider of the settings. */
  get url() {
    return `http://127.0.0.1:${this.#http.address().port}/v1`
  }

  get env() {
    return environment(`http://127.0.0.1:${this.#http.address().port}/v1`, this.#model)
  }

  /** The next request: {body, text(), reasoning(), end(), fail(), cut(), closed}. */
  next(limit = 45_000) {
    if (this.#arrived.length > 0) return Promise.resolve(this.#arrived.shift())
    return new Promise((done, fail) => {
      const taker = (exchange) => {
        clearTimeout(timer)
        done(exchange)
      }
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((t) => t !== taker)
        fail(new Error('no request reached the provider'))
      }, limit)
      this.#waiting.push(taker)
    })
  }

  async stop() {
    this.#http.closeAllConnections()
    await new Promise((done) => this.#http.close(done))
  }

  async #answer(request, response) {
    if (request.method === 'GET') {
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify({ object: 'list', data: [{ id: this.#model, object: 'model', owned_by: 'test' }] }))
      return
    }
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const exchange = new Exchange(JSON.parse(Buffer.concat(chunks).toString()), response, this.#model)
    const taker = this.#waiting.shift()
    if (taker) taker(exchange)
    else this.#arrived.push(exchange)
  }
}

class Exchange {
  #response
  #model
  #open = false
  #called = false
  #closed

  constructor(body, response, model) {
    this.body = body
    this.#response = response
    this.#model = model
    this.#closed = new Promise((done) => response.once('close', done))
  }

  /** Resolves when the other side hangs up or the answer has ended; rejects if neither happens for long. */
  get closed() {
    return new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error('the request to the provider was not closed')), 45_000)
      void this.#closed.then(() => (clearTimeout(timer), done()))
    })
  }

  #send(delta, more = {}) {
    if (!this.#open) this.#response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    this.#open = true
    const chunk = {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: this.#model,
      choices: [{ index: 0, delta, finish_reason: null, ...more }],
    }
    this.#response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }

  text(content) {
    this.#send({ role: 'assistant', content })
  }

  reasoning(text) {
    this.#send({ role: 'assistant', reasoning_content: text })
  }

  /** Asks for a tool. */
  call(name, input, index = 0) {
    this.#send({
      role: 'assistant',
      tool_calls: [{ index, id: `call_${index}_${Date.now()}`, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
    })
    this.#called = true
  }

  /** Sends bytes as they are, after the head of a stream. */
  raw(text) {
    if (!this.#open) this.#response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    this.#open = true
    this.#response.write(text)
  }

  /** Ends the answer as a provider does; usage: its token counts. */
  end({ input, cached = 0, output } = {}) {
    this.#send({}, { finish_reason: this.#called ? 'tool_calls' : 'stop' })
    if (input !== undefined)
      this.raw(
        `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: this.#model, choices: [], usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, prompt_tokens_details: { cached_tokens: cached } } })}\n\n`,
      )
    this.#response.end('data: [DONE]\n\n')
  }

  /** Refuses the request; the body contains message as OpenAI formats it. */
  fail(status, message, headers = {}) {
    this.#response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    this.#response.end(JSON.stringify({ error: { message, type: 'test', code: null } }))
  }

  /** Answers with a page, as a proxy or a hotel does. */
  html(page) {
    this.#response.writeHead(200, { 'Content-Type': 'text/html' })
    this.#response.end(page)
  }

  /** Breaks the connection off in the middle. */
  cut() {
    this.#response.destroy()
  }
}
