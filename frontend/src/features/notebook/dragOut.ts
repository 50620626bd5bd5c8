/* Drags out of the window: a cell as Markdown, a picture or a document as its file. */

/** Makes a drag take Markdown text along. */
export function dragMarkdown(event: DragEvent, text: string): void {
  if (!event.dataTransfer || text.trim() === '') return event.preventDefault()
  event.dataTransfer.setData('text/plain', text)
  event.dataTransfer.setData('text/markdown', text)
  event.dataTransfer.effectAllowed = 'copy'
}

/** Makes a drag take a file along, given its address; '': there is none. */
export function dragFile(event: DragEvent, url: string): void {
  if (!event.dataTransfer || url === '') return event.preventDefault()
  event.dataTransfer.setData('text/uri-list', `${url}\r\n`)
  event.dataTransfer.setData('text/plain', url)
  event.dataTransfer.effectAllowed = 'copy'
}

/** The address of a file that a prompt links to, relative to the open folder (absolute); '' if it is not on this machine. */
export function fileURL(folder: string, link: string): string {
  if (/^file:\/\/\//i.test(link)) return link
  if (/^[a-z][a-z\d+.-]+:/i.test(link)) return ''
  let path = link
  try {
    path = decodeURIComponent(link)
  } catch {
    // It is not an address but a name with a percent sign.
  }
  const slashed = (text: string) => text.replaceAll('\\', '/')
  const windows = /^[a-z]:[\\/]/i.test(folder)
  if (windows) path = slashed(path)
  const absolute = path.startsWith('/') || /^[a-z]:\//i.test(path) ? path : `${windows ? slashed(folder) : folder}/${path}`
  const parts: string[] = []
  for (const part of absolute.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `file:///${parts.map((part, n) => (n === 0 && /^[a-z]:$/i.test(part) ? part : encodeURIComponent(part))).join('/')}`
}
