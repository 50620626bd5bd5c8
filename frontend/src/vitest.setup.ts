/* The files of the tests share their modules and their page, which is many times
   cheaper than new ones for each. What a file leaves in them ends with it. */
import { afterAll, vi } from 'vitest'

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  globalThis.document?.body.replaceChildren()
  globalThis.localStorage?.clear()
  globalThis.sessionStorage?.clear()
})
