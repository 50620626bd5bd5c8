import { idle } from './lazy.svelte'
import { pathOfLink } from './MarkdownFiles'
import { visible } from './visible'

/*
 * Work on rendered Markdown after it is on the screen, off the critical
 * path: draws formulas and colours code when they come near the view.
 */

/** Loaders of the languages that can be coloured; each one is loaded on first use. */
const loaders = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  graphql: () => import('highlight.js/lib/languages/graphql'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  php: () => import('highlight.js/lib/languages/php'),
  powershell: () => import('highlight.js/lib/languages/powershell'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
}
type Language = keyof typeof loaders

const aliases: Record<string, Language> = {
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  console: 'bash',
  h: 'c',
  'c++': 'cpp',
  cc: 'cpp',
  hpp: 'cpp',
  cs: 'csharp',
  'c#': 'csharp',
  patch: 'diff',
  docker: 'dockerfile',
  golang: 'go',
  gql: 'graphql',
  toml: 'ini',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  jsonc: 'json',
  json5: 'json',
  jsonl: 'json',
  kt: 'kotlin',
  make: 'makefile',
  mk: 'makefile',
  md: 'markdown',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  ts: 'typescript',
  tsx: 'typescript',
  html: 'xml',
  svg: 'xml',
  vue: 'xml',
  svelte: 'xml',
  yml: 'yaml',
}

/** Longer code stays plain: colouring it would block the window. */
export const MAX_CODE = 40_000

/** languageOf returns the language of a code fence, if it can be coloured. */
function languageOf(name: string): Language | undefined {
  const lower = name.toLowerCase()
  return lower in loaders ? (lower as Language) : Object.hasOwn(aliases, lower) ? aliases[lower] : undefined
}

/** highlight returns HTML with hljs classes, or undefined if the code stays plain. */
export async function highlight(code: string, name: string): Promise<string | undefined> {
  const language = languageOf(name)
  if (!language || code.length > MAX_CODE) return undefined
  const [{ default: hljs }, { default: grammar }] = await Promise.all([import('highlight.js/lib/core'), loaders[language]()])
  if (!hljs.getLanguage(language)) hljs.registerLanguage(language, grammar)
  await idle()
  return hljs.highlight(code, { language, ignoreIllegals: true }).value
}

/** The time per frame for drawing formulas, in milliseconds; the rest wait for the next frame. */
const SLICE_MS = 12
/** The most formulas drawn per block; the others stay as source. */
const MAX_FORMULAS = 500

/** drawMath draws the formulas in root. KaTeX is loaded on first use. */
export async function drawMath(root: Element): Promise<void> {
  const found = root.querySelectorAll<HTMLElement>('.math:not([data-drawn])')
  if (found.length === 0) return
  const [{ default: katex }] = await Promise.all([import('katex'), import('katex/dist/katex.min.css')])
  let until = performance.now() + SLICE_MS
  const drawn: HTMLElement[] = []
  for (const el of [...found].slice(0, MAX_FORMULAS)) {
    if (performance.now() > until) {
      await new Promise((next) => requestAnimationFrame(next))
      until = performance.now() + SLICE_MS
    }
    // Another call may have drawn it, or the text may have changed.
    if (el.dataset.drawn !== undefined || !el.isConnected) continue
    const tex = el.textContent
    el.dataset.drawn = ''
    try {
      katex.render(tex, el, {
        displayMode: el.classList.contains('math-display'),
        throwOnError: false,
        trust: false,
        strict: 'ignore',
        maxSize: 10,
        maxExpand: 200,
        output: 'htmlAndMathml',
      })
    } catch {
      el.textContent = tex
    }
    el.dataset.tip = visible(tex)
    drawn.push(el)
  }
  /* A formula that is wider than the text scrolls separately. They are measured together,
     in one layout, by the pieces between which a formula may break: a root draws a
     line far beyond itself and clips it, which scrollWidth includes. */
  const wide = drawn.filter((el) => {
    const room = el.closest<HTMLElement>('p, li, td, th, blockquote, h1, h2, h3, h4, h5, h6, div')?.clientWidth ?? Infinity
    return [...el.querySelectorAll<HTMLElement>('.base')].some((piece) => piece.offsetWidth > room + 1)
  })
  for (const el of wide) el.classList.add('math-wide')
}

/** The most pictures drawn per block; the others stay links. */
const MAX_IMAGES = 50

/** drawImages replaces links to pictures of the folder by the pictures; one that cannot be shown stays a link. */
export function drawImages(root: Element, imageURL: (path: string) => string): void {
  for (const link of [...root.querySelectorAll<HTMLAnchorElement>('a.image-file')].slice(0, MAX_IMAGES)) {
    const path = pathOfLink(link.getAttribute('href') ?? '')
    if (path === undefined || link.querySelector('img')) continue
    const words = [...link.childNodes]
    const img = document.createElement('img')
    img.alt = link.textContent
    img.loading = 'lazy'
    img.decoding = 'async'
    img.draggable = false
    img.onerror = () => {
      link.classList.remove('drawn')
      link.replaceChildren(...words)
    }
    link.classList.add('drawn')
    img.src = imageURL(path)
    link.replaceChildren(img)
  }
}
