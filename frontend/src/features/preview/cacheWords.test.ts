import { describe, expect, test } from 'vitest'
import { cacheWords } from './cacheWords'

const expected = { kind: 'prefix', tokens: 0, expired: false, agoMs: 0, least: 0 }

describe('the expected cache reads', () => {
  test.each([
    [9000, { tokens: 8960 }, '9,000 tokens above are the same as in request 6: about 8,960 should come from the cache'],
    [1, {}, '1 token above are the same as in request 6'],
    [900, { least: 1024 }, '900 tokens above are the same as in request 6: too little for this server’s cache, which begins at 1,024'],
    [9000, { kind: 'none' }, '9,000 tokens above are the same as in request 6: cacheable, where the server has a cache'],
    [
      9000,
      { expired: true, agoMs: 720_000 },
      '9,000 tokens above are the same as in request 6, but that was sent 12 min ago: the cache has expired by now',
    ],
    [
      9000,
      { kind: 'whole' },
      '9,000 tokens above are the same as in request 6: not all of that request, and this server caches nothing less',
    ],
    [
      9000,
      { kind: 'marked' },
      '9,000 tokens above are the same as in request 6: none of it ends where that request marked it for the cache',
    ],
  ])('%i %j', (same, changes, words) => expect(cacheWords(same, 7, { ...expected, ...changes })).toBe(words))
})
