import { afterEach, describe, expect, test, vi } from 'vitest'
import { highlight } from './MarkdownEnhance'

afterEach(() => vi.unstubAllGlobals())

describe('colouring code', () => {
  test('leaves nothing open if the browser has no idle callback', async () => {
    const channels = vi.fn()
    vi.stubGlobal('requestIdleCallback', undefined)
    vi.stubGlobal('requestAnimationFrame', (f: () => void) => queueMicrotask(f))
    vi.stubGlobal(
      'MessageChannel',
      class extends MessageChannel {
        constructor() {
          super()
          channels()
        }
      },
    )
    expect(await highlight('func main() {}', 'golang')).toContain('hljs-keyword')
    expect(channels).not.toHaveBeenCalled()
  })

  test('returns nothing for an unknown language or long code', async () => {
    expect(await highlight('x', 'klingon')).toBeUndefined()
    expect(await highlight('x'.repeat(50_000), 'go')).toBeUndefined()
  })
})
