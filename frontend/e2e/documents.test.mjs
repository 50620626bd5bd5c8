// PDF documents in prompts: linked, dropped and completed, described before they are
// sent, and sent as they are.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findingsInBoth } from './lib/axe.mjs'
import { pdf } from './lib/pdf.mjs'
import { mock } from './lib/provider.mjs'
import { outFolder } from './lib/world.mjs'

const inspector = (app) => app.page.getByRole('complementary', { name: 'Context' })
const documents = (app) => inspector(app).getByRole('region', { name: 'Documents', exact: true })
const tile = (app, name) => app.page.getByRole('button', { name })
const shot = (app, name) => app.page.screenshot({ path: path.join(outFolder, `documents-${name}.png`) })

const long = `${'a-very-long-name-of-a-report-'.repeat(6)}2026.pdf`

describe('PDF documents', { timeout: 600_000 }, () => {
  after(closeBrowser)

  test('a linked document is described in the cell, the inspector and the preview, and sent as it is', async (t) => {
    const provider = await mock({ Compare: 'They agree.' })
    t.after(() => provider.stop())
    const files = { 'papers/年度報告.pdf': pdf(3), [long]: pdf(1), 'page.pdf': '<!doctype html><p>no' }
    const app = await App.start(t, { files, env: provider.env })
    app.expectProblem(/Failed to load resource: .*src=(?:gone|page)\.pdf/)
    await app.newAgent()
    await app.typePrompt(
      `Compare ![年度報告.pdf](papers/年度報告.pdf) with ![the long one](${long}) and ![gone](gone.pdf) ![page](page.pdf)`,
    )
    await tile(app, /^Open document 年度報告\.pdf, 3 pages, /).waitFor()
    await tile(app, /^Open document the long one, 1 page, /).waitFor()
    await tile(app, /^gone: .*gone\.pdf/).waitFor()
    await tile(app, /^page: .*an HTML page/).waitFor()
    await documents(app).getByText('papers/年度報告.pdf').waitFor()
    assert.match(await documents(app).innerText(), /3 pages, /)
    await inspector(app)
      .getByText(/the document is not sent: .*gone\.pdf/)
      .waitFor()
    assert.deepEqual(await findingsInBoth(app.page), [])
    await shot(app, 'light')
    await app.page.emulateMedia({ colorScheme: 'dark' })
    await shot(app, 'dark')
    await app.page.emulateMedia({ colorScheme: 'light' })

    await tile(app, /^Open document 年度報告\.pdf/).click()
    const dialog = app.page.getByRole('dialog')
    await dialog.getByText(/A PDF document: 3 pages, .* It is not shown here\./).waitFor()
    await shot(app, 'opened')
    await app.page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await app.page.locator('article.cell .cm-content').first().click()
    await app.run()
    await app.waitIdle()
    assert.equal(await app.answerText(), 'They agree.')
    const content = provider
      .requests()
      .at(-1)
      .body.messages.findLast((m) => m.role === 'user').content
    const sent = content.filter((p) => p.type === 'file').map((p) => p.file)
    assert.deepEqual(
      sent.map((f) => f.filename),
      ['年度報告.pdf', long],
    )
    assert.equal(sent[0].file_data, `data:application/pdf;base64,${files['papers/年度報告.pdf'].toString('base64')}`)
    assert.equal(JSON.stringify(content).includes('gone.pdf'), true, 'what is not there stays text')
  })

  test('a dropped document is stored next to the notebook; one of the folder is completed as a link', async (t) => {
    const provider = await mock({ Read: 'Read.' })
    t.after(() => provider.stop())
    const app = await App.start(t, { files: { 'papers/the (old) plan.pdf': pdf(2) }, env: provider.env })
    await app.newAgent()
    await app.typePrompt('Read ')
    const data = pdf(4).toString('base64')
    await app.page
      .locator('article.cell .cm-content')
      .last()
      .evaluate((node, text) => {
        const transfer = new DataTransfer()
        transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], '會議紀錄.pdf', { type: 'application/pdf' }))
        node.dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }))
      }, data)
    await tile(app, /^Open document 會議紀錄\.pdf, 4 pages, /).waitFor()
    await app.page.keyboard.type(' and @plan')
    await app.page.getByRole('option', { name: /the \(old\) plan\.pdf/ }).waitFor()
    await shot(app, 'completion')
    await app.page.keyboard.press('Enter')
    await tile(app, /^Open document the \(old\) plan\.pdf, 2 pages, /).waitFor()
    await shot(app, 'pasted')
    await app.run()
    await app.page.getByText('Read.', { exact: true }).waitFor()
    const content = provider
      .requests()
      .at(-1)
      .body.messages.findLast((m) => m.role === 'user').content
    assert.deepEqual(
      content.filter((p) => p.type === 'file').map((p) => p.file.filename),
      ['會議紀錄.pdf', 'the (old) plan.pdf'],
    )
  })

  test('a document that the model does not accept is reported before sending, and left out', async (t) => {
    const provider = await mock({ Read: 'No document came.' })
    t.after(() => provider.stop())
    const app = await App.start(t, { files: { 'a.pdf': pdf(3) }, env: { ...provider.env, OPENAI_MODEL: 'gpt-3.5-turbo' } })
    await app.newAgent()
    await app.typePrompt('Read ![a](a.pdf)')
    await documents(app)
      .getByText(/gpt-3\.5-turbo takes no PDF documents, as its settings say: a\.pdf is left out\. Choose another model/)
      .waitFor()
    await app.page.keyboard.press('Control+Shift+P')
    await app.page.getByText('[a.pdf is left out: this model takes no PDF documents.]').first().waitFor()
    await shot(app, 'untaken-preview')

    // A person who knows better can set it in the settings.
    await app.page.getByRole('button', { name: 'Settings' }).first().click()
    const dialog = app.page.getByRole('dialog')
    await dialog
      .getByRole('button', { name: /^Edit / })
      .first()
      .click()
    const ability = dialog.getByRole('button', { name: 'gpt-3.5-turbo takes PDF documents' })
    assert.equal(await ability.getAttribute('aria-pressed'), 'false')
    await ability.click()
    assert.equal(await ability.getAttribute('aria-pressed'), 'true')
    await ability.scrollIntoViewIfNeeded()
    await shot(app, 'ability')
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await app.until(
      async () => (await app.call('Settings')).providers.some((p) => p.models.some((m) => m.id === 'gpt-3.5-turbo' && m.documents)),
      'the ability',
    )
    await app.page.keyboard.press('Escape')
    await app.until(async () => /3 pages, /.test(await documents(app).innerText()), 'the document in the next request')
  })
})
