// `mutsumi serve` as a process: started in a world, its address read from what
// it prints, ended by its process number.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { binary } from './world.mjs'

/** Starts the program on a world's folder, or on none if folder is null. env overrides the world's. */
export async function serve(world, { env = {}, args = [], program = binary, folder = world.folder, cwd = world.base } = {}) {
  const child = spawn(program, ['serve', ...(folder === null ? [] : [folder]), '--listen', '127.0.0.1:0', ...args], {
    env: world.env(env),
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const server = new Server(child)
  await server.ready()
  return server
}

class Server {
  #child
  #output = ''
  #ended
  #session

  constructor(child) {
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (this.#output += text))
    this.#ended = once(child, 'exit')
  }

  get pid() {
    return this.#child.pid
  }

  /** The program's output so far. */
  get output() {
    return this.#output
  }

  /** The folder that the program reports to serve. */
  get folder() {
    return this.#output.match(/serves (.+) at$/m)?.[1]
  }

  /** The last printed address, with its token, which is valid once. */
  get address() {
    return this.#output.match(/http:\/\/\S+#token=\S+/g)?.at(-1)
  }

  /** The headers of a session of the test's own, which the first printed address is changed for. */
  async headers() {
    this.#session ??= this.#post(
      '/api/session',
      { 'content-type': 'application/json' },
      JSON.stringify({ token: this.address.split('#token=')[1] }),
    )
    return { authorization: `Bearer ${(await this.#session).session}` }
  }

  /** An address that was not opened yet. */
  async enter() {
    return this.#post('/api/session/address', await this.headers())
  }

  async #post(path, headers, body) {
    const response = await fetch(this.origin + path, { method: 'POST', headers, body })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }

  get origin() {
    return new URL(this.address).origin
  }

  async ready() {
    const end = Date.now() + 45_000
    while (!this.address) {
      if (this.#child.exitCode !== null || Date.now() > end) {
        this.#child.kill('SIGKILL')
        throw new Error(`mutsumi serve did not come up:\n${this.#output}`)
      }
      await new Promise((done) => setTimeout(done, 20))
    }
  }

  /** Ends the program as Ctrl+C does, and returns its exit code. */
  async stop(signal = 'SIGINT') {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill(signal)
      const hard = setTimeout(() => this.#child.kill('SIGKILL'), 45_000)
      await this.#ended
      clearTimeout(hard)
    }
    return this.#child.exitCode
  }
}
