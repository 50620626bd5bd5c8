// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { looksLikeFile, filePath, pathOfLink } from './MarkdownFiles'
import { sanitise, toHTML } from './MarkdownHtml'

/** The text of a link's tooltip: its target. */
const tipOf = (href: string | null) => (href === null ? null : (pathOfLink(href) ?? href))

/** Everything dangerous in a piece of HTML: elements and attributes outside the allowlist. */
function dangers(html: string): string[] {
  const box = new DOMParser().parseFromString(html, 'text/html').body
  const found: string[] = []
  for (const el of box.querySelectorAll('*')) {
    if (
      /^(SCRIPT|STYLE|IFRAME|OBJECT|EMBED|FORM|BUTTON|TEXTAREA|SELECT|LINK|META|BASE|SVG|MATH|IMG|VIDEO|AUDIO|SOURCE|TEMPLATE|FRAME|DIALOG|DETAILS)$/i.test(
        el.tagName,
      )
    )
      found.push(el.tagName)
    for (const { name, value } of el.attributes) {
      if (/^(on|style$|src|data(?!-tip$)|id$|name$|form|xlink|xmlns|srcset|slot$|part$|popover)/i.test(name)) found.push(`${name}=${value}`)
      if (name === 'is' && value !== '') found.push(`${name}=${value}`)
      if (name === 'title' || (name === 'data-tip' && value !== tipOf(el.getAttribute('href')))) found.push(`${name}=${value}`)
      if (name === 'href' && !/^(https?:|mailto:|folder:|footnote(?:-back)?:)/i.test(value)) found.push(`${name}=${value}`)
    }
    if (el.tagName === 'INPUT' && (el.getAttribute('type') !== 'checkbox' || !el.hasAttribute('disabled'))) found.push('live input')
  }
  return found
}

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="jAvAsCrIpT:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href=" javascript:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="file:///etc/passwd">x</a>',
  '<a href="wails://wails/">x</a>',
  '<a href="blob:https://x/1">x</a>',
  '<a href="//evil.example/x">x</a>',
  '<a href="/api/call/DeleteNotebook">x</a>',
  '<a href="https://ok.example" onclick="alert(1)" style="position:fixed;inset:0">x</a>',
  '<div id="app" style="background:url(https://evil.example)">x</div>',
  '<form action="https://evil.example"><input name=a><button>go</button></form>',
  '<input type="text" autofocus onfocus=alert(1)>',
  '<input type="image" src="https://evil.example/x">',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<style>@import "https://evil.example"</style>',
  '<link rel="stylesheet" href="https://evil.example">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<base href="https://evil.example/">',
  '<object data="https://evil.example"></object><embed src="https://evil.example">',
  '<video src="https://evil.example/v" poster="https://evil.example/p"></video>',
  '<p class="cm-editor md-code veil">x</p>',
  '<template><script>alert(1)</script></template>',
  '<details open ontoggle=alert(1)>x</details>',
  '<x-custom onclick=alert(1)>x</x-custom>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<a href="https://ok.example" target="_top" ping="https://evil.example">x</a>',
  '<img srcset="https://evil.example/1 1x">',
  '<p title="Approved" data-tip="Approved" data-keys="Enter">x</p>',
  '<a href="https://evil.example" title="https://ok.example" data-tip="https://ok.example">x</a>',
  '<p data-drawn>x</p><p slot="x" is="y" popover>z</p>',
]

const markdown = [
  '[x](javascript:alert(1))',
  '[x](<javascript:alert(1)>)',
  '[x](jav&#x09;ascript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](//evil.example/a.md)',
  '[x](folder:%22onclick=alert(1))',
  '![x](folder:a"onerror=alert(1).png)',
  '`a/b"onclick=alert(1).md`',
  '![x](a"onerror="alert(1).png)',
  '<kbd onclick=alert(1)>x</kbd><br onload=alert(1)>',
  '[^<script>]: x\n\n[^<img/src=x>]',
  '[x]: javascript:alert(1)\n\n[x]',
  '<javascript:alert(1)>',
  '![x](https://evil.example/track.png)',
  '![x](javascript:alert(1))',
  '![x](data:image/svg+xml;base64,PHN2Zz4=)',
  '[![x](https://evil.example/a.png)](https://ok.example)',
  '![a" onerror="alert(1)](https://evil.example/"onerror="alert(1))',
  '```"><script>alert(1)</script>\ncode\n```',
  '```html onmouseover=alert(1)\n<script>alert(1)</script>\n```',
  '$<img src=x onerror=alert(1)>$',
  '$$\n</div><script>alert(1)</script>\n$$',
  '| a |\n|---|\n| <img src=x onerror=alert(1)> |',
  '- [ ] <input onfocus=alert(1) autofocus>',
  'https://ok.example/"onmouseover="alert(1)',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '\u0000<script>alert(1)</script>',
]

/** The parts of Markdown that parse their content differently. */
const places: [string, (attack: string) => string][] = [
  ['a footnote', (x) => `a[^1]\n\n[^1]: ${x}`],
  ['the label of a footnote', (x) => `a[^${x.replace(/\s/g, '')}]\n\n[^${x.replace(/\s/g, '')}]: b`],
  ['a paragraph of a footnote', (x) => `a[^1]\n\n[^1]: b\n\n    ${x.replace(/\n/g, '\n    ')}`],
  ['an alert', (x) => `> [!WARNING]\n> ${x.replace(/\n/g, '\n> ')}`],
  ['the kind of an alert', (x) => `> [!NOTE${x}]\n> b`],
  ['the target of a link to a file', (x) => `[a](<${x.replace(/[<>\n]/g, (c) => encodeURIComponent(c))}>) \`src/${x}.md\``],
  ['a link to a footnote', (x) => `[a](footnote:${encodeURIComponent(x)}) [b](<footnote-back:${x.replace(/[<>\n]/g, '')}>)`],
  ['a formula', (x) => `$${x}$ and \\(${x}\\)\n\n$$\n${x}\n$$`],
  [
    'the info string of a fence',
    (x) => `~~~${x.replace(/\n/g, ' ')}\ncode\n~~~\n\n- x\n\n  ~~~mermaid ${x.replace(/\n/g, ' ')}\n  graph\n  ~~~`,
  ],
  ['a fence', (x) => `> ~~~mermaid\n> ${x.replace(/\n/g, '\n> ')}\n> ~~~`],
]

describe('the HTML on the page', () => {
  it.each(hostile)('of HTML %s is harmless', (html) => expect(dangers(sanitise(html))).toEqual([]))
  it.each(markdown)('of Markdown %s is harmless', (text) => expect(dangers(toHTML(text))).toEqual([]))
  it.each(hostile)('of %s inside Markdown is text', (html) => {
    const out = toHTML(html)
    expect(dangers(out)).toEqual([])
    expect(new DOMParser().parseFromString(out, 'text/html').body.textContent).toContain('<')
  })
  // All places in one text per attack: rendering in jsdom is slow.
  it.each([...hostile, ...markdown])('of %s at every place that reads Markdown in its own way is harmless', (attack) => {
    expect(dangers(toHTML(places.map(([, at]) => at(attack)).join('\n\n<!-- -->\n\n')))).toEqual([])
  })
  it('keeps no class of the interface', () => {
    expect(sanitise('<p class="veil math">x</p>')).toBe('<p class="math">x</p>')
  })
})

describe('legitimate markup stays', () => {
  it.each([
    ['**b** *e* ~~s~~ `c`', '<p><strong>b</strong> <em>e</em> <s>s</s> <code>c</code></p>'],
    ['| a | b |\n|--:|:-:|\n| 1 | 2 |', /<td align="right">1<\/td>\s*<td align="center">2<\/td>/],
    ['- [x] done', /<li class="task-list-item"><label><input [^>]*type="checkbox"[^>]*> done<\/label><\/li>/],
    ['3. three', '<ol start="3">'],
    ['see https://example.com/a?b=1 now', '<a href="https://example.com/a?b=1"'],
    ['README.md and main.go stay words', '<p>README.md and main.go stay words</p>'],
    ['mail <me@example.com>', 'href="mailto:me@example.com"'],
    ['![a chart](https://example.com/c.png)', /<a [^>]*class="image-link"[^>]*>a chart<\/a>/],
    [
      '![local](charts/c%20d.png)',
      /<a [^>]*href="folder:charts%2Fc%20d\.png"[^>]*class="image-link image-file"|<a [^>]*class="image-link image-file"[^>]*href="folder:charts%2Fc%20d\.png"/,
    ],
    ['![data](data:image/png;base64,AA==)', '<span class="image-link">data</span>'],
    ['[the file](src/a.go#L3-L9)', /<a href="folder:src%2Fa\.go%3A3%3A9"[^>]*data-tip="src\/a\.go:3:9"[^>]*>the file<\/a>/],
    ['see `src/today.py:4` here', /<a [^>]*href="folder:src%2Ftoday\.py%3A4"[^>]*><code>src\/today\.py:4<\/code><\/a>/],
    ['see `x := 1` and `and/or` here', '<p>see <code>x := 1</code> and <code>and/or</code> here</p>'],
    ['[`src/a.go`](https://example.com)', /<a href="https:\/\/example\.com"[^>]*><code>src\/a\.go<\/code><\/a>/],
    ['press <kbd>Ctrl</kbd>, H<sub>2</sub>O, x<sup>2</sup>, a<br>b', '<p>press <kbd>Ctrl</kbd>, H<sub>2</sub>O, x<sup>2</sup>, a<br>b</p>'],
    ['an open <kbd>key\n\nand text', /<p>an open <kbd>key<\/kbd><\/p>\s*<p>and text<\/p>/],
    ['code `<kbd>` and <kbd class="x">no', '<p>code <code>&lt;kbd&gt;</code> and &lt;kbd class="x"&gt;no</p>'],
    [
      'Rain fell[^1].\n\n[^1]: Measured *here*\n  by hand\n[^b]: word',
      /<p>Rain fell<sup><a class="footnote-mark" href="footnote:1"[^>]*aria-label="Footnote 1"[^>]*>1<\/a><\/sup>\.<\/p>\s*<div class="footnote">\s*<p><sup><a class="footnote-back" href="footnote-back:1"[^>]*>1<\/a><\/sup> Measured <em>here<\/em>\s+by hand<\/p>\s*<\/div>\s*<div class="footnote">\s*<p><sup><a [^>]*>b<\/a><\/sup> word<\/p>/,
    ],
    [
      '[^N]: One.\n\n    Two.\n\n    - three\n\nFour',
      /<div class="footnote">\s*<p><sup>.*One\.<\/p>\s*<p>Two\.<\/p>\s*<ul>[^]*<\/ul>\s*<\/div>\s*<p>Four<\/p>/,
    ],
    ['a character of [^a-z] and [^1]', '<p>a character of [^a-z] and [^1]</p>'],
    [
      '> [!NOTE]\n> Read *this*.',
      /<div class="alert alert-note">\s*<p class="alert-title">Note<\/p>\s*<p>Read <em>this<\/em>\.<\/p>\s*<\/div>/,
    ],
    ['> [!caution]\n>\n> - one', /<div class="alert alert-caution">\s*<p class="alert-title">Caution<\/p>\s*<ul>/],
    ['> [!NOTE]', /<blockquote>\s*<p>\[!NOTE\]/],
    ['> [!NOTE] more', /<blockquote>\s*<p>\[!NOTE\] more/],
    ['> [!OTHER]\n> x', /<blockquote>\s*<p>\[!OTHER\]/],
    ['> > [!TIP]\n> > x', /<blockquote>\s*<blockquote>\s*<p>\[!TIP\]/],
    ['$x^2$ and \\(y\\) but $5 and $6', '<p><span class="math">x^2</span> and <span class="math">y</span> but $5 and $6</p>'],
    ['$$\na\n$$', '<div class="math math-display">a</div>'],
    ['\\[ a \\]', '<div class="math math-display">a</div>'],
    ['```go\nx := 1\n```', '<code class="language-go">x := 1'],
    ['a `$x$` b', '<code>$x$</code>'],
  ])('%s', (text, want) => {
    if (typeof want === 'string') expect(toHTML(text)).toContain(want)
    else expect(toHTML(text)).toMatch(want)
  })
})

describe('markup that would block the page or hide in it', () => {
  it('a formula that is too long is shown as source, with a note', () => {
    const html = toHTML(`$$\n${'x+'.repeat(2000)}1\n$$`)
    expect(html).toContain('A formula of 4,001 characters, shown as its source:')
    expect(html).not.toContain('class="math')
    expect(html).toContain('x+x+x+1</code>')
  })

  it('a paragraph that is too long is shown as source, with a note', () => {
    const html = toHTML(`${'*a'.repeat(6000)}\n\nAnd *this* is read.`)
    expect(html).toContain('12,000 characters without a break, shown as they were written:')
    expect(html).toContain('<em>this</em>')
    expect(html.match(/<em>/g)).toHaveLength(1)
  })

  it('a run longer than any word is drawn without kerning', () => {
    expect(toHTML(`see ${'x+'.repeat(600)} there`)).toMatch(/<p><span class="unbroken">see x\+/)
    expect(toHTML(`see ${'x+ '.repeat(600)} there`)).not.toContain('unbroken')
  })

  it('direction overrides and control characters are shown by number, in prose and in code', () => {
    expect(toHTML('a \u202Eb `c\u200Bd`')).toBe(
      '<p>a <span class="unseen">U+202E</span>b <code>c<span class="unseen">U+200B</span>d</code></p>\n',
    )
    expect(toHTML('[x\u202Ey](https://a.example/\u202Ez)')).toContain('x<span class="unseen">U+202E</span>y')
  })

  it('right-to-left languages keep their marks', () => {
    expect(toHTML('می\u200Cخواهم \u200F(a)')).toBe('<p dir="rtl">می\u200Cخواهم \u200F(a)</p>\n')
  })
})

describe('names of files of the folder', () => {
  it.each([
    ['src/a.go', 'src/a.go'],
    ['./a%20b.md', './a b.md'],
    ['../x.txt', '../x.txt'],
    ['/etc/hosts', '/etc/hosts'],
    ['a.go:10:20', 'a.go:10:20'],
    ['src/a.go:120:5', 'src/a.go:120'],
    ['a.go:10-20', 'a.go:10:20'],
    ['my%20file.txt:2-3', 'my file.txt:2:3'],
    ['a.md#L4', 'a.md:4'],
    ['a.md#a-heading', 'a.md'],
    ['notes', 'notes'],
    ['Makefile', 'Makefile'],
    ['Makefile:2', 'Makefile:2'],
    ['Dockerfile:12:3', 'Dockerfile:12'],
    ['LICENSE:5-9', 'LICENSE:5:9'],
    ['justfile:2', 'justfile:2'],
    ['build/rules:2', 'build/rules:2'],
    ['计划/图.md', '计划/图.md'],
    ['https://x.example/a.md', undefined],
    ['mailto:a@b', undefined],
    ['javascript:1', undefined],
    ['Makefile:x', undefined],
    ['license:2', undefined],
    ...[
      'http',
      'https',
      'mailto',
      'tel',
      'sms',
      'javascript',
      'JavaScript',
      'vbscript',
      'data',
      'file',
      'File',
      'blob',
      'news',
      'NEWS',
    ].map((scheme): [string, undefined] => [`${scheme}:2`, undefined]),
    ['localhost:8080', undefined],
    ['file:///etc/passwd', undefined],
    ['//x.example/a', undefined],
    ['#part', undefined],
    ['?q', undefined],
    ['\\\\host\\share', undefined],
    ['', undefined],
    ['a[b].md', undefined],
    ['x'.repeat(301), undefined],
  ])('%s', (target, path) => expect(filePath(target)).toBe(path))

  it.each([
    ['README.md', true],
    ['src/today.py:3', true],
    ['./a.x', true],
    ['图/计划.md', true],
    ['main.go:1:2', true],
    ['main.go:1-2', true],
    ['lib/a-b.c:10-20', true],
    ['main.go:1-', false],
    ['x.y', false],
    ['e.g.', false],
    ['a b.md', false],
    ['https://x/a.md', false],
    ['fmt.Println', false],
    ['a.b()', false],
    ['3.14', false],
    ['and/or', false],
  ])('in code: %s', (code, is) => expect(looksLikeFile(code)).toBe(is))

  it('opens the line that a compiler names, not the lines up to its column', () => {
    expect(toHTML('See `src/a.go:120:5`.')).toContain('href="folder:src%2Fa.go%3A120"')
    expect(toHTML('See `src/a.go:5-12`.')).toContain('href="folder:src%2Fa.go%3A5%3A12"')
  })

  it('a name without an ending and a line is a link to the file, what could be a scheme stays what it was', () => {
    expect(toHTML('[x](Makefile:2)')).toContain('href="folder:Makefile%3A2"')
    expect(toHTML('[x](http:2)')).toContain('href="http:2"')
    expect(toHTML('[x](mailto:2)')).toContain('href="mailto:2"')
    for (const target of ['tel:2', 'news:2', 'localhost:8080']) expect(toHTML(`[x](${target})`)).toBe('<p><a>x</a></p>\n')
    for (const target of ['javascript:2', 'vbscript:2', 'file:2', 'data:2']) {
      expect(toHTML(`[x](${target})`)).toBe(`<p>[x](${target})</p>\n`)
    }
  })
})
