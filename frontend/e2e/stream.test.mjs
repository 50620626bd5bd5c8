// Eight notebooks that stream 200 tokens a second each: every token arrives, on
// the disk and on the page. How smoothly is measured by `make bench`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { streamInBrowser } from '../../bench/stream.mjs'

test('eight notebooks stream at once and nothing is lost', { timeout: 300_000 }, async () => {
  const result = await streamInBrowser({ notebooks: 8, perSecond: 200, seconds: 4 })
  assert.equal(result.missing, '')
  assert.equal(result.tokens, 8 * 200 * 4)
  assert.equal(result.unseen, '')
})
