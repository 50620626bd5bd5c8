// An agent's changes to files and its commands: the list with diffs, a rejected change, the way to
// before a prompt and its undo, and background commands with their output.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findings, findingsInBoth, inBoth } from './lib/axe.mjs'
import { outFolder, World } from './lib/world.mjs'

const lines = (change = {}) => Array.from({ length: 40 }, (_, i) => change[i + 1] ?? `line ${i + 1}`).join('\n') + '\n'
const before = lines()
const written = lines({ 2: 'two', 30: 'thirty' })

describe('files and commands of agents', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  const inspector = (app) => app.page.getByRole('complementary', { name: 'Context' })
  const tasks = (app) => app.page.getByRole('region', { name: 'Shell tasks' })
  const notices = (app) => app.page.getByRole('region', { name: 'Notices' })
  const dialog = (app) => app.page.getByRole('dialog')
  /** A row of the changes by its file. */
  const row = (app, file) => inspector(app).getByRole('button', { name: file, exact: false }).and(inspector(app).locator('[aria-expanded]'))

  /** Asks the agent for a tool that changes something, and lets it. */
  async function tool(app, name, input) {
    await app.writePrompt(`/demo tool ${name} ${JSON.stringify(input)}`)
    await app.run()
    const [request] = await app.until(async () => ((list) => list?.length && list)((await app.call('Snapshot')).approvals), 'the request')
    await app.call('ResolveApproval', request.id, { allow: true, scope: 'once', patterns: [], reason: '', arguments: '' })
    await app.waitIdle(app.page, { saved: false })
  }

  /** An agent that read a file, replaced it, and wrote a new one: cells 1, 2 and 3. */
  async function start(t, options = {}) {
    const app = await App.start(t, { env: { MUTSUMI_GUIDE_PACE: '0' }, files: { 'notes.txt': before, 'other.txt': 'other\n' }, ...options })
    await app.newAgent()
    await app.ask('/demo tool read_file {"uri":"notes.txt"}')
    await tool(app, 'write_file', { uri: 'notes.txt', content: written })
    await tool(app, 'write_file', { uri: 'new.md', content: '# New\n' })
    assert.equal(app.world.read('notes.txt'), written)
    return app
  }
  const showChanges = (app) => inspector(app).getByRole('button', { name: 'Changes', exact: true }).click()
  async function restoreDialog(app, cell) {
    await app.cell(cell).scrollIntoViewIfNeeded()
    await app.cell(cell).hover()
    await app.cell(cell).getByRole('button', { name: 'Cell menu' }).click()
    await app.page.getByRole('menuitem', { name: 'Restore to before this…' }).click()
    await dialog(app)
      .getByRole('heading', { name: `Restore to before prompt ${cell}` })
      .waitFor()
  }

  test('every changed file is listed with its difference, and a hunk is rejected', async (t) => {
    const app = await start(t)
    await showChanges(app)
    await inspector(app).getByRole('heading', { name: '2 files changed' }).waitFor()
    assert.match(await row(app, 'notes.txt').innerText(), /\+2\s+−2/)
    assert.match(await row(app, 'new.md').innerText(), /new\s+\+1/)

    await row(app, 'notes.txt').click()
    const figures = inspector(app).getByRole('figure', { name: 'Change of notes.txt' })
    await app.until(async () => (await figures.count()) === 2, 'two hunks')
    assert.deepEqual(await figures.first().locator('.line.add .text, .line.del .text').allTextContents(), ['removed: line 2', 'added: two'])
    assert.deepEqual(await findings(app.page), [])

    await figures
      .nth(1)
      .getByRole('button', { name: /^Reject lines/ })
      .click()
    await app.until(() => app.world.read('notes.txt') === lines({ 2: 'two' }), 'the hunk to be gone from the file')
    await app.until(async () => (await figures.count()) === 1, 'one hunk to be left')
    await notices(app)
      .getByText(/^Lines .* of notes\.txt went back$/)
      .waitFor()
    await notices(app).getByRole('button', { name: 'Undo' }).click()
    await app.until(() => app.world.read('notes.txt') === written, 'the hunk to be back')
    await app.until(async () => (await figures.count()) === 2, 'two hunks again')
    await figures
      .nth(1)
      .getByRole('button', { name: /^Reject lines/ })
      .click()
    await app.until(() => app.world.read('notes.txt') === lines({ 2: 'two' }), 'the hunk to be gone again')
    await app.until(async () => (await figures.count()) === 1, 'one hunk to be left')

    // Somebody writes into the file: the shown text is out of date. The press comes before the page learns of it.
    app.expectProblem(/RejectHunk/)
    const reject = await figures
      .first()
      .getByRole('button', { name: /^Reject lines/ })
      .elementHandle()
    app.world.write('notes.txt', lines({ 2: 'two, by hand' }))
    await reject.evaluate((button) => button.click())
    await inspector(app).getByRole('alert').getByText('look at them again').waitFor()
    assert.equal(app.world.read('notes.txt'), lines({ 2: 'two, by hand' }), 'nothing is written over')
    await figures.first().getByText('two, by hand').waitFor()
    await inspector(app).getByText('Somebody else changed it as well').waitFor()
  })

  test('the list follows the agent, and says when there is nothing', async (t) => {
    const app = await App.start(t, { env: { MUTSUMI_GUIDE_PACE: '0' } })
    await app.newAgent()
    await showChanges(app)
    await inspector(app).getByText('Nothing yet. Files that this agent writes').waitFor()
    await tool(app, 'write_file', { uri: 'deep/er/a.txt', content: 'a\nb\n' })
    await inspector(app).getByRole('heading', { name: '1 file changed' }).waitFor()
    await inspector(app).getByRole('button', { name: 'Show larger: deep/er/a.txt' }).click()
    await dialog(app).getByRole('figure').getByText('added: a').waitFor()
    await dialog(app)
      .getByRole('button', { name: /^Reject/ })
      .click()
    await app.until(() => !app.world.exists('deep/er/a.txt'), 'the file to be gone')
    await inspector(app).getByText('Nothing yet. Files that this agent writes').waitFor()
  })

  test('files are restored to before a prompt, conflicts only by choice, and undo reverts everything', async (t) => {
    const app = await start(t)
    app.world.write('new.md', '# By hand\n')
    await restoreDialog(app, 2)
    const box = (file) => dialog(app).getByRole('checkbox', { name: `Restore ${file}` })
    await box('new.md').waitFor()
    assert.deepEqual([await box('notes.txt').isChecked(), await box('new.md').isChecked()], [true, false])
    await dialog(app).getByText('Conflict: It was changed since').waitFor()
    assert.deepEqual(await findings(app.page), [])
    await dialog(app).getByRole('button', { name: 'Restore files' }).click()
    await notices(app).getByText('1 file went back').waitFor()
    assert.deepEqual([app.world.read('notes.txt'), app.world.read('new.md')], [before, '# By hand\n'])
    assert.equal((await app.answers().count()) > 0, true)

    await notices(app).getByRole('button', { name: 'Undo' }).click()
    await app.until(() => app.world.read('notes.txt') === written, 'the undo')

    await restoreDialog(app, 2)
    await box('new.md').check()
    await dialog(app).getByRole('button', { name: 'Restore files' }).click()
    await app.until(() => !app.world.exists('new.md') && app.world.read('notes.txt') === before, 'both to be as before')
    await notices(app).getByRole('button', { name: 'Undo' }).click()
    await app.until(() => app.world.exists('new.md') && app.world.read('new.md') === '# By hand\n', 'what was written by hand')
  })

  test('changes during a command are a choice: the person’s own saves stay', async (t) => {
    const world = new World({ 'code.txt': 'one\n', 'notes.txt': 'old\n', 'src/util.txt': 'one\n', '.gitignore': 'begun\ngo\n' })
    const git = (...args) => execFileSync('git', args, { cwd: world.folder, env: world.env() })
    git('init', '-q', '-b', 'main')
    git('add', '-A')
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'first')
    const app = await App.start(t, { env: { MUTSUMI_GUIDE_PACE: '0' }, world })
    await app.newAgent()
    await app.writePrompt(
      `/demo tool shell ${JSON.stringify({ command: 'echo two >> code.txt; echo two | dd of=$PWD/src/util.txt; touch begun; while [ ! -e go ]; do sleep 0.05; done' })}`,
    )
    await app.run()
    const [request] = await app.until(async () => ((list) => list?.length && list)((await app.call('Snapshot')).approvals), 'the request')
    await app.call('ResolveApproval', request.id, { allow: true, scope: 'once', patterns: [], reason: '', arguments: '' })
    await app.until(() => world.exists('begun'), 'the command to be at work')
    world.write('notes.txt', 'an hour of work\n')
    world.write('go', '')
    await app.waitIdle()

    await showChanges(app)
    await row(app, 'notes.txt').getByText('during a command').waitFor()
    await restoreDialog(app, 1)
    const box = (file) => dialog(app).getByRole('checkbox', { name: `Restore ${file}` })
    const every = dialog(app).getByRole('checkbox', { name: 'Also 2 files that may be somebody else’s' })
    const state = async () => [
      await box('code.txt').isChecked(),
      await box('notes.txt').isChecked(),
      await box('src/util.txt').isChecked(),
      await every.isChecked(),
      await every.evaluate((b) => b.indeterminate),
    ]
    await every.waitFor()
    assert.deepEqual(await state(), [true, false, false, false, false])
    await dialog(app).getByText('Changed while a command ran, by the command or by somebody else.').waitFor()
    await every.check()
    assert.deepEqual(await state(), [true, true, true, true, false])
    await box('notes.txt').uncheck()
    assert.deepEqual(await state(), [true, false, true, false, true])
    assert.deepEqual(await findingsInBoth(app.page), [])
    await inBoth(app.page, (scheme) => app.page.screenshot({ path: path.join(outFolder, `restore-${scheme}.png`) }))
    await dialog(app).getByRole('button', { name: 'Restore files' }).click()
    await notices(app).getByText('2 files went back').waitFor()
    assert.deepEqual([world.read('code.txt'), world.read('src/util.txt'), world.read('notes.txt')], ['one\n', 'one\n', 'an hour of work\n'])
    await notices(app).getByRole('button', { name: 'Undo' }).click()
    await app.until(() => world.read('src/util.txt') === 'two\n' && world.read('code.txt') === 'one\ntwo\n', 'the undo')
  })

  test('the conversation is restored with the files, and undone; also after a restart', async (t) => {
    const app = await start(t)
    const name = (await app.agents())[0]
    await app.restart()
    await app.openAgent(name)
    await app.cell(2).waitFor()
    await restoreDialog(app, 2)
    await dialog(app).getByRole('checkbox', { name: 'Restore notes.txt' }).waitFor()
    await dialog(app).getByRole('button', { name: 'Restore both' }).click()
    await app.until(() => app.world.read('notes.txt') === before && !app.world.exists('new.md'), 'the files as before')
    const file = await app.activePath()
    const cells = async () => (await app.notebook(file)).cells.filter((c) => c.messages > 0).length
    await app.until(async () => (await cells()) === 1, 'the answers to be put aside')
    await notices(app).getByRole('button', { name: 'Undo' }).click()
    await app.until(async () => (await cells()) === 3, 'the answers to be back')
    await app.until(() => app.world.read('notes.txt') === written && app.world.exists('new.md'), 'the files to be back')

    await restoreDialog(app, 3)
    await dialog(app).getByRole('button', { name: 'Restore conversation' }).click()
    await app.until(async () => (await cells()) === 2, 'one answer to be put aside')
    assert.equal(app.world.read('new.md'), '# New\n', 'files stay')
  })

  test('a command in the background is listed with its output, stopped and removed', async (t) => {
    const app = await App.start(t, { env: { MUTSUMI_GUIDE_PACE: '0' } })
    await app.newAgent()
    assert.equal(await tasks(app).count(), 0)
    const command = String.raw`printf '\033[32mready\033[0m <img src=x onerror=alert(1)>\n'; while echo "tick $((n += 1))"; do sleep 1; done`
    await tool(app, 'shell', { command, background: true })
    const item = tasks(app).getByRole('button', { name: /^printf/ })
    await item.waitFor()
    assert.match(await item.innerText(), /\d:\d\d/)
    await item.click()
    const output = dialog(app).getByRole('group', { name: 'Output' })
    await output.getByText('<img src=x onerror=alert(1)>').waitFor()
    assert.equal(await output.locator('.fg-green').innerText(), 'ready')
    assert.equal(await output.locator('img').count(), 0)
    // The last number: only the lines in view are drawn.
    const ticks = async () => Number((await output.innerText()).match(/tick (\d+)\s*$/)?.[1] ?? 0)
    const some = await ticks()
    await app.until(async () => (await ticks()) > some + 1, 'more output')
    await dialog(app)
      .getByText(/^(Confined|Not confined)/)
      .waitFor()
    assert.deepEqual(await findings(app.page), [])

    await dialog(app).getByRole('button', { name: 'Stop', exact: true }).click()
    await dialog(app).getByRole('status').getByText('Stopped after').waitFor()
    assert.ok((await app.call('Tasks'))[0].endedMs > 0)
    await app.page.keyboard.press('Escape')
    assert.match(await item.innerText(), /stopped/)
    await item.click()
    await dialog(app).getByRole('button', { name: 'Remove' }).click()
    await app.until(async () => (await tasks(app).count()) === 0, 'the list to be empty')
    assert.deepEqual(await app.call('Tasks'), [])
  })

  test('a failed command shows its status, and ended ones are removed together', async (t) => {
    const app = await App.start(t, { env: { MUTSUMI_GUIDE_PACE: '0' } })
    await app.newAgent()
    const failed = tasks(app).getByRole('button', { name: /, exit 3$/ })
    await tool(app, 'shell', { command: 'echo broken; exit 3', background: true })
    await failed.waitFor()
    await app.reload()
    await failed.click()
    await dialog(app).getByRole('status').getByText('Exit status 3').waitFor()
    await dialog(app).getByText('broken', { exact: true }).waitFor()
    await dialog(app).getByRole('button', { name: 'Close' }).last().click()
    await tasks(app).getByRole('button', { name: 'Remove ended tasks' }).click()
    await app.until(async () => (await tasks(app).count()) === 0, 'the list to be empty')
  })
})
