import { t } from '$lib/language/language'

/* The place of a folder, by its path alone. The program decides, following
   links; this only warns early of paths that it would refuse. */

/** An absolute path without "." and ".." and without a trailing slash; a relative one starts at base. */
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

/** Whether a folder equals an allowed one or is inside it. */
export function inside(folder: string, allowed: readonly string[], base: string): boolean {
  const to = absolute(folder, base)
  return allowed.some((a) => {
    const root = absolute(a, base)
    return to === root || root === '/' || to.startsWith(root + '/')
  })
}

/** The display form of a folder: relative to base if it is inside, "this folder" for base itself. */
export function shortPlace(folder: string, base: string): string {
  const to = absolute(folder, base)
  const from = absolute(base, '/')
  if (to === from) return t`this folder`
  return to.startsWith(from + '/') ? to.slice(from.length + 1) : to
}
