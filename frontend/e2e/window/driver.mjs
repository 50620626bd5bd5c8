// The real window under WebKitWebDriver: starts the finished program through
// the driver, with automate.c before it, and speaks the W3C protocol to it.
// It knows nothing of the interface. Every request has a time limit, and the
// program is ended by its process number.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { automate } from './native.mjs'

const elementKey = 'element-6066-11e4-a52e-4f735466cecf'
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

export class Driver {
  #driver
  #base
  #session
  #pidFile

  /**
   * Starts `binary args...` with env in a new session. scratch is a folder for
   * the launcher and the program's output (program.log).
   */
  static async start(binary, args, env, scratch) {
    const d = new Driver()
    const launcher = path.join(scratch, 'launch.sh')
    d.#pidFile = path.join(scratch, 'pid')
    d.log = path.join(scratch, 'program.log')
    const quote = (s) => `'${String(s).replaceAll("'", `'\\''`)}'`
    // The driver adds the session's variables to the environment: they are kept, ours override them.
    fs.writeFileSync(
      launcher,
      ['#!/bin/sh', `echo $$ > ${quote(d.#pidFile)}`, `date +%s%N > ${quote(d.#pidFile + '.start')}`]
        .concat(Object.entries(env).map(([k, v]) => `export ${k}=${quote(v)}`))
        .concat([`export LD_PRELOAD=${quote(automate())}`, `exec ${[binary, ...args].map(quote).join(' ')} >>${quote(d.log)} 2>&1`, ''])
        .join('\n'),
      { mode: 0o755 },
    )
    try {
      await d.#join({ 'webkitgtk:browserOptions': { binary: launcher, args: [] } })
    } catch (err) {
      const output = fs.existsSync(d.log) ? fs.readFileSync(d.log, 'utf8').slice(-2000) : ''
      await d.stop()
      throw new Error(`open the window: ${err.message}\n${output}`)
    }
    return d
  }

  /** Starts the driver and opens a session: of a program that it starts, or of one that listens at target. */
  async #join(capabilities, target) {
    const port = await freePort()
    this.#base = `http://127.0.0.1:${port}`
    const args = [`--port=${port}`, '--host=127.0.0.1', ...(target ? [`--target=${target}`] : [])]
    this.#driver = spawn('WebKitWebDriver', args, { stdio: 'ignore' })
    await until(
      () =>
        this.#request('GET', '/status').then(
          () => true,
          () => false,
        ),
      'WebKitWebDriver to answer',
    )
    const made = await this.#request('POST', '/session', { capabilities: { alwaysMatch: capabilities } }, 60_000)
    this.#session = made.sessionId
    await this.#command('POST', '/timeouts', { script: 30_000 })
  }

  /** Opens another session of the same program: WebKit ends one when the process of the page ends. */
  async rejoin() {
    this.#driver.kill('SIGTERM')
    const given = fs.readFileSync(`/proc/${this.pid}/environ`, 'latin1').split('\0')
    await this.#join({}, given.find((v) => v.startsWith('WEBKIT_INSPECTOR_SERVER=')).split('=')[1])
  }

  get pid() {
    return Number(fs.readFileSync(this.#pidFile, 'utf8'))
  }

  /** When the program was started, in Unix milliseconds. */
  get startedMs() {
    return Number(fs.readFileSync(`${this.#pidFile}.start`, 'utf8')) / 1e6
  }

  /** The program's output so far. */
  get output() {
    return fs.existsSync(this.log) ? fs.readFileSync(this.log, 'utf8') : ''
  }

  async #request(method, url, body, limit = 60_000) {
    const response = await fetch(this.#base + url, {
      method,
      signal: AbortSignal.timeout(limit),
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const { value } = await response.json()
    if (!response.ok) throw new Error(`${method} ${url}: ${value?.error}: ${value?.message}`)
    return value
  }

  #command(method, url, body) {
    return this.#request(method, `/session/${this.#session}${url}`, body)
  }

  /** Runs a function in the page with JSON arguments; a promise is awaited. */
  async run(fn, ...args) {
    const script = `const done = arguments[arguments.length - 1]; const args = [...arguments].slice(0, -1);
      Promise.resolve().then(() => (${fn})(...args)).then((v) => done({ v }), (e) => done({ e: String(e && e.stack || e) }))`
    const { v, e } = await this.#command('POST', '/execute/async', { script, args })
    if (e !== undefined) throw new Error(`in the page: ${e}`)
    return v
  }

  /** Loads the page again. */
  reload() {
    return this.#command('POST', '/refresh', {})
  }

  /** Waits until fn in the page gives something true, and returns it. */
  until(fn, what, ...args) {
    return until(() => this.run(fn, ...args), what)
  }

  /** Clicks the middle of an element as a mouse does: the first for a selector, or the result of a function in the page. */
  async click(target, ...args) {
    const found =
      typeof target === 'string'
        ? await this.#command('POST', '/element', { using: 'css selector', value: target })
        : await this.run(target, ...args)
    if (!found?.[elementKey]) throw new Error(`there is nothing to click for ${target}`)
    await this.#command('POST', `/element/${found[elementKey]}/click`, {})
  }

  /** Sends keys to the focused element; `keys` has the special ones. */
  async press(...strokes) {
    const actions = strokes.flatMap((stroke) => {
      const parts = Array.isArray(stroke) ? stroke : [...stroke]
      if (Array.isArray(stroke)) {
        return [...parts.map((value) => ({ type: 'keyDown', value })), ...parts.toReversed().map((value) => ({ type: 'keyUp', value }))]
      }
      return parts.flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ])
    })
    await this.#command('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] })
  }

  /**
   * Saves what the window shows as a PNG and returns its bytes. WebKitGTK
   * answers with the next painted frame and an idle page paints none, so one
   * pixel is repainted meanwhile.
   */
  async screenshot(file) {
    await this.run(() => {
      const dot = document.createElement('i')
      dot.style.cssText = 'position:fixed;right:0;bottom:0;width:1px;height:1px;pointer-events:none;z-index:2147483647'
      document.body.append(dot)
      let n = 0
      const timer = setInterval(() => {
        dot.style.background = `rgba(${n % 2},0,0,0.02)`
        if (++n > 120) {
          clearInterval(timer)
          dot.remove()
        }
      }, 16)
    })
    const png = Buffer.from(await this.#command('GET', '/screenshot'), 'base64')
    if (file) fs.writeFileSync(file, png)
    return png
  }

  /** Whether the program ends on its own within limit milliseconds. */
  ended(limit) {
    return gone(this.pid, limit)
  }

  /** Ends the session, and the program if it still runs. */
  async stop() {
    let pid
    try {
      pid = this.pid
    } catch {
      pid = 0 // it never came so far
    }
    if (this.#session) await this.#command('DELETE', '').catch(() => {})
    if (pid) {
      if (!(await gone(pid, 1000))) signal(pid, 'SIGTERM')
      if (!(await gone(pid, 8000))) signal(pid, 'SIGKILL')
      await gone(pid, 2000)
    }
    this.#driver.kill('SIGTERM')
  }
}

/** Special keys of the WebDriver protocol. */
export const keys = {
  control: '\uE009',
  shift: '\uE008',
  alt: '\uE00A',
  enter: '\uE007',
  escape: '\uE00C',
  tab: '\uE004',
  backspace: '\uE003',
  delete: '\uE017',
  down: '\uE015',
  up: '\uE013',
  home: '\uE011',
  end: '\uE010',
}

/** Asks again until check gives something true. */
export async function until(check, what, limit = 45_000) {
  const end = Date.now() + limit
  for (;;) {
    const found = await check()
    if (found) return found
    if (Date.now() > end) throw new Error(`waited ${limit / 1000} s for ${what}`)
    await sleep(30)
  }
}

function freePort() {
  return new Promise((done, fail) => {
    const server = net.createServer()
    server.on('error', fail)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })
}

function signal(pid, name) {
  try {
    process.kill(pid, name)
  } catch {
    // it has ended on its own
  }
}

/** Whether pid is gone within limit; an unreaped zombie counts as ended. */
async function gone(pid, limit) {
  const end = Date.now() + limit
  for (;;) {
    try {
      process.kill(pid, 0)
      if (/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))) return true
    } catch {
      return true
    }
    if (Date.now() > end) return false
    await sleep(40)
  }
}
