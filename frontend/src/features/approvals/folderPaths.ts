import { t } from '$lib/language/language'

/* Where a folder is, as far as its path shows. The program decides, links
   included; this only warns early of what it would refuse. */

/** A path of the disk without its "." and ".." and without a slash at the end; relative ones start at base. */
export function absolute(path: string, base: string): string {
  const text = path
    .trim()
    .replace(/^file:\/\/(localhost(?=\/))?/i, '')
    .replaceAll('\\', '/')
  const drive = /^\/?([A-Za-z]:)(?=\/|$)/.exec(text)
  const whole = drive ? text.slice(drive[0].length) : text.startsWith('/') ? text : `${base.replaceAll('\\', '/')}/${text}`
  const names: string[] = []
  for (const name of whole.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return (drive?.[1] ?? '') + '/' + names.join('/')
}

/** Whether a folder is in an allowed one, or is one. */
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
  if (to === from) return t`this folder`
  return to.startsWith(from + '/') ? to.slice(from.length + 1) : to
}
