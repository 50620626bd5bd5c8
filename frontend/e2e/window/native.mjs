// Compiles the small C programs of this folder: the shim before the
// program, the windows that files are dragged from and dropped on, the close button, the
// service that shows notifications, and the reader of the accessibility bus.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const here = path.dirname(fileURLToPath(import.meta.url))
const config = (...args) => execFileSync('pkg-config', args, { encoding: 'utf8' }).trim().split(/\s+/)

/** The path of the shim, for LD_PRELOAD. */
export const automate = () => compile('automate.c', 'automate.so', ['-shared', '-fPIC', ...config('--cflags', 'webkit2gtk-4.1'), '-ldl'])

/** The path of the program that files are dragged from. */
export const dragSource = () => compile('drag-source.c', 'drag-source', config('--cflags', '--libs', 'gtk+-3.0'))

/** The path of the program that things are dropped on. */
export const dropTarget = () => compile('drop-target.c', 'drop-target', config('--cflags', '--libs', 'gtk+-3.0'))

/** The path of the program that asks a window to close. */
export const closeWindow = () => compile('close-window.c', 'close-window', config('--cflags', '--libs', 'x11'))

/** The path of the notification service. */
export const notifications = () => compile('notifications.c', 'notifications', config('--cflags', '--libs', 'gio-2.0'))

/** The path of the program that reads the accessibility bus. */
export const accessible = () => compile('accessible.c', 'accessible', config('--cflags', '--libs', 'gio-2.0'))

function compile(source, result, flags) {
  const from = path.join(here, source)
  const folder = path.join(os.tmpdir(), `mutsumi-e2e-${process.getuid()}`)
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const to = path.join(folder, result)
  if (!fs.existsSync(to) || fs.statSync(to).mtimeMs < fs.statSync(from).mtimeMs) {
    const half = `${to}.${process.pid}`
    execFileSync('gcc', ['-O1', '-Wall', '-o', half, from, ...flags], { stdio: ['ignore', 'inherit', 'inherit'] })
    fs.renameSync(half, to)
  }
  return to
}
