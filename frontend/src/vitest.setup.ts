/* Test files share their modules and their page, which is many times cheaper
   than new ones for each. What a file leaves in them is removed after it. */
import { afterAll, vi } from 'vitest'

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  globalThis.document?.body.replaceChildren()
  globalThis.localStorage?.clear()
  globalThis.sessionStorage?.clear()
})
