// @vitest-environment jsdom
import { describe, expect, test } from 'vitest'
import { clean } from './diagramClean'
import { isClosed, MAX_SOURCE, refusal } from './diagramSource'

describe('the source of a diagram', () => {
  test.each([
    ['graph TD\n  A --> B', undefined],
    ['graph TD\n  A:::x\n  classDef x fill:#f9f,stroke:#333,stroke-width:4px', undefined],
    ['sequenceDiagram\n  A->>B: {json} \\n and @you', undefined],
    ['', 'It is empty.'],
    ['x'.repeat(MAX_SOURCE + 1), 'It has 20,001 characters, more than 20,000.'],
    ['graph TD\n  A@{ img: "https://evil.example/a.png" }', 'It names a file to load. Diagrams load nothing.'],
    ['graph TD\n  A@{\n  icon: x,\n  img: "/api/x" }', 'It names a file to load. Diagrams load nothing.'],
    ['graph TD\n  style A fill:URL (x)', 'It names a file to load. Diagrams load nothing.'],
    ['%%{init: {"themeCSS": "@import \'//evil.example\'"}}%%\ngraph TD', 'It names a file to load. Diagrams load nothing.'],
    ['graph TD\n  classDef x fill:red;} body{display:none', 'It has a style that is not drawn here.'],
    ['graph TD\n  linkStyle 0 fill:u\\72l(x)', 'It has a style that is not drawn here.'],
  ])('%j', (source, want) => expect(refusal(source)).toBe(want))

  test.each([
    ['```mermaid\ngraph\n```\n\n', true],
    ['~~~mermaid\ngraph\n~~~', true],
    ['```mermaid\ngraph\n', false],
    ['```mermaid\ngraph ```', false],
  ])('%j is closed: %s', (src, want) => expect(isClosed(src)).toBe(want))
})

describe('a drawing', () => {
  const drawing = (inside: string) => `<svg viewBox="0 0 10 20.5" style="max-width: 10px">${inside}</svg>`

  test('keeps its own shapes, text, styles and markers, and has a size', () => {
    const { svg, width, height } = clean(
      drawing(
        '<style>#d .x{fill:red;marker-end:url(#m)}</style><marker id="m"><path d="M0 0"></path></marker><path class="x" d="M0 0" marker-end="url(#m)"></path><text>a &lt;b&gt;</text>',
      ),
    )
    expect([width, height]).toEqual([10, 21])
    expect(svg).toContain('xmlns="http://www.w3.org/2000/svg"')
    expect(svg).toContain('<style>#d .x{fill:red;marker-end:url(#m)}</style>')
    expect(svg).toContain('marker-end="url(#m)"')
    expect(svg).toContain('<text>a &lt;b&gt;</text>')
  })

  test.each([
    '<script>alert(1)</script>',
    '<a href="javascript:alert(1)"><text>x</text></a>',
    '<a xlink:href="javascript:alert(1)"><text>x</text></a>',
    '<image href="https://evil.example/a.png"></image>',
    '<use href="https://evil.example/a.svg#x"></use>',
    '<foreignObject><img src=x onerror=alert(1)></foreignObject>',
    '<foreignObject><iframe srcdoc="<script>alert(1)</script>"></iframe></foreignObject>',
    '<rect onload="alert(1)" onclick="alert(1)"></rect>',
    '<animate attributeName="href" values="javascript:alert(1)" onbegin="alert(1)"></animate>',
    '<set attributeName="href" to="javascript:alert(1)"></set>',
    '<style>@import "https://evil.example/a.css";</style>',
    '<style>.x{fill:url(https://evil.example/a.svg)}</style>',
    '<style>.x{background:image-set("https://evil.example/a.png" 1x)}</style>',
    '<style><img src=x onerror=alert(1)></style>',
    '<filter><feImage href="https://evil.example/a.png"></feImage></filter>',
    '</svg><img src=x onerror=alert(1)><svg>',
    '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
    '<desc><template><script>alert(1)</script></template></desc>',
  ])('loses %s', (attack) => {
    const { svg } = clean(drawing(`<rect width="1"></rect>${attack}`))
    const root = new DOMParser().parseFromString(svg, 'image/svg+xml')
    expect(root.querySelector('parsererror')).toBeNull()
    expect(
      [...root.querySelectorAll('*')]
        .map((e) => e.tagName)
        .filter((name) => /script|^a$|image|use|foreign|iframe|img|animate|set|template/i.test(name)),
    ).toEqual([])
    expect([...root.querySelectorAll('*')].flatMap((e) => [...e.attributes]).filter((a) => /^on|href|src/i.test(a.name))).toEqual([])
    expect(svg).not.toMatch(/evil\.example/)
  })

  test('is refused if it is empty or too large', () => {
    expect(() => clean('<p>x</p>')).toThrow('Nothing was drawn.')
    expect(() => clean('<svg viewBox="0 0 0 0"></svg>')).toThrow('Nothing was drawn.')
    expect(() => clean('<svg viewBox="0 0 30000 10"></svg>')).toThrow('The drawing is too large.')
  })
})
