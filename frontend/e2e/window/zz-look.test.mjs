import { test } from 'node:test'
import { notebookText, World } from '../lib/world.mjs'
import { keys } from './driver.mjs'
import { Window } from './window.mjs'
const md = `# Heading one

Some **bold** and *italic* text with \`code\`, a [link](https://example.com) and \`notes.md\`.

| Name | 数量 | Price |
|:--|--:|:-:|
| Apple | 12 | 3.50 |
| 苹果和梨子 | 7 | 1,200.00 |

- [x] done
- [ ] open
  1. nested
  2. list

> [!WARNING]
> Mind the gap.

\`\`\`go
func main() {
	fmt.Println("hello, a rather long line that goes on and on until it has no room in the window any more, and then some")
}
\`\`\`

Inline $a^2+b^2=c^2$ and

$$\\int_0^1 x^2\\,dx = \\frac13$$

\`\`\`mermaid
graph LR; A[Start] --> B{Choose}; B -->|yes| C[Go]; B -->|no| D[Stop]
\`\`\`

A footnote[^1].

[^1]: The note.
`
for (const [name, env, theme] of [['light', {}, 'light'], ['dark', {}, 'dark'], ['zh', { LANG: 'zh_CN.UTF-8' }, 'dark']])
  test(name, { timeout: 300_000 }, async (t) => {
    const world = new World({
      '.mutsumi/one.mtm': notebookText('A notebook of Markdown with quite a long title', [['Show me everything that you have 请展示', md], ['第二个问题', '更多内容，包括很长的一段中文文字，用来看看换行和标点的效果如何。'.repeat(6)]]),
      '.mutsumi/two.mtm': notebookText('短标题', [['first', 'The answer']]),
      'notes.md': '# Notes\n',
    })
    t.after(() => world.remove())
    const window = await Window.open(t, world, { env })
    const { driver } = window
    await driver.until(() => document.querySelector('[role=treeitem]'), 'tree')
    await window.toFront()
    await driver.run(async (theme) => {
      const v = await (await fetch('/api/call/Settings', { method: 'POST', body: '[]' }).catch(() => null))?.json?.()
    }, theme)
    const wait = (ms) => new Promise((d) => setTimeout(d, ms))
    const shot = async (n) => { await wait(900); await window.screenshot(`look-${name}-${n}.png`) }
    await shot('0start')
    await driver.click('[role=treeitem]')
    await driver.press([keys.enter])
    await wait(2500)
    await shot('1notebook')
    await driver.run(() => document.querySelector('.mermaid, [class*=diagram]')?.scrollIntoView({ block: 'center' }))
    await wait(1500)
    await shot('2diagram')
    await driver.press([keys.control, 'k']); await wait(500)
    await shot('3palette')
    await driver.press(name === 'zh' ? '主题' : 'theme'); await wait(400)
    await driver.press([keys.enter]); await wait(400)
    await shot('4step')
    if (theme === 'dark') { await driver.press(name === 'zh' ? '深色' : 'dark'); await wait(300); await driver.press([keys.enter]) } else { await driver.press(name === 'zh' ? '浅色' : 'light'); await wait(300); await driver.press([keys.enter]) }
    await wait(800)
    await shot('5themed')
    await driver.press([keys.control, keys.shift, 'd']); await wait(800); await shot('6deck')
    await driver.press([keys.control, ',']); await wait(800); await shot('7settings')
    await driver.press([keys.escape]); await wait(300)
    await driver.press([keys.control, keys.shift, 'p']); await wait(1200); await shot('8sent')
    await driver.press([keys.control, keys.shift, 'b']); await wait(1200); await shot('9lab')
    await driver.press([keys.escape]); await wait(300)
    await driver.press([keys.control, 'h']); await wait(800); await shot('a-find')
    await driver.press([keys.escape]); await wait(300)
    await driver.press([keys.control, '\\']); await wait(1000); await shot('b-split')
  })
