import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { rowPx } from './lib/ui/fixedRows.svelte'

/* Values with a token are not repeated as numbers elsewhere: sizes of text, heights of
   controls, radii, layers and colours. The promised contrast of the tokens holds. */

const named =
  'aqua|black|blue|brown|coral|crimson|cyan|fuchsia|gold|gr[ae]y|green|indigo|ivory|khaki|lime|magenta|maroon|navy|olive|orange|orchid|pink|plum|purple|red|salmon|sienna|silver|snow|tan|teal|tomato|violet|white|yellow'
const colour = new RegExp(
  `(?<![&\\w/-])#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\\b|\\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\\(|(?<![\\w-])(?:dark|light|medium)?(?:${named})(?![\\w-])`,
  'i',
)

/** Heights between those of an icon and a bar belong to controls and lines; others depend on their content. */
const control = (px: number) => px > 16 && px <= 48

/** The problem of a style declaration, or null. */
export function untokened(property: string, value: string): string | null {
  const name = property.replace(/[A-Z]/g, (c) => '-' + c.toLowerCase())
  const bare = value.replace(/var\([^()]*\)/g, '')
  if (
    /^(color|background|border|outline|fill|stroke|box-shadow|text-shadow|caret|accent-color|scrollbar-color|text-decoration|column-rule)/.test(
      name,
    ) &&
    colour.test(bare)
  )
    return 'a colour'
  const size = name === 'font' ? bare.split('/')[0]! : name === 'font-size' ? bare : ''
  if (/\d(px|pt|rem)\b/.test(size)) return 'a size of text'
  if (/^border(-\w+)*-radius$/.test(name) && /[1-9]\d*(\.\d+)?(px|rem|pt)\b/.test(bare)) return 'a radius'
  if (name === 'z-index' && /[1-9]/.test(bare)) return 'a layer'
  const height = /^(?:(?:min|max)-)?(?:height|block-size)$/.test(name) && /^(\d+(?:\.\d+)?)px$/.exec(bare.trim())
  if (height && control(Number(height[1]))) return 'a height of a control'
  return null
}

/** The declarations in a file: in style sheets, style elements, style attributes, and editor themes. */
export function declarations(file: string, source: string): [property: string, value: string][] {
  const sheet = (css: string) =>
    [...css.replace(/\/\*[^]*?\*\//g, '').matchAll(/(?<=^|[;{}\s])([a-z-]+)\s*:\s*([^;{}]+)(?=[;}])/g)].map((m): [string, string] => [
      m[1]!,
      m[2]!,
    ])
  const theme = (ts: string) =>
    [
      ...ts.matchAll(
        /(?<=[\s{,'])(fontSize|font|height|minHeight|maxHeight|borderRadius|zIndex|color|background|backgroundColor|border\w*|outline|boxShadow)'?: (?:'([^'\n]*)'|"([^"\n]*)"|(\d+))/g,
      ),
    ].map((m): [string, string] => [m[1]!, m[2] ?? m[3] ?? m[4]!])
  if (file.endsWith('.css')) return sheet(source)
  if (file.endsWith('.ts')) return theme(source)
  const styles = [...source.matchAll(/<style[^>]*>([^]*?)<\/style>/g)].flatMap((m) => sheet(m[1]!))
  const markup = source.replace(/<style[^>]*>[^]*?<\/style>/g, '')
  const directives = [...markup.matchAll(/\bstyle:([a-z-]+)="([^"{}]*)"/g)].map((m): [string, string] => [m[1]!, m[2]!])
  const attributes = [...markup.matchAll(/\bstyle="([^"]*)"/g)].flatMap((m) => sheet(m[1]! + ';'))
  return [...styles, ...directives, ...attributes, ...theme(markup)]
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((f) => 'src/' + f.replaceAll('\\', '/'))
  .filter((f) => /\.(ts|svelte|css)$/.test(f) && !/\.(test|bench)\.ts$/.test(f) && f !== 'src/tokens.css')

describe('tokens', () => {
  test('sizes, heights, radii, layers and colours are defined only in tokens.css', () => {
    expect(files.length).toBeGreaterThan(100)
    const wrong = files.flatMap((file) =>
      declarations(file, readFileSync(file, 'utf8')).flatMap(([property, value]) => {
        const why = untokened(property, value)
        return why ? [`${file}: ${property}: ${value} is ${why}`] : []
      }),
    )
    expect(wrong).toEqual([])
  })

  test('markup and code define no colours either', () => {
    const wrong = files
      .filter((f) => /\.(svelte|css)$/.test(f))
      .flatMap((file) =>
        [
          ...readFileSync(file, 'utf8').matchAll(/(?<![&\w/-])#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\b|\b(?:rgba?|hsla?|oklch)\(/gi),
        ].map((m) => `${file}: ${m[0]}`),
      )
    expect(wrong).toEqual([])
  })

  test('a sentence gets its capital from the text, not from a style, which would change a path', () => {
    expect(files.filter((f) => /::?first-letter/.test(readFileSync(f, 'utf8')))).toEqual([])
  })

  test('one component each draws the ring of a field, the small heading and the badge', () => {
    const owners: [RegExp, ...string[]][] = [
      // The prompt is an editor, not a field, but has the same ring.
      [/0 0 0 3px var\(--accent-soft\)/, 'src/features/notebook/Prompt.svelte', 'src/lib/ui/field.css'],
      [/letter-spacing: 0\.02em/, 'src/lib/ui/Caption.svelte'],
      [/padding: 0 4px;\s+(?:[^}]*\s)?border: 1px solid var\(--line-strong\)/, 'src/lib/ui/Badge.svelte'],
    ]
    for (const [look, ...parts] of owners)
      expect(files.filter((f) => !f.endsWith('.ts') && look.test(readFileSync(f, 'utf8'))).sort(), String(look)).toEqual(parts)
  })

  test.each([
    ['a.css', '.a { font-size: 12px }'],
    ['a.css', '.a { font: 600 11px/1.4 var(--font-ui); }'],
    ['a.css', '.a { color: var(--ink); border-radius: 0 4px 4px 0; }'],
    ['a.css', '.a { border-top-left-radius: 3px; }'],
    ['a.svelte', '<p>x</p>\n<style>\n  p {\n    z-index: 7;\n  }\n</style>'],
    ['a.svelte', '<style>p { min-height: 26px; }</style>'],
    ['a.svelte', '<i style:height="30px"></i>'],
    ['a.svelte', '<i style="z-index: 2"></i>'],
    ['a.css', '.a { background: white; }'],
    ['a.css', '.a { border: 1px solid #abc; }'],
    ['a.css', '.a { box-shadow: 0 0 2px rgb(0 0 0 / 50%); }'],
    ['a.ts', "EditorView.theme({ '.cm-line': { padding: '0', fontSize: '12px' } })"],
    ['a.ts', "EditorView.theme({ '&': { height: '26px' } })"],
    ['a.ts', "EditorView.theme({ '.cm-panel': { zIndex: 5 } })"],
  ])('a planted number in %s is found: %s', (file, source) => {
    expect(declarations(file, source).filter(([property, value]) => untokened(property, value))).toHaveLength(1)
  })

  test.each([
    ['a.css', '.a { font: 600 var(--text-s) / 18px var(--font-ui); font-size: 0.85em; }'],
    ['a.css', '.a { border-radius: 50%; height: 1px; min-height: 0; max-height: 320px; z-index: var(--layer-menu); }'],
    [
      'a.css',
      '.a { border-radius: calc(2 * var(--radius-s)); height: var(--row); background: color-mix(in srgb, var(--accent) 28%, transparent); white-space: pre; }',
    ],
    ['a.svelte', '<p style:height="{n}px" data-tip="#1">white</p>'],
    ['a.ts', "const at = { height: 20, font: 'var(--text-s)' }\nconst say = 'a red one'"],
  ])('what is allowed in %s stays allowed: %s', (file, source) => {
    expect(declarations(file, source).filter(([property, value]) => untokened(property, value))).toEqual([])
  })
})

type RGB = [number, number, number]

const tokens = readFileSync('src/tokens.css', 'utf8')

/** The colours of a theme, each with its opacity over the background. */
function themeOf(name: string): Map<string, { rgb: RGB; cover: number }> {
  const body = new RegExp(`\\[data-theme=["']${name}["']\\] \\{([^}]*)\\}`).exec(tokens)![1]!
  return new Map(
    [...body.matchAll(/--([\w-]+):\s*#([0-9a-f]+)\b/g)].map((m) => {
      const hex = m[2]!.length <= 4 ? [...m[2]!].map((c) => c + c).join('') : m[2]!
      const part = (i: number) => parseInt(hex.slice(i, i + 2), 16)
      return [m[1]!, { rgb: [part(0), part(2), part(4)], cover: hex.length === 8 ? part(6) / 255 : 1 }]
    }),
  )
}

const mix = (a: RGB, b: RGB, share: number): RGB => [0, 1, 2].map((i) => a[i]! * share + b[i]! * (1 - share)) as RGB

/** WCAG 2.2, relative luminance and contrast ratio. */
function luminance(rgb: RGB): number {
  const [r, g, b] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}
function contrast(a: RGB, b: RGB): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light! + 0.05) / (dark! + 0.05)
}

test('rows whose height is used in code match the token', () => {
  expect(/--row: (\d+)px/.exec(tokens)![1]).toBe(String(rowPx.list))
})

describe.each(['light', 'dark'])('text in the %s theme', (name) => {
  const theme = themeOf(name)
  const of = (token: string) => theme.get(token)!.rgb
  const on = (cover: string, ground: string) => mix(of(cover), of(ground), theme.get(cover)!.cover)
  const grounds: [string, RGB][] = [
    ...['bg', 'surface', 'sunken', 'raised', 'accent-soft', 'run-soft', 'wait-soft', 'fail-soft', 'add', 'del'].map((g): [string, RGB] => [
      g,
      of(g),
    ]),
    ...['bg', 'surface', 'sunken', 'raised'].flatMap((g) =>
      ['hover', 'selected'].map((cover): [string, RGB] => [`${cover} on ${g}`, on(cover, g)]),
    ),
  ]
  const tooWeak = (inks: [string, RGB][], over: [string, RGB][]) =>
    inks.flatMap(([ink, a]) =>
      over.filter(([, b]) => contrast(a, b) < 4.5).map(([ground, b]) => `${ink} on ${ground}: ${contrast(a, b).toFixed(2)}`),
    )

  test('the contrast ratio follows the standard', () => {
    expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21)
    expect(contrast([119, 119, 119], [255, 255, 255])).toBeCloseTo(4.48, 2)
  })

  test('every text colour has a contrast of 4.5:1 on every background', () => {
    const inks = ['ink', 'ink-2', 'ink-3', 'accent-ink', 'run', 'wait', 'done', 'fail', 'part-rules', 'part-files']
    expect(
      tooWeak(
        inks.map((ink) => [ink, of(ink)]),
        grounds,
      ),
    ).toEqual([])
    expect(tooWeak([['ink-on-accent', of('ink-on-accent')]], [['accent', of('accent')]])).toEqual([])
    expect(tooWeak([['tip-ink', of('tip-ink')]], [['tip', of('tip')]])).toEqual([])
  })

  test('the edge of a field and the colour of disabled parts have a contrast of 3:1', () => {
    const weak = (line: string, over: string[]) => over.filter((ground) => contrast(of(line), of(ground)) < 3)
    const plain = ['bg', 'surface', 'sunken', 'raised']
    expect([weak('line-control', plain), weak('accent', plain), weak('fail', plain), weak('ink-3', plain)]).toEqual([[], [], [], []])
    const field = readFileSync('src/lib/ui/field.css', 'utf8')
    expect([...field.matchAll(/border(?:-color)?: (?:1px solid )?var\(--([\w-]+)\)/g)].map((m) => m[1])).toEqual([
      'line-control',
      'ink-3',
      'accent',
      'fail',
    ])
  })

  test('coloured code has a contrast of 4.5:1, even in differences and their changed words', () => {
    const css = readFileSync('src/lib/ui/syntax.css', 'utf8')
    const rules = [...css.matchAll(/color: color-mix\(in srgb, var\(--([\w-]+)\) var\(--tint, (\d+)%\), var\(--ink\)\)/g)]
    expect(rules.length).toBeGreaterThan(5)
    const lines = readFileSync('src/lib/ui/DiffLines.svelte', 'utf8').replace(/\s+/g, ' ')
    const tint = (rule: RegExp) => Number(rule.exec(lines)![1]) / 100
    const inks = (share?: number) => rules.map((m): [string, RGB] => [m[1]!, mix(of(m[1]!), of('ink'), share ?? Number(m[2]) / 100)])
    const plain = ['surface', 'sunken'].map((g): [string, RGB] => [g, of(g)])
    expect(tooWeak(inks(), plain)).toEqual([])
    expect(
      tooWeak(inks(tint(/\.add, \.del \{ --tint: (\d+)%/)), [
        ['add', of('add')],
        ['del', of('del')],
      ]),
    ).toEqual([])
    expect(
      tooWeak(inks(tint(/\.word \{ --tint: (\d+)%/)), [
        ['add-word', of('add-word')],
        ['del-word', of('del-word')],
      ]),
    ).toEqual([])
  })
})

describe('with high contrast', () => {
  const block = (css: string) => /@media \(forced-colors: active\) \{([^]*?\n)\}/.exec(css)?.[1] ?? ''

  test('selected and focused elements have an outline, whatever styles a component sets', () => {
    const css = block(readFileSync('src/app.css', 'utf8'))
    expect(css).toMatch(/\[aria-selected='true'\][^{}]*\{\s*outline: 1px solid Highlight/)
    expect(css).toMatch(/:focus-visible,[^{}]*\{\s*outline: 2px solid Highlight !important/)
  })

  test('only system colours are used', () => {
    const system = /^(Canvas|CanvasText|Highlight|HighlightText|GrayText|ButtonText|transparent)$/
    expect([...block(tokens).matchAll(/--[\w-]+: ([^;]+);/g)].map((m) => m[1]!).filter((value) => !system.test(value))).toEqual([])
  })
})
