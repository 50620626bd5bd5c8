// The person at the desktop, outside the page: the mouse, the keyboard and the
// clipboard of the X server, and a drag from a window of another program.
import { execFileSync, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeWindow, dragSource, dropTarget, notifications } from './native.mjs'

const xdotool = (...args) => execFileSync('xdotool', args.map(String), { encoding: 'utf8', timeout: 45_000 })

/** Types key combinations ("ctrl+v"), right after each other, into the window that has the focus. */
export const pressKeys = (...combinations) => xdotool('key', '--clearmodifiers', ...combinations)

/** Presses the left button of the mouse, times in a row. */
export const press = ({ x, y }, times = 1) =>
  xdotool('mousemove', '--sync', Math.round(x), Math.round(y), 'click', '--repeat', times, '--delay', 60, 1)

/** The visible X windows of a process, in the order of their making; waits for the first. */
function windowsOf(pid) {
  for (let left = 5; ; left--) {
    try {
      return xdotool('search', '--sync', '--onlyvisible', '--pid', pid).trim().split('\n')
    } catch (e) {
      // A window went while xdotool searched.
      if (left === 0 || !/BadWindow/.test(e.stderr)) throw e
    }
  }
}

/** The X window of a process that has a title, with its place on the screen. */
export function windowOf(pid) {
  for (const id of windowsOf(pid).reverse()) {
    const place = Object.fromEntries(
      xdotool('getwindowgeometry', '--shell', id)
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    )
    if (Number(place.WIDTH) > 200)
      return { id, x: Number(place.X), y: Number(place.Y), width: Number(place.WIDTH), height: Number(place.HEIGHT) }
  }
  throw new Error(`process ${pid} has no window`)
}

/** Gives a window the keyboard; there is no window manager that would. */
export const focus = (id) => xdotool('windowfocus', '--sync', id)

/** Opens a window of another program and gives it the keyboard, as when the person works elsewhere, until test t ends. */
export function lookAway(t) {
  const other = spawn(dragSource(), ['/'], { stdio: 'ignore', env: { ...process.env, GDK_BACKEND: 'x11' } })
  t.after(() => other.kill('SIGTERM'))
  focus(windowsOf(other.pid).at(-1))
}

/** The title of a window, as the system shows it. */
export const titleOf = (id) => xdotool('getwindowname', id).trim()

/** The desktop's notifications: shown are those received, each {id, replaces, title, body}; gone the withdrawn ids. */
export class Notifications {
  #service
  shown = []
  gone = []
  badge = 0

  /** Starts the service; it ends with test t. */
  static async start(t) {
    const n = new Notifications()
    n.#service = spawn(notifications(), { stdio: ['pipe', 'pipe', 'inherit'] })
    t.after(() => n.#service.kill('SIGTERM'))
    await new Promise((done, fail) => {
      createInterface({ input: n.#service.stdout }).on('line', (line) => {
        const [what, id, replaces, title, body] = line.split('\t')
        if (what === 'ready') done()
        else if (what === 'note') n.shown.push({ id: Number(id), replaces: Number(replaces), title, body })
        else if (what === 'gone') n.gone.push(Number(id))
        else if (what === 'badge') n.badge = Number(id)
      })
      n.#service.once('exit', (code) => fail(new Error(`the notification service ended with ${code}`)))
    })
    return n
  }

  click(id) {
    this.#service.stdin.write(`click ${id}\n`)
  }
}

/** Moves a window out of the way of the one from which files are dragged. */
export const moveWindow = (id, x, y) => xdotool('windowmove', '--sync', id, x, y)

/** Gives a window another size. */
export const resizeWindow = (id, width, height) => xdotool('windowsize', '--sync', id, width, height)

/** Moves the mouse, presses and releases its buttons, or types a text: the words of xdotool. */
export const act = (...words) => xdotool(...words)

/** Asks a window to close, as the button in its title bar does. */
export const closeButton = (id) => execFileSync(closeWindow(), [id], { timeout: 45_000 })

/** Puts a file's bytes on the clipboard as a type; xclip keeps running as its owner until release is called. */
export async function copyFile(file, type) {
  const owner = spawn('xclip', ['-quiet', '-selection', 'clipboard', '-t', type, '-i', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  // -quiet stays in the foreground and reports when it owns the clipboard.
  await new Promise((done, fail) => {
    owner.stderr.once('data', done)
    owner.once('error', fail)
    owner.once('exit', (code) => fail(new Error(`xclip ended with ${code}`)))
  })
  return { release: () => owner.kill('SIGTERM') }
}

/** Drags files from another program's window to a point of the screen, as slowly as a hand does. */
export async function dropFiles(files, x, y) {
  const source = spawn(dragSource(), files, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, GDK_BACKEND: 'x11' } })
  const said = new Set()
  const waiting = new Map()
  source.stdout.setEncoding('utf8').on('data', (chunk) => {
    for (const word of chunk.trim().split('\n')) {
      said.add(word)
      waiting.get(word)?.()
    }
  })
  const hears = (word) =>
    new Promise((done, fail) => {
      if (said.has(word)) return done()
      waiting.set(word, done)
      setTimeout(() => fail(new Error(`the drag never came to "${word}" (it came to: ${[...said].join(', ')})`)), 45_000).unref()
    })
  try {
    await hears('ready')
    xdotool('mousemove', 20, 20, 'mousedown', 1)
    // A toolkit takes a press for a drag only after some movement, and notifies the target on the way.
    for (let i = 1; i <= 8; i++) await move(20 + 4 * i, 20 + 3 * i)
    await hears('began')
    const steps = 16
    for (let i = 1; i <= steps; i++) await move(52 + ((x - 52) * i) / steps, 44 + ((y - 44) * i) / steps)
    for (let i = 0; i < 6; i++) await move(x + (i % 2), y)
    xdotool('mouseup', 1)
    await hears('given')
    await hears('ended')
  } finally {
    source.kill('SIGTERM')
  }
}

/**
 * Drags what is at a point of the screen into another program's window, and
 * gives what that program received: a text for each type that it was offered.
 */
export async function dragOut(from) {
  const target = spawn(dropTarget(), [], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, GDK_BACKEND: 'x11' } })
  const got = {}
  let ready, end
  const [isReady, isOver] = [new Promise((done) => (ready = done)), new Promise((done) => (end = done))]
  createInterface({ input: target.stdout }).on('line', (line) => {
    const [what, data] = line.split('\t')
    if (what === 'ready') ready()
    else if (what === 'end') end()
    else got[what] = Buffer.from(data ?? '', 'base64').toString('utf8')
  })
  const within = (promise, what) =>
    Promise.race([
      promise,
      new Promise((_, fail) => setTimeout(() => fail(new Error(`waited 20 s for ${what}; it got ${JSON.stringify(got)}`)), 20_000).unref()),
    ])
  try {
    await within(isReady, 'the other window')
    await drag(from, { x: 40, y: 25 })
    await within(isOver, 'the drop')
    return got
  } finally {
    target.kill('SIGTERM')
  }
}

/** Drags an element from one point of the screen to another, as slowly as a hand does. */
export async function drag(from, to) {
  await move(from.x, from.y)
  xdotool('mousedown', 1)
  const steps = 20
  for (let i = 1; i <= steps; i++) await move(from.x + ((to.x - from.x) * i) / steps, from.y + ((to.y - from.y) * i) / steps)
  for (let i = 0; i < 6; i++) await move(to.x + (i % 2), to.y)
  xdotool('mouseup', 1)
}

async function move(x, y) {
  xdotool('mousemove', Math.round(x), Math.round(y))
  await sleep(30)
}
