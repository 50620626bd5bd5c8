/* Where a folder lies, as far as the names say it. The program decides, links
   included; here a person is told early what it would refuse. */

/** A path of the disk without its "." and ".." and without a slash at the end; relative ones start at base. */
export function absolute(path: string, base: string): string {
  const text = path.trim().replace(/^file:\/\/(localhost(?=\/))?/i, '').replaceAll('\\', '/')
  const drive = /^\/?([A-Za-z]:)(?=\/|$)/.exec(text)
  const whole = drive ? text.slice(drive[0].length) : text.startsWith('/') ? text : `${base.replaceAll('\\', '/')}/${text}`
  const names: string[] = []
  for (const name of whole.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return (drive?.[1] ?? '') + '/' + names.join('/')
}

/** Whether a folder lies in one of those that are allowed, or is one. */
export function inside(folder: string, allowed: readonly string[], base: string): boolean {
  const to = absolute(folder, base)
  return allowed.some((a) => {
    const root = absolute(a, base)
    return to === root || root === '/' || to.startsWith(root + '/')
  })
}

/** A folder as it is shown: relative to base where it lies in it, "this folder" for base itself. */
export function shortPlace(folder: string, base: string): string {
  const to = absolute(folder, base)
  const from = absolute(base, '/')
  if (to === from) return 'this folder'
  return to.startsWith(from + '/') ? to.slice(from.length + 1) : to
}
