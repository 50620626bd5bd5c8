import { markdownLanguage } from '@codemirror/lang-markdown'
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight'
import { imageName, scan, type Mark } from './scan'

/*
 * The look of a prompt, defined once for both forms: the text that is drawn
 * while nobody edits it, and the editor. Colours and weights only: nothing
 * moves when one becomes the other.
 */

/** Classes for Markdown in a prompt; promptText.css gives them their looks. */
export const markdownClasses = tagHighlighter([
  { tag: tags.heading, class: 'tok-heading' },
  { tag: tags.strong, class: 'tok-strong' },
  { tag: tags.emphasis, class: 'tok-emphasis' },
  { tag: tags.strikethrough, class: 'tok-strike' },
  { tag: tags.monospace, class: 'tok-code' },
  { tag: tags.link, class: 'tok-link' },
  { tag: tags.url, class: 'tok-url' },
  { tag: tags.quote, class: 'tok-quote' },
  { tag: [tags.processingInstruction, tags.contentSeparator], class: 'tok-mark' },
])

/** The CSS classes of scan's marks. */
export const markClasses: Record<Mark['kind'], string> = {
  reference: 'chip',
  tool: 'chip',
  image: 'chip chip-image',
  macro: 'macro',
  directive: 'directive',
  define: 'directive',
}

/** Whether the brackets of a mark are folded away while the caret is elsewhere. */
export const folds = (mark: Mark): boolean => mark.kind === 'reference' || mark.kind === 'tool' || mark.kind === 'image'

export interface Segment {
  text: string
  cls: string
  /** Its start in the prompt, to put the caret where it was clicked. */
  from: number
}

/** linesOf returns the lines of a prompt as drawn while it is not edited. */
export function linesOf(text: string): Segment[][] {
  const lines: Segment[][] = [[]]
  const push = (from: number, to: number, cls: string) => {
    let at = from
    while (at < to) {
      const end = text.indexOf('\n', at)
      const stop = end < 0 || end > to ? to : end
      if (stop > at) lines.at(-1)!.push({ text: text.slice(at, stop), cls, from: at })
      if (stop === end && end < to) lines.push([])
      at = stop === end ? end + 1 : stop
    }
  }
  const tokens: { from: number; to: number; cls: string }[] = []
  highlightTree(markdownLanguage.parser.parse(text), markdownClasses, (from, to, cls) => tokens.push({ from, to, cls }))
  let t = 0
  /** Plain text from a to b, with Markdown classes. */
  const plain = (a: number, b: number) => {
    let at = a
    while (t < tokens.length && tokens[t]!.to <= at) t++
    for (let i = t; i < tokens.length && tokens[i]!.from < b; i++) {
      const token = tokens[i]!
      const from = Math.max(at, token.from)
      push(at, from, '')
      push(from, Math.min(b, token.to), token.cls)
      at = Math.max(at, Math.min(b, token.to))
    }
    push(at, b, '')
  }
  let at = 0
  for (const mark of scan(text)) {
    plain(at, mark.from)
    const cls = markClasses[mark.kind]
    if (mark.kind === 'image') lines.at(-1)!.push({ text: imageName(mark), cls, from: mark.from })
    else push(mark.innerFrom, mark.innerTo, cls)
    at = mark.to
  }
  plain(at, text.length)
  return lines
}
