import { bench, describe } from 'vitest'
import { match, searched, wordsOf } from './score'

/* A keystroke may take 16 ms with 10,000 items: this measures one keystroke. */
const words = 'cache model pricing retry fixture migrate checkout latency folder notebook agent 缓存 模型 改成 测试 review'.split(' ')
const items = Array.from({ length: 10_000 }, (_, i) =>
  searched([0, 1, 2, 3, 4].map((k) => words[(i * (k + 3) + k * 7) % words.length]).join(i % 3 ? ' ' : '/') + i),
)

describe('10,000 items, one keystroke', () => {
  for (const query of ['m', 'mod', 'mcl', 'checkout lat', '缓存', 'zzzz', 'cmprfmclfna'])
    bench(query, () => {
      const asked = wordsOf(query)
      items
        .flatMap((item) => {
          const found = match(item, asked)
          return found ? [{ item, score: found.score }] : []
        })
        .sort((a, b) => b.score - a.score)
        .slice(0, 50)
    })
})
