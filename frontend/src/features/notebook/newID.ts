/** newID makes the id of a cell. crypto.randomUUID does not exist on every scheme that serves the page. */
export function newID(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (b) => b.toString(16).padStart(2, '0')).join('')
}
