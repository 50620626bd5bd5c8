// @vitest-environment jsdom
import { bench, describe } from 'vitest'
import { MarkdownDoc } from './MarkdownDoc.svelte'
import './MarkdownParser'
import { toHTML } from './MarkdownHtml'

/* What one token costs at the end of an answer that is already so long: with
   the incremental document, and by rendering the whole again. */

const paragraph = (i: number) =>
  `## Part ${i}\n\nSome *text* with \`code\`, [a link](https://example.com/${i}) and **words**.\n\n- one\n- two\n\n\`\`\`go\nfunc f${i}() {}\n\`\`\`\n\n`
const answer = (size: number) => {
  let text = ''
  for (let i = 0; text.length < size; i++) text += paragraph(i)
  return text
}

for (const size of [2_000, 20_000, 200_000]) {
  const text = answer(size)
  describe(`one token behind ${size.toLocaleString('en')} characters`, () => {
    const doc = new MarkdownDoc()
    doc.append(`${text}A last paragraph`)
    doc.flush()
    let n = 0
    bench(
      'incremental',
      () => {
        // A new paragraph now and then, as in an answer.
        doc.append(++n % 40 === 0 ? ' end.\n\nNext' : ' word')
        doc.flush()
        for (const block of doc.tail) doc.html(doc.shown(block, false), false)
      },
      { time: 300 },
    )
    bench(
      'whole',
      () => {
        toHTML(`${text}A last paragraph word`)
      },
      { time: 0, iterations: 5, warmupTime: 0, warmupIterations: 1 },
    )
  })
}

describe('one line in an open code block', () => {
  for (const lines of [100, 20_000]) {
    const doc = new MarkdownDoc()
    doc.append(`\`\`\`go\n${'x := compute(1, 2)\n'.repeat(lines)}`)
    doc.flush()
    bench(
      `of ${lines.toLocaleString('en')} lines`,
      () => {
        doc.append('y := 2\n')
        doc.flush()
      },
      { time: 300 },
    )
  }
})
