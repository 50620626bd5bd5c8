// The sign-in to an MCP server: from the settings to the browser and back, and out again.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findingsInBoth, misfits, smallControls } from './lib/axe.mjs'
import { startSignIn } from './lib/signInServer.mjs'
import { notebookText, outFolder, World } from './lib/world.mjs'

describe('signing in to an MCP server', { timeout: 300_000 }, () => {
  after(closeBrowser)

  test('opens the browser at a press, shows how it went, and leaves no token in a file', async (t) => {
    const tracker = await startSignIn(t)
    const world = new World({ '.mutsumi/one.mtm': notebookText('One', []) }, { trusted: true })
    world.write('../config/settings.yaml', JSON.stringify({ mcpServers: { tracker: { url: tracker.url } } }))
    const app = await App.start(t, { world })
    const { page } = app
    app.expectProblem(/^(popup|request): /) // the pages of the sign-in
    await app.openAgent('One')
    await page.keyboard.press('Control+,')
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    await dialog.getByRole('tab', { name: 'MCP servers' }).click()
    const row = dialog.getByRole('list', { name: 'Servers' }).getByRole('listitem').filter({ hasText: 'tracker' })
    const shot = (name) => page.screenshot({ path: path.join(outFolder, `sign-in-${name}.png`) })
    const press = (name) => row.getByRole('button', { name, exact: true }).click()

    await press('Start')
    await row.getByText('Needs sign-in').waitFor()
    assert.equal(tracker.state.asked, 0, 'nothing opens before the press')
    assert.deepEqual(await findingsInBoth(page), [])
    assert.deepEqual([await misfits(page), await smallControls(page)], [[], []])
    await shot('needed')

    // The person declines.
    tracker.state.decline = true
    let popup = page.context().waitForEvent('page')
    await press('Sign in')
    const refused = await popup
    await refused.getByRole('heading', { name: 'You are not signed in' }).waitFor()
    await row.getByText('Could not sign in to tracker: it was declined in the browser').waitFor()
    await refused.close()
    await shot('declined')

    // The browser does not come back: the sign-in waits, and is given up.
    await page.context().route('**/authorize**', (route) => route.abort())
    popup = page.context().waitForEvent('page')
    await press('Sign in')
    await row.getByText(/^Waiting for the browser, at 127\.0\.0\.1/).waitFor()
    assert.deepEqual(await findingsInBoth(page), [])
    assert.deepEqual([await misfits(page), await smallControls(page)], [[], []])
    await shot('waiting')
    await (await popup).close()
    await press('Cancel')
    await row.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    await page.context().unroute('**/authorize**')

    tracker.state.decline = false
    popup = page.context().waitForEvent('page')
    await press('Sign in')
    const page2 = await popup
    await page2.getByRole('heading', { name: 'You are signed in' }).waitFor()
    await page2.screenshot({ path: path.join(outFolder, 'sign-in-page.png') })
    await page2.close()
    await row.getByText(/^Ready · 1 tool/).waitFor()
    await row.getByText(/^Signed in/).waitFor()
    assert.deepEqual(await findingsInBoth(page), [])
    assert.deepEqual([await misfits(page), await smallControls(page)], [[], []])
    await shot('in')
    assert.equal(await page.getByText('wants to know who you are').count(), 0, 'the person pressed: nobody has to tell them')

    const holding = world.everyFile().filter((text) => /a-token-of-|code-of-it/.test(text))
    assert.deepEqual(holding, [], 'a token is in a file')

    await press('Sign out')
    await row.getByText('Starts when it is first used').waitFor()
    assert.equal(tracker.state.revoked, 2)
    assert.deepEqual(tracker.state.wrong, [])
  })
})
