import type { MarkdownIt } from 'markdown-it'

/*
 * Addresses that stand in the text without being written as links, as GFM has
 * them: http and https, www., and mail. "README.md" and "main.go" are files, not
 * hosts, so nothing else is taken for one.
 */

/** Top-level domains, besides those of two letters and the old ones, that identify a mail address. */
const ends = ['ai', 'app', 'cloud', 'dev', 'email', 'example', 'online', 'page', 'site', 'tech', 'xyz']

/** The start of the entity of a character that ends an address, as in "?q=a&amp;". */
const entity = /&[A-Za-z0-9]+$/

/** bareAddresses sets which texts a parser's linkifier takes for addresses. */
export function bareAddresses(linkify: MarkdownIt['linkify']): void {
  linkify.set({ fuzzyLink: false, fuzzyIP: false, fuzzyEmail: true })
  linkify.tlds(ends, true)
  // No link of this program leads there, and "//" begins a comment.
  linkify.add('ftp:', null)
  linkify.add('//', null)
  linkify.add('www.', {
    validate: (text, pos, self) => {
      const word = /^\S*/.exec(text.slice(pos))![0]
      const length = Math.max(0, self.testSchemaAt(`//www.${word}`, 'http:', 0) - '//www.'.length)
      return length - (word[length] === ';' ? (entity.exec(word.slice(0, length))?.[0].length ?? 0) : 0)
    },
    normalize: (match) => {
      match.url = `http://${match.url}`
    },
  })
}
