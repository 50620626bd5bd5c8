// The tree of agents at work: the texts of each row, selections, pins and the archive, references
// by drag and by key, one question before many stop, and how to continue after the program was
// killed.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { App, closeBrowser } from './lib/app.mjs'
import { findings, findingsInBoth } from './lib/axe.mjs'
import { Paced } from './lib/provider.mjs'
import { notebookText } from './lib/world.mjs'

const at = (minute) => `2026-01-02T03:${String(minute).padStart(2, '0')}:00Z`
/** Top, with One and Two below it and Deep below Two, and Alone next to them: [name, parent] by file. */
const family = Object.fromEntries(
  [['Top'], ['One', 'Top'], ['Two', 'Top'], ['Deep', 'Two'], ['Alone']].map(([name, parent], i) => [
    `.mutsumi/${name}.mtm`,
    notebookText(name, [['work', undefined]], { uuid: name, parent_agent_id: parent ?? null, created_at: at(parent ? i : 20 - i) }),
  ]),
)

describe('the tree of agents', { timeout: 1_200_000 }, () => {
  after(closeBrowser)

  async function start(t, options = {}) {
    const provider = await Paced.start()
    t.after(() => provider.stop())
    const app = await App.start(t, { files: family, env: provider.env, ...options })
    await app.page.getByRole('treeitem').first().waitFor()
    return { app, provider }
  }
  /** Runs the one prompt of an agent until the first words of its answer have arrived. */
  async function run(app, provider, name, words = 'Half of ') {
    const file = `.mutsumi/${name}.mtm`
    const { cells } = await app.notebook(file)
    await app.call('Run', file, cells[0].id, 'cell')
    const exchange = await provider.next()
    exchange.text(words)
    await sign(app, name, 'Running')
    return exchange
  }
  /** Waits until the row of an agent shows a state. */
  const sign = (app, name, state) => app.page.getByRole('treeitem', { name: new RegExp(`^${name}, .*${state}`) }).waitFor()
  const order = (app, names) => app.until(async () => (await app.agents()).join(' ') === names, `the order ${names}`)
  const only = async (app, choice) => {
    await app.page.getByRole('button', { name: 'Choose which agents are shown' }).click()
    await app.page.getByRole('menuitemradio', { name: choice }).click()
  }

  test('rows, selections and the card show what runs', async (t) => {
    const { app, provider } = await start(t)
    const exchange = await run(app, provider, 'Deep')
    await app.page.getByRole('treeitem', { name: /^Deep, \d+:\d\d, Running/ }).waitFor()
    await app.agent('Deep').hover()
    const card = app.page.getByRole('tooltip')
    await card.getByText('Running · ').waitFor()
    for (const text of ['.mutsumi/Deep.mtm', 'Below', 'Time']) await card.getByText(text, { exact: true }).waitFor()
    await card.getByText('Two', { exact: true }).waitFor()
    assert.deepEqual(await findingsInBoth(app.page), [], 'the card')
    await app.page.mouse.move(700, 500)
    await card.waitFor({ state: 'detached' })

    await only(app, 'Running')
    await order(app, 'Top Two Deep')
    assert.deepEqual(await findingsInBoth(app.page), [], 'a choice')
    await only(app, 'Failed')
    await app.page.getByText('No agent under “Failed”.').waitFor()
    await app.page.getByRole('button', { name: 'Show all', exact: true }).click()
    await order(app, 'Top One Two Deep Alone')
    exchange.end()
    await sign(app, 'Deep', 'Pending')
  })

  test('pins and the archive by keys, kept across a restart', async (t) => {
    const { app } = await start(t)
    const { keyboard } = app.page
    await order(app, 'Top One Two Deep Alone')
    await app.page.getByRole('tree').focus()
    await keyboard.press('End')
    await keyboard.press('Alt+p')
    await order(app, 'Alone Top One Two Deep')
    await keyboard.press('-')
    await order(app, 'Alone Top')
    await keyboard.press('*')
    // Letters that are far apart begin another name.
    await app.pressInOneGo([...'Two'].map((key) => ({ key, code: `Key${key.toUpperCase()}` })))
    await keyboard.press('Alt+a')
    await order(app, 'Alone Top One')
    await app.until(async () => {
      const { ui } = await app.call('Snapshot')
      return ui.pinned.join() === 'Alone' && ui.archived.join() === 'Two'
    }, 'what is kept')
    await app.restart()
    await order(app, 'Alone Top One')
    assert.match(await app.agent('Alone').getAttribute('aria-label'), /pinned$/)

    await only(app, 'Archived')
    await order(app, 'Top Two Deep')
    await app.agent('Deep').click({ button: 'right' })
    assert.ok(await app.page.getByRole('menuitem', { name: 'Take out of the archive' }).isDisabled(), 'it is there with its parent')
    await app.page.keyboard.press('Escape')
    await app.agentMenu('Two', 'Take out of the archive')
    await app.page.getByText('No agent under “Archived”.').waitFor()
    await app.page.getByRole('button', { name: 'Show all', exact: true }).click()
    await app.agentMenu('Alone', 'Unpin')
    await order(app, 'Top One Two Deep Alone')
    // The files never moved.
    assert.equal(app.world.notebooks().length, 5)
  })

  test('an archived agent comes back while it works', async (t) => {
    const { app, provider } = await start(t)
    await app.agentMenu('Top', 'Archive')
    await order(app, 'Alone')
    const exchange = await run(app, provider, 'Deep')
    await order(app, 'Top Two Deep Alone')
    exchange.end()
    await order(app, 'Alone')
  })

  test('a notebook is referred to by drag, by key and by menu', async (t) => {
    const { app } = await start(t, {
      files: { ...family, '.mutsumi/Top.mtm': notebookText('Top', [['work', 'done']], { uuid: 'Top', created_at: at(30) }) },
    })
    await app.openAgent('Top')
    await app.prompt(-1).waitFor()
    // Into a prompt that is edited, at the point.
    await app.typePrompt('See ')
    await app.agent('Alone').dragTo(app.prompt(-1))
    await app.until(async () => (await app.promptText()).includes('Alone.mtm'), 'the reference')
    await app.page.getByRole('tree').focus()
    await app.page.keyboard.type('One')
    await app.page.keyboard.press('Alt+r')
    await app.until(async () => (await app.promptText()).includes('One.mtm'), 'the second reference')
    await app.agentMenu('Two', 'Reference in prompt')
    const wanted = ['@[.mutsumi/Alone.mtm]', '@[.mutsumi/One.mtm]', '@[.mutsumi/Two.mtm]']
    const typed = async () => (await app.notebook('.mutsumi/Top.mtm')).cells.at(-1)?.body?.text ?? ''
    await app.until(
      async () => (await typed()).split(/\s+/).filter((word) => wanted.includes(word)).length === 3,
      'all three in the notebook',
    )
    assert.match(await typed(), /^See /)
    // Its own notebook cannot be referenced.
    await app.agent('Top').click({ button: 'right' })
    assert.equal(await app.page.getByRole('menuitem', { name: 'Reference in prompt' }).getAttribute('aria-disabled'), 'true')
    await app.page.keyboard.press('Escape')
    // Into a prompt that is only shown.
    await app.agent('Alone').dragTo(app.prompt(1))
    await app.until(
      async () => (await app.notebook('.mutsumi/Top.mtm')).cells[0].body.text === 'work @[.mutsumi/Alone.mtm]',
      'the reference in the first prompt',
    )
    // Onto a reference: next to it.
    await app.agent('One').dragTo(app.prompt(-1).locator('.cm-content').getByText('.mutsumi/Alone.mtm'))
    await app.until(async () => (await typed()).split(/\s+/).filter((word) => wanted.includes(word)).length === 4, 'the one beside it')
  })

  test('stopping an agent with working children asks once', async (t) => {
    const { app, provider } = await start(t)
    await run(app, provider, 'Top')
    await run(app, provider, 'Two')
    const deep = await run(app, provider, 'Deep')
    await app.openAgent('Top')
    const dialog = app.page.getByRole('dialog', { name: 'Stop its 2 running agents too?' })
    const stop = app.page.getByRole('button', { name: 'Stop', exact: true }).first()
    await stop.click()
    await dialog.waitFor()
    assert.deepEqual(await findings(app.page), [], 'the question')
    await app.page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await sign(app, 'Top', 'Running')

    await stop.click()
    await dialog.getByRole('button', { name: 'Only this one' }).click()
    await sign(app, 'Top', 'Idle')
    await sign(app, 'Two', 'Running')
    // From the tree; an agent that runs alone stops without a question.
    await app.agentMenu('Two', 'Stop…')
    await app.page.getByRole('dialog', { name: 'Stop its running agent too?' }).getByRole('button', { name: 'Stop all' }).click()
    await sign(app, 'Two', 'Pending')
    await sign(app, 'Deep', 'Pending')
    await deep.closed
    const alone = await run(app, provider, 'Alone')
    await app.agentMenu('Alone', 'Stop')
    await alone.closed
    await sign(app, 'Alone', 'Idle')
    assert.equal(await app.page.getByRole('dialog').count(), 0)
  })

  test('after kill -9 with three at work: reported, shown, resumed, only the topmost', async (t) => {
    const { app, provider } = await start(t)
    for (const name of ['Two', 'Deep', 'Alone']) await run(app, provider, name, `${name} was here. `)
    // A second has passed: received text is on the disk.
    await app.until(
      () => ['Two', 'Deep', 'Alone'].every((name) => app.world.read(`.mutsumi/${name}.mtm`).includes('was here')),
      'the answers on the disk',
    )
    await app.restart('SIGKILL')
    const bar = app.page.getByRole('status', { name: 'Interrupted agents' })
    await bar.getByText('3 agents were interrupted when the program ended.').waitFor()
    for (const name of ['Two', 'Deep', 'Alone']) await sign(app, name, 'Interrupted')
    assert.deepEqual(await findings(app.page), [], 'the bar')
    await bar.getByRole('button', { name: 'Show' }).click()
    await order(app, 'Top Two Deep Alone')
    await app.openAgent('Deep')
    await app.page.getByText('Interrupted when the program ended', { exact: true }).waitFor()
    await app.until(async () => (await app.answerText()).includes('Deep was here.'), 'what it had said')
    await app.page.getByRole('button', { name: /show all agents/ }).click()

    await bar.getByRole('button', { name: 'Resume all' }).click()
    // Two waits for Deep on its own only if it forked it; here each of the two trees continues from its top.
    const first = await provider.next()
    const second = await provider.next()
    for (const exchange of [first, second]) {
      exchange.text('And done.')
      exchange.end()
    }
    await app.until(
      async () => app.world.read('.mutsumi/Alone.mtm').includes('And done.') && app.world.read('.mutsumi/Two.mtm').includes('And done.'),
      'both to go on',
    )
    await bar.getByText('1 agent was interrupted when the program ended.').waitFor()

    await app.page.locator('.status').getByRole('button', { name: 'Resume' }).click()
    const third = await provider.next()
    third.text('And done.')
    third.end()
    await app.waitIdle()
    assert.ok((await app.answerText()).includes('Deep was here.'), 'what had arrived stays')
    await bar.getByText('interrupted').waitFor({ state: 'detached' })
  })

  test('all paused: shown, and resumed', async (t) => {
    const { app, provider } = await start(t)
    await app.page.getByRole('button', { name: 'All agents', exact: true }).click()
    await app.page.getByRole('menuitem', { name: 'Pause all' }).click()
    const footer = app.page.locator('footer')
    await footer.getByText('Paused').waitFor()
    assert.deepEqual(await findings(app.page), [], 'paused')
    let came = false
    const coming = provider.next(60_000).then((exchange) => ((came = true), exchange))
    const { cells } = await app.notebook('.mutsumi/Alone.mtm')
    await app.call('Run', '.mutsumi/Alone.mtm', cells[0].id, 'cell')
    // Another window learns of it too, and shows it.
    const other = await app.openTab()
    await other.locator('footer').getByText('Paused').waitFor()
    assert.equal(came, false, 'nothing is asked of the model')
    await other.locator('footer').getByRole('button', { name: 'Continue' }).click()
    await footer.getByText('Paused').waitFor({ state: 'detached' })
    const exchange = await coming
    exchange.text('Went on.')
    exchange.end()
    await sign(app, 'Alone', 'Idle')
  })

  test('an agent that goes round in circles is detected, with advice and a way out', async (t) => {
    const { app, provider } = await start(t, { files: { 'notes.txt': 'same', '.mutsumi/Circles.mtm': notebookText('Circles', []) } })
    await app.openAgent('Circles')
    await app.typePrompt('round')
    await app.run()
    for (let n = 0; n < 6; n++) {
      const exchange = await provider.next()
      exchange.call('read_file', { uri: 'notes.txt' })
      exchange.end()
    }
    // It is at work until it is stopped.
    const last = await provider.next()
    last.text('Still thinking about it.')
    await sign(app, 'Circles', 'Stuck')
    const note = app.page.getByRole('status', { name: 'Stuck agents' })
    await note.getByText(/reading notes\.txt \d times/).waitFor()
    assert.deepEqual(await findings(app.page), [], 'the advice')
    await note.getByRole('button', { name: 'Stop' }).click()
    await last.closed
    await note.getByRole('button').first().waitFor({ state: 'detached' })
    await app.waitIdle()
    await sign(app, 'Circles', 'Idle')
  })

  test('the title and the icon count waiting requests', async (t) => {
    const app = await App.start(t, { env: { MUTSUMI_GUIDE_PACE: '0' }, files: { 'a.txt': 'a' } })
    await app.newAgent()
    await app.writePrompt('/demo tool write_file {"uri":"b.txt","content":"b"}')
    await app.run()
    await app.until(async () => /^\(1\) /.test(await app.page.title()), 'the count in the title')
    const icon = (file) =>
      app.until(async () => (await app.page.locator('link[rel="icon"]').getAttribute('href')).endsWith(`/${file}`), `the icon ${file}`)
    await icon('leaf-waits.svg')
    assert.equal((await app.page.request.get(`${app.server.origin}/leaf-waits.svg`)).status(), 200)
    await app.page.getByRole('treeitem', { name: /, needs you, Needs you/ }).waitFor()
    await app.page.getByRole('region', { name: 'Waiting for you' }).getByRole('button', { name: 'Approve' }).click()
    await app.waitIdle()
    await app.until(async () => !(await app.page.title()).startsWith('('), 'the title without a count')
    await icon('leaf.svg')
  })

  test('a draft that is not sent is not called saved, and keys after "a" are typed', async (t) => {
    const { app } = await start(t)
    await app.openAgent('Alone')
    await app.editPrompt()
    // Everything from the key to the end, however short its text is.
    await app.page.locator('footer').evaluate((footer) => {
      const all = (globalThis.said = [])
      const watch = new MutationObserver(() => {
        const now = footer.querySelector('.save')?.textContent ?? ''
        if (all.at(-1) !== now) all.push(now)
      })
      watch.observe(footer, { subtree: true, childList: true, characterData: true })
    })
    await app.page.keyboard.type('x')
    const said = await app.until(
      () => app.page.evaluate(() => globalThis.said.includes('Saved') && globalThis.said),
      'the draft to be saved',
    )
    assert.deepEqual(
      said.filter((text) => text !== 'Saving…'),
      ['Typing…', 'Saved'],
    )
    assert.match(app.world.notebook('.mutsumi/Alone.mtm').context.at(-1).content, /x/)
    // All in one go, before the page can draw anything: "dd" would delete the cell.
    await app.page.keyboard.press('Escape')
    const before = await app.cells().count()
    await app.page.evaluate(() => {
      const cell = document.activeElement
      for (const key of ['a', 'd', 'd', 'Enter', 'é'])
        cell.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    })
    await app.until(async () => (await app.cells().count()) === before + 1, 'the new cell')
    await app.page.keyboard.type('!')
    await app.until(async () => (await app.notebook('.mutsumi/Alone.mtm')).cells.some((c) => c.body?.text === 'dd\né!'), 'what was typed')
  })

  test('five hundred agents, twenty at work: scrolling and counting stay smooth', async (t) => {
    const files = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [
        `.mutsumi/a${i}.mtm`,
        notebookText(`Agent ${String(i).padStart(3, '0')}`, [['work', undefined]], {
          uuid: `u${i}`,
          parent_agent_id: i % 5 ? `u${i - (i % 5)}` : null,
          created_at: at(i % 60),
        }),
      ]),
    )
    const { app, provider } = await start(t, { files: { ...files, ...family } })
    for (let i = 0; i < 20; i++) {
      const file = `.mutsumi/a${i * 5}.mtm`
      const { cells } = await app.notebook(file)
      await app.call('Run', file, cells[0].id, 'cell')
      ;(await provider.next()).text('On it. ')
    }
    await app.page.getByText('20 running').waitFor()
    await only(app, 'Running')
    await app.until(async () => (await app.agents()).length === 20, 'those that run')
    await app.page.mouse.move(700, 500)
    await app.page.getByRole('tooltip').waitFor({ state: 'detached' })
    // Two seconds pass: the times change, and nothing else is touched.
    const touched = await app.page.evaluate(
      () =>
        new Promise((done) => {
          const seen = { times: 0, other: [] }
          const watch = new MutationObserver((all) => {
            for (const m of all) {
              const time = m.target.parentElement?.closest('em') ?? (m.target.nodeName === 'EM' ? m.target : null)
              if (time) seen.times++
              else if (m.attributeName !== 'aria-label') seen.other.push(`${m.type} ${m.target.nodeName} ${m.attributeName}`)
            }
            if (seen.times >= 40) done(seen.other)
          })
          watch.observe(document.querySelector('[role="tree"]'), { subtree: true, childList: true, characterData: true, attributes: true })
        }),
    )
    assert.deepEqual(touched, [])
    await app.page.getByRole('button', { name: /show all agents/ }).click()

    const frames = await app.page.evaluate(async () => {
      const tree = document.querySelector('[role="tree"]')
      const frame = () => new Promise((done) => requestAnimationFrame(done))
      await frame()
      const took = []
      let last = performance.now()
      for (let y = 0; y < tree.scrollHeight - tree.clientHeight; y += 120) {
        tree.scrollTop = y
        await frame()
        const now = performance.now()
        took.push(now - last)
        last = now
      }
      took.sort((a, b) => a - b)
      return {
        frames: took.length,
        median: took[took.length >> 1],
        p95: took[Math.floor(took.length * 0.95)],
        rows: document.querySelectorAll('[role="treeitem"]').length,
      }
    })
    // Frame times depend on the machine: they are reported, and only the amount is asserted.
    t.diagnostic(`scrolling 500 agents, 20 running: ${JSON.stringify(frames)}`)
    assert.ok(frames.rows < 80, `${frames.rows} rows in the page`)
  })
})
