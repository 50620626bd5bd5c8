// The memory and time of a program's processes, from /proc (Linux).
import fs from 'node:fs'

/** The process numbers of pid and of all its descendants. */
export function tree(pid) {
  const children = new Map()
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    let stat
    try {
      stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8')
    } catch {
      continue // it has ended
    }
    // The name in parentheses may contain anything; the parent is the second field after it.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const all = [pid]
  for (const p of all) all.push(...(children.get(p) ?? []))
  return all
}

/** The proportional set size of a process tree in MB, whole and by program name: shared pages count once. */
export function memory(pid) {
  return sizes(tree(pid))
}

/** The same for all descendants of this process, without itself: a browser has no process number to ask for. */
export function memoryOfChildren() {
  return sizes(tree(process.pid).slice(1))
}

function sizes(pids) {
  const parts = {}
  let total = 0
  for (const p of pids) {
    try {
      const kb = Number(fs.readFileSync(`/proc/${p}/smaps_rollup`, 'utf8').match(/^Pss:\s+(\d+) kB/m)[1])
      const name = fs.readFileSync(`/proc/${p}/comm`, 'utf8').trim()
      parts[name] = (parts[name] ?? 0) + kb / 1024
      total += kb / 1024
    } catch {
      // it has ended
    }
  }
  return { total, parts }
}

/** The memory once it has come to rest: the smallest of several looks. */
export async function settled(pid, looks = 5) {
  let least
  for (let i = 0; i < looks; i++) {
    await new Promise((done) => setTimeout(done, 1000))
    const now = memory(pid)
    if (!least || now.total < least.total) least = now
  }
  return least
}

/** Processor seconds that a process tree has used so far. */
export function processor(pid) {
  let ticks = 0
  for (const p of tree(pid)) {
    try {
      const stat = fs.readFileSync(`/proc/${p}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // it has ended
    }
  }
  return ticks / 100
}

/** The number of the process that shows the page of a window; 0 if there is none yet. */
export function webProcess(pid) {
  for (const p of tree(pid)) {
    try {
      const status = fs.readFileSync(`/proc/${p}/status`, 'utf8')
      if (/^Name:\s+WebKitWebProc/.test(status) && !/^State:\s+Z/m.test(status)) return p
    } catch {
      // it has ended
    }
  }
  return 0
}

/** Processor seconds that the first threads of those processes in the tree of pid have used so far whose command line matches: in a web view's process it runs the page. */
export function firstThreads(pid, which) {
  let ns = 0
  for (const p of tree(pid)) {
    try {
      if (which.test(fs.readFileSync(`/proc/${p}/cmdline`, 'utf8'))) ns += Number(fs.readFileSync(`/proc/${p}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // it has ended
    }
  }
  return ns / 1e9
}
