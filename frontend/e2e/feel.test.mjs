// How the window feels: every control responds to the pointer, to a press and to the focus, nothing
// moves for longer than 150 ms, and nothing at all under reduced motion.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { closeBrowser } from './lib/app.mjs'
import { motion, slowMotion, unanswering } from './lib/feel.mjs'
import { started, views } from './lib/views.mjs'

describe('feel', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  for (const [name, [open, shown, more]] of Object.entries(views))
    test(`${name}: every control responds, and motion is short`, async (t) => {
      const { page } = await started(t, more)
      await open?.(page)
      await shown?.(page).waitFor()
      assert.deepEqual(await slowMotion(page), [])
      assert.deepEqual(await unanswering(page), [])
      await page.emulateMedia({ reducedMotion: 'reduce' })
      assert.deepEqual(await motion(page), [])
    })
})
