// A world of its own for one test: a workspace folder and an environment in which the tester's own
// files are neither seen nor changed.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')

/** The finished program; scripts/test.sh builds it. */
export const binary = process.env.MUTSUMI_BIN ?? path.join(root, 'bin', 'mutsumi')

/** Where screenshots and logs of failures go. */
export const outFolder = process.env.MUTSUMI_E2E_OUT ?? path.join(root, 'tmp', 'test')
fs.mkdirSync(outFolder, { recursive: true })

export class World {
  /**
   * files: relative path to content, laid into the workspace. The folder is
   * trusted as if the person had said so; with trusted: false nobody was asked yet.
   * Its window was open before, with all panes; with fresh: true it never was.
   */
  constructor(files = {}, { trusted = true, fresh = false } = {}) {
    this.base = fs.mkdtempSync(path.join(os.tmpdir(), 'mutsumi-e2e-'))
    this.folder = this.path('workspace')
    for (const name of ['workspace', 'home', 'config', 'state', 'tmp', 'run']) fs.mkdirSync(this.path(name), { mode: 0o700 })
    for (const [name, content] of Object.entries(files)) this.write(name, content)
    if (!fresh) this.#left({ sidebarOpen: true, inspectorOpen: true })
    if (trusted) {
      const brought = Object.entries(files).filter(([name]) => name.startsWith('.mutsumi/'))
      const known = Object.fromEntries(brought.map(([name, content]) => [name, createHash('sha256').update(content).digest('hex')]))
      fs.writeFileSync(this.path('state', 'trust.json'), JSON.stringify([{ folder: fs.realpathSync(this.folder), trusted, known }]))
    }
  }

  /** Stores the state in which the folder's window was left. */
  #left(state) {
    const folder = fs.realpathSync(this.folder)
    fs.mkdirSync(this.path('state', 'windows'), { recursive: true })
    fs.writeFileSync(
      this.path('state', 'windows', `${createHash('sha256').update(folder).digest('hex').slice(0, 24)}.json`),
      JSON.stringify({ folder, state }),
    )
  }

  path(...names) {
    return path.join(this.base, ...names)
  }

  /** The environment of every program in this world; more overrides it. */
  env(more = {}) {
    return {
      PATH: process.env.PATH,
      LANG: 'C.UTF-8',
      HOME: this.path('home'),
      XDG_CONFIG_HOME: this.path('home', '.config'),
      XDG_DATA_HOME: this.path('home', '.local', 'share'),
      XDG_CACHE_HOME: this.path('home', '.cache'),
      XDG_RUNTIME_DIR: this.path('run'),
      TMPDIR: this.path('tmp'),
      MUTSUMI_CONFIG: this.path('config'),
      MUTSUMI_STATE: this.path('state'),
      ...more,
    }
  }

  write(name, content) {
    const file = path.join(this.folder, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, content)
    return file
  }

  read(name) {
    return fs.readFileSync(path.join(this.folder, name), 'utf8')
  }

  exists(name) {
    return fs.existsSync(path.join(this.folder, name))
  }

  /** All notebooks of the workspace, by their path in it. */
  notebooks() {
    return walk(this.folder)
      .map((file) => path.relative(this.folder, file))
      .filter((name) => name.endsWith('.mtm'))
      .sort()
  }

  /** A notebook as it is on the disk. */
  notebook(name = this.notebooks()[0]) {
    return JSON.parse(this.read(name))
  }

  /** The content of every file that came about anywhere in this world. */
  everyFile() {
    return walk(this.base).flatMap((file) => there(() => fs.readFileSync(file, 'latin1')) ?? [])
  }

  remove() {
    for (let tries = 1; ; tries++) {
      try {
        fs.rmSync(this.base, { recursive: true, force: true, maxRetries: 5 })
        return
      } catch (err) {
        // A program that is ending may still write its last file.
        if (err.code !== 'ENOTEMPTY' || tries === 50) throw err
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
      }
    }
  }
}

/** The result of look; undefined if the program removes the file in the meantime, as it does with temporary files. */
function there(look) {
  try {
    return look()
  } catch (err) {
    if (err.code !== 'ENOENT') throw err
    return undefined
  }
}

/** Every file below a folder, with its whole path. */
function walk(folder) {
  return (there(() => fs.readdirSync(folder, { withFileTypes: true })) ?? []).flatMap((entry) => {
    const file = path.join(folder, entry.name)
    return entry.isDirectory() ? walk(file) : entry.isFile() ? [file] : []
  })
}

/** The text of a notebook file: cells is a list of [prompt, answer], either of which may be omitted. */
export function notebookText(name, cells, more = {}) {
  const context = cells.flatMap(([prompt, answer]) => [
    ...(prompt === undefined ? [] : [{ role: 'user', content: prompt }]),
    ...(answer === undefined ? [] : [{ role: 'assistant', content: answer }]),
  ])
  const metadata = {
    uuid: crypto.randomUUID(),
    name,
    created_at: '2026-01-02T03:04:05Z',
    parent_agent_id: null,
    allowed_uris: ['.'],
    ...more,
  }
  return JSON.stringify({ metadata, context }, null, 2)
}
