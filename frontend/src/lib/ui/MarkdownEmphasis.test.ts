// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { BlockSplitter } from './MarkdownBlocks'
import { closeOpen } from './MarkdownClose'
import { toHTML } from './MarkdownHtml'

const strong = (text: string) => `<strong>${text}</strong>`

it.each([
  ['**注意：**请先保存。', `${strong('注意：')}请先保存。`],
  ['请看**“重点”**部分。', `请看${strong('“重点”')}部分。`],
  ['运行**`go test`**命令。', `运行${strong('<code>go test</code>')}命令。`],
  ['*离线模型，不是语言模型：*在这里', '<em>离线模型，不是语言模型：</em>在这里'],
  ['~~旧的。~~新的', '<s>旧的。</s>新的'],
  ['**これは**「重要」**です。**次', `${strong('これは')}「重要」${strong('です。')}次`],
  ['**중요(필독)**합니다', `${strong('중요(필독)')}합니다`],
  // As CommonMark has it elsewhere.
  ['a * b * c', 'a * b * c'],
  ['snake_case_name', 'snake_case_name'],
  ['2 ** 3 ** 4', '2 ** 3 ** 4'],
  ['**bold:**text', '**bold:**text'],
])('emphasis beside Chinese, Japanese and Korean text: %s', (text, html) => {
  expect(toHTML(text).replace(/ lang="\w+"/, '')).toBe(`<p>${html}</p>\n`)
})

it('what streams in is drawn with the same emphasis as the whole', () => {
  const text = '前面的话。**注意：**请先保存，*再*运行。'
  for (let n = 1; n <= text.length; n++) {
    const splitter = new BlockSplitter()
    splitter.push(text.slice(0, n))
    const drawn = splitter.tail.map((block) => toHTML(closeOpen(block.src))).join('')
    expect(drawn, text.slice(0, n)).not.toContain('*')
  }
})
