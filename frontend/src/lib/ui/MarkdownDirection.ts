import type { MarkdownIt, Token } from 'markdown-it'

/*
 * The direction of a block's text, and which of the languages that share
 * characters it is written in, so that list markers are on its side and
 * characters have its shapes. Both are detected from the text.
 */

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** directionOf returns the direction of the first letter that has one. */
export function directionOf(text: string): 'rtl' | 'ltr' | undefined {
  const letter = /\p{L}/u.exec(text)?.[0]
  return letter ? (rightToLeft.test(letter) ? 'rtl' : 'ltr') : undefined
}

/** languageOf detects Japanese and Korean by letters that only they have; other text needs no lang. */
export function languageOf(text: string): 'ja' | 'ko' | undefined {
  return /[\u3041-\u30fa]/.test(text) ? 'ja' : /[\u1100-\u11ff\uac00-\ud7a3]/.test(text) ? 'ko' : undefined
}

/** The text that decides: code and formulas are always left to right. */
const prose = (token: Token): string =>
  token.children
    ? token.children.map((t) => (t.type === 'text' ? t.content : t.children ? prose(t) : ' ')).join('')
    : token.content.slice(0, 1000)

/** direction sets dir on blocks whose direction differs from their surroundings, and lang on Japanese and Korean text. */
export function direction(md: MarkdownIt): void {
  md.core.ruler.push('direction', (state) => {
    const around: { open: Token; dir?: string }[] = []
    const known: { open: Token; dir?: string }[] = []
    for (const token of state.tokens) {
      if (token.nesting === 1) {
        const block = { open: token }
        around.push(block)
        known.push(block)
      } else if (token.nesting === -1) around.pop()
      else if (token.type === 'inline' || token.type === 'long_text') {
        const text = prose(token)
        const dir = directionOf(text)
        if (dir) for (const block of around) block.dir ??= dir
        const lang = languageOf(text)
        if (lang) around.findLast(({ open }) => !open.hidden)?.open.attrSet('lang', lang)
      }
    }
    // A second pass from the outside in sets only differences.
    const dirs: string[] = ['ltr']
    const found = new Map(known.map((block) => [block.open, block.dir]))
    for (const token of state.tokens) {
      if (token.nesting === 1) {
        // An item's marker is on the side of its list.
        const dir = (token.type === 'list_item_open' ? undefined : found.get(token)) ?? dirs.at(-1)!
        if (dir !== dirs.at(-1)) token.attrSet('dir', dir)
        dirs.push(dir)
      } else if (token.nesting === -1) dirs.pop()
    }
  })
}
