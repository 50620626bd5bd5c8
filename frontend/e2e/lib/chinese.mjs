// The window in Simplified Chinese: using it through the English names, and finding remaining English texts.
import { readFileSync } from 'node:fs'

const folder = new URL('../../../backend/language/', import.meta.url)
const texts = Object.assign(
  {},
  ...['program', 'sentences', 'window'].map((part) => JSON.parse(readFileSync(new URL(`zh-CN.${part}.json`, folder)))),
)

/** The Chinese for an English text. */
export const chinese = (text) => texts[text] ?? text

const real = new WeakMap()
const plain = (value) => real.get(value) ?? value

/** A page whose roles and labels are looked up by their English names. */
export function inChinese(page) {
  const translating = (target) => {
    const proxy = new Proxy(target, {
      get(of, name) {
        const value = Reflect.get(of, name)
        if (typeof value !== 'function') return value
        if (name === 'getByRole')
          return (role, options = {}) =>
            translating(of.getByRole(role, typeof options.name === 'string' ? { ...options, name: chinese(options.name) } : options))
        if (name === 'getByText')
          return (text, options) => translating(of.getByText(typeof text === 'string' ? chinese(text) : text, options))
        return (...args) => {
          const result = value.apply(of, args.map(plain))
          return typeof result?.getByRole === 'function' ? translating(result) : result
        }
      },
    })
    real.set(proxy, target)
    return proxy
  }
  return translating(page)
}

/**
 * The English that is left in the window: texts, labels and placeholders that are
 * visible, without what comes from files, answers and code. Words of `content` are the test's own.
 */
export function englishIn(page, content = []) {
  return page.evaluate(
    ({ own, known }) => {
      const english = new Set(known)
      const found = new Set()
      const shown = (e) => e.checkVisibility?.({ visibilityProperty: true }) ?? true
      const look = (text, where) => {
        let rest = text.trim()
        for (const word of own) rest = rest.replaceAll(word, '')
        // A name among Chinese words is not a sentence; a text of the catalogue, or two English words in a row, is.
        if (english.has(text.trim()) || /[A-Za-z]{2,} [a-z]{2,}/.test(rest)) found.add(`${where}: ${text.trim().slice(0, 120)}`)
      }
      const skipped = 'code, kbd, pre, script, style, .cm-content, .md-block, [lang="en"], p.selectable, [data-content]'
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      while (walker.nextNode()) {
        const { parentElement: e, data } = walker.currentNode
        if (e && !e.closest(skipped) && shown(e)) look(data, e.tagName.toLowerCase())
      }
      for (const name of ['aria-label', 'title', 'placeholder', 'data-tip', 'alt', 'aria-valuetext'])
        for (const e of document.querySelectorAll(`[${name}]`)) if (shown(e) && !e.closest(skipped)) look(e.getAttribute(name), name)
      return [...found]
    },
    { own: content, known: Object.keys(texts).filter((text) => texts[text] !== text && /\p{L}/u.test(text)) },
  )
}

/** Spaces behind Chinese punctuation, which no text of the window has: two sentences were joined as in English. */
export function spacesIn(page) {
  return page.evaluate(() => {
    const texts = [document.body.innerText]
    for (const name of ['aria-label', 'title', 'placeholder', 'data-tip', 'alt', 'aria-valuetext'])
      for (const e of document.querySelectorAll(`[${name}]`)) texts.push(e.getAttribute(name))
    return texts.flatMap((text) => text.match(/.{0,20}[。，；：！？] +[\p{Script=Han}“（].{0,20}/gu) ?? [])
  })
}
