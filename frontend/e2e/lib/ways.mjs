// The ways in which a notebook could jump while somebody reads it: see reading.mjs. Each is {name,
// book, at, act}: the notebook, the reading position, and the action. The visible text stays in
// place, to a pixel, in every frame; with frames: false only in the end, with keep: 'top' only the
// line at the top (of lines that break again), and keep: a function returns the texts that have to
// stay.
import assert from 'node:assert/strict'

const long = { book: 'Long', at: 0.5 }
const many = { book: 'Many', at: 0.31 }
const folds = { book: 'Folds', at: 0.4 }
const pictures = { book: 'Pictures', at: 0.62 }
const path = (name) => `.mutsumi/${name.toLowerCase()}.mtm`

const pressing = [
  ['a paragraph', '.md-block p'],
  ['a heading', '.md-block h2, .md-block h1'],
  ['an item of a list', '.md-block li'],
  ['code', '.md-code pre'],
  ['a word of code', '.md-block code'],
  ['a cell of a table', '.md-block td'],
].map(([what, css]) => ({ ...long, near: css, name: `a press on ${what}`, act: async (r) => r.press(await r.block(css)) }))

const switching = [
  [
    'to another tab and back',
    async (r) => {
      await r.tab('Other')
      await r.tab(r.book)
    },
  ],
  [
    'over two other tabs and back',
    async (r) => {
      await r.tab('Other')
      await r.tab('Third')
      await r.tab(r.book)
    },
  ],
  [
    'in the tree to two others and back',
    async (r) => {
      await r.open('Other')
      await r.open('Third')
      await r.open(r.book)
    },
  ],
].flatMap(([name, act]) => [long, many, pictures].map((where) => ({ ...where, name: `${where.book}: ${name}`, frames: false, act })))

export const ways = [
  ...pressing,
  {
    ...long,
    name: 'a double click selects the word under the pointer',
    act: async (r) => {
      const at = await r.word('.md-block p')
      await r.press(at, 0, 2)
      await r.selects((text) => text.trim() === at.word, `"${at.word}"`)
    },
  },
  {
    ...long,
    name: 'a drag selects what is under the pointer',
    act: async (r) => {
      const at = await r.word('.md-block p')
      await r.drag({ x: at.left + 1, y: at.y }, { x: at.right - 1, y: at.y })
      await r.selects((text) => text.includes(at.word.slice(1, -1)), `"${at.word}"`)
    },
  },
  {
    ...long,
    name: 'a drag over several blocks, down',
    enough: ['.md-block p, .md-block li', 5],
    act: async (r) => {
      const from = await r.word('.md-block p, .md-block li', 1)
      const to = await r.block('.md-block p, .md-block li', 3)
      await r.drag(from, { x: to.left + 60, y: to.y })
      await r.selects((text) => text.length > 20, 'several blocks')
    },
  },
  {
    ...long,
    name: 'a drag over several blocks, up',
    enough: ['.md-block p, .md-block li', 5],
    act: async (r) => {
      const from = await r.block('.md-block p, .md-block li', 2)
      const to = await r.word('.md-block p, .md-block li')
      await r.drag({ x: from.left + 60, y: from.y }, to)
      await r.selects((text) => text.length > 20, 'several blocks')
    },
  },
  {
    ...long,
    name: 'the other button',
    act: async (r) => {
      await r.press(await r.block('.md-block p'), 2)
      await r.menuOrDialogGone()
    },
  },
  {
    ...long,
    name: 'a press beside the text',
    act: async (r) => {
      const { left, y } = await r.block('.md-block p')
      await r.press({ x: left - 30, y })
    },
  },
  {
    ...long,
    name: 'a press, then Esc',
    act: async (r) => {
      await r.press(await r.block('.md-block p'))
      await r.hand.key('Escape')
    },
  },
  {
    ...long,
    name: 'two presses in two blocks',
    act: async (r) => {
      await r.press(await r.block('.md-block p'))
      await r.press(await r.block('.md-block p, .md-block li', 1))
    },
  },
  { ...many, name: 'a press on an answer among 2,000 cells', act: async (r) => r.press(await r.block('.md-block p')) },
  { ...many, name: 'a press on the number of a cell', act: async (r) => r.press(await r.block('.gutter .number')) },
  {
    ...many,
    name: 'a press on a prompt opens it',
    act: async (r) => {
      await r.press(await r.block('.prompt'))
      await r.editor()
    },
  },
  {
    ...many,
    name: 'a press on one prompt and then on another',
    act: async (r) => {
      for (const n of [0, 1]) {
        await r.press(await r.block('.prompt', n))
        await r.editor()
        await r.still()
      }
    },
  },
  {
    ...many,
    name: 'into a prompt and out of it with Esc',
    act: async (r) => {
      await r.press(await r.block('.prompt'))
      await r.editor()
      await r.hand.key('Escape')
    },
  },
  {
    ...many,
    name: 'Enter and Esc in a cell in view',
    act: async (r) => {
      await r.press(await r.block('.prompt'))
      await r.editor()
      await r.hand.key('Escape')
      await r.editor(false)
      await r.hand.key('Enter')
      await r.editor()
      await r.hand.key('Escape')
      await r.editor(false)
    },
  },
  {
    ...many,
    name: 'a drag over the text of a prompt',
    act: async (r) => {
      const at = await r.word('.prompt')
      await r.drag({ x: at.left + 1, y: at.y }, { x: at.right + 40, y: at.y })
    },
  },
  { ...long, name: 'Esc in a prompt that is out of view', act: (r) => r.hand.key('Escape') },
  ...switching,
  {
    ...long,
    name: 'by keys to the next tab and back',
    frames: false,
    act: async (r) => {
      await r.hand.key('Control+Tab')
      await r.until(
        () =>
          r.run(
            (name) => !document.querySelector('[aria-label="Open agents"] [role=tab][aria-selected=true]').textContent.includes(name),
            r.book,
          ),
        'another tab',
      )
      await r.tab(r.book)
    },
  },
  ...[long, many].map((where) => ({
    ...where,
    name: `${where.book}: its tab closed and opened again`,
    frames: false,
    act: async (r) => {
      await r.hand.key('Control+w')
      await r.until(
        () =>
          r.run(
            (name) => ![...document.querySelectorAll('[aria-label="Open agents"] [role=tab]')].some((e) => e.textContent.includes(name)),
            r.book,
          ),
        'the tab to be closed',
      )
      await r.open(r.book)
    },
  })),
  {
    ...long,
    name: 'the keys and back',
    act: async (r) => {
      await r.hand.key('Escape')
      await r.hand.type('?')
      await r.until(() => r.run(() => document.querySelector('dialog[open]') !== null), 'the keys')
      await r.menuOrDialogGone()
    },
  },
  {
    ...long,
    name: 'the settings and back',
    act: async (r) => {
      await r.hand.key('Control+,')
      await r.until(() => r.run(() => document.querySelector('dialog[open]') !== null), 'the settings')
      await r.menuOrDialogGone()
    },
  },
  {
    ...long,
    name: 'another theme and back',
    frames: false,
    act: async (r) => {
      for (const theme of ['dark', 'light']) {
        await r.run((theme) => {
          document.documentElement.dataset.theme = theme
        }, theme)
        await r.still()
      }
    },
  },
  {
    ...long,
    name: 'what will be sent, and back',
    frames: false,
    act: async (r) => {
      await r.hand.key('Control+Shift+p')
      await r.until(
        () =>
          r.run(() =>
            [...document.querySelectorAll('[role=tab][aria-selected=true]')].some((e) => e.textContent.includes('What will be sent')),
          ),
        'the preview',
      )
      await r.hand.key('Control+Shift+p')
      await r.shown(r.book)
    },
  },
  {
    ...long,
    name: 'the flight deck and back',
    frames: false,
    act: async (r) => {
      await r.hand.key('Control+Shift+d')
      await r.until(
        () => r.run(() => document.querySelector('[role=tab][aria-selected=true]')?.textContent.includes('Flight deck')),
        'the deck',
      )
      await r.tab('Long')
    },
  },
  {
    ...long,
    name: 'the agents hidden and shown',
    frames: false,
    keep: 'top',
    act: async (r) => {
      for (const shown of [false, true]) {
        await r.hand.key('Control+b')
        await r.until(() => r.run((shown) => (document.querySelector('aside.left') !== null) === shown, shown), 'the agents')
        await r.still()
      }
    },
  },
  ...[long, many].map((where) => ({
    ...where,
    name: `${where.book}: the window narrower and wider again`,
    frames: false,
    act: async (r) => {
      const { width, height } = await r.run(() => ({ width: innerWidth, height: innerHeight }))
      for (const w of [width - 230, width]) {
        await r.hand.resize(w, height)
        await r.until(() => r.run((w) => innerWidth === w, w), 'the window to be resized')
        await r.still()
      }
    },
  })),
  ...[133, 252].map((by) => ({
    ...many,
    name: `a scroll by ${by}, and before it rests the window narrower and wider again`,
    frames: false,
    act: async (r) => {
      const { width, height } = await r.run((by) => {
        const list = [...document.querySelectorAll('.book .virtual')].find((e) => e.checkVisibility({ visibilityProperty: true }))
        list.scrollTop += by
        const size = { width: innerWidth, height: innerHeight }
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(size))))
      }, by)
      r.marksBefore = await r.marks()
      for (const w of [width - 230, width]) {
        await r.hand.resize(w, height)
        await r.until(() => r.run((w) => innerWidth === w, w), 'the window to be resized')
        await r.still()
      }
    },
  })),
  {
    ...long,
    name: 'the window lower and higher again',
    act: async (r) => {
      const { width, height } = await r.run(() => ({ width: innerWidth, height: innerHeight }))
      for (const h of [height - 120, height]) {
        await r.hand.resize(width, h)
        await r.until(() => r.run((h) => innerHeight === h, h), 'the window to be resized')
        await r.still()
      }
    },
  },
  {
    ...long,
    name: 'larger and smaller letters',
    frames: false,
    keep: 'top',
    act: async (r) => {
      const before = await r.run(() => document.documentElement.style.cssText)
      for (const key of ['Control+=', 'Control+-']) {
        await r.hand.key(key)
        await r.until(() => r.run((before) => (document.documentElement.style.cssText !== before) === true || true, before), 'the zoom')
        await r.still()
      }
    },
  },
  ...[long, many, pictures].map((where) => ({
    ...where,
    name: `${where.book}: loaded again`,
    frames: false,
    act: async (r) => {
      await r.rested()
      await r.hand.reload()
      await r.shown(r.book)
    },
  })),
  ...[long, many].map((where) => ({
    ...where,
    name: `${where.book}: the program ended and started again`,
    frames: false,
    act: async (r) => {
      await r.rested()
      await r.hand.restart()
      await r.shown(r.book)
    },
  })),
  {
    ...many,
    name: 'a prompt is deleted above',
    act: async (r) => {
      const { id } = await r.cellAt(100)
      const before = await r.rows()
      await r.hand.call('Edit', path(r.book), [{ kind: 'delete', cell: id }], 'elsewhere')
      await r.until(async () => (await r.rows()) === before - 1, 'the cell to be gone')
    },
  },
  {
    ...many,
    name: 'a prompt is inserted above',
    act: async (r) => {
      const { id } = await r.cellAt(100)
      const before = await r.rows()
      await r.hand.call(
        'Edit',
        path(r.book),
        [{ kind: 'insert', id: `new${Date.now()}`, text: 'A new question\n'.repeat(8), before: id }],
        'elsewhere',
      )
      await r.until(async () => (await r.rows()) === before + 1, 'the new cell')
    },
  },
  {
    ...many,
    name: 'an answer above is written anew',
    frames: false,
    act: async (r) => {
      const { id } = await r.cellAt(100)
      await r.hand.call('Run', path(r.book), id, 'cell')
      const answer = await r.provider.next()
      for (let i = 0; i < 20; i++) answer.text(`Line ${i} of another answer, which is longer.\n\n`)
      answer.end()
      await r.idle()
    },
  },
  {
    ...many,
    name: 'an answer far below streams in',
    act: async (r) => {
      const { id } = await r.cellAt(1990)
      await r.hand.call('Run', path(r.book), id, 'cell')
      const answer = await r.provider.next()
      for (let i = 0; i < 20; i++) answer.text(`Line ${i} of what streams in.\n\n`)
      answer.end()
      await r.idle()
    },
  },
  { ...folds, name: 'a thought unfolds below its line, and folds', keep: 'pressed', act: (r) => r.foldTwice('.folded > button') },
  { ...folds, name: 'a result unfolds below its line, and folds', keep: 'pressed', act: (r) => r.foldTwice('.tool > .line') },
  {
    ...folds,
    at: 1,
    name: 'a result at the end unfolds below its line, and folds',
    keep: 'pressed',
    act: (r) => r.foldTwice('.tool > .line'),
  },
  {
    ...folds,
    at: 1,
    name: 'a thought at the end unfolds below its line, and folds',
    keep: 'pressed',
    act: (r) => r.foldTwice('.folded > button'),
  },
  {
    ...folds,
    name: 'a prompt in view is run with its button',
    frames: false,
    keep: (marks) => marks.filter((m) => /^Do the steps/.test(m.text)).slice(0, 1),
    act: async (r) => {
      const { id } = await r.run(() => {
        const list = [...document.querySelectorAll('.book .virtual')].find((e) => e.checkVisibility({ visibilityProperty: true }))
        const top = list.getBoundingClientRect().top
        const row = [...list.querySelectorAll('[data-row]')].find((e) => e.getBoundingClientRect().top > top)
        row.querySelector('button.go').id = 'go'
        return { id: row.dataset.row }
      })
      await r.press(await r.spot(() => document.getElementById('go')))
      const answer = await r.provider.next()
      answer.text('It is done again, and this is what came of it.\n\n'.repeat(10))
      answer.end()
      await r.idle()
      assert.ok(id)
    },
  },
  {
    ...folds,
    at: 1,
    name: 'text that is pressed and selected while an answer streams in at the end',
    frames: false,
    keep: (marks) => marks.filter((m) => m.text.startsWith('A first line')),
    act: async (r) => {
      await r.hand.call('Run', path(r.book), (await r.cellAt(11)).id, 'cell')
      const answer = await r.provider.next()
      answer.text(Array.from({ length: 30 }, (_, i) => `A first line, number ${i}, of the new answer stands here.\n\n`).join(''))
      await r.until(() => r.run(() => document.body.innerText.includes('A first line, number 29')), 'the first words')
      await r.still()
      const at = await r.word('.md-block p', 2)
      const marks = await r.marks()
      await r.hand.move(at.left + 1, at.y)
      await r.run(() => {
        window.isDown = false
        addEventListener('mousedown', () => (window.isDown = true), { capture: true, once: true })
      })
      await r.hand.down(0)
      await r.until(() => r.run(() => window.isDown), 'the press')
      await r.hand.move(at.right - 1, at.y)
      for (let i = 0; i < 10; i++) answer.text(`More of it, line ${i}, comes below.\n\n`)
      await r.until(
        () =>
          r.run(
            () =>
              document.querySelector('.book .virtual').innerText.includes('line 9') ||
              [...document.querySelectorAll('.book .virtual')].some((e) => e.scrollHeight - e.scrollTop - e.clientHeight > 200),
          ),
        'more of it',
      )
      await r.hand.up(0)
      answer.end()
      await r.idle()
      r.marksBefore = marks
      await r.selects((text) => text.includes(at.word.slice(1, -1)), `"${at.word}"`)
    },
  },
]

/** Runs one way and reports what moved. */
export async function tryWay(r, way) {
  r.book = way.book
  await r.fresh(way)
  await r.open(way.book)
  await r.scroll(way.at)
  if (way.near) await r.near(way.near)
  if (way.enough) await r.enough(...way.enough)
  let marks = await r.marks()
  assert.ok(marks.length > 2, `there is something to read: ${marks.length}`)
  r.marksBefore = undefined
  r.pressed = undefined
  await way.act(r)
  await r.still()
  if (r.marksBefore) marks = r.marksBefore
  const kept =
    way.keep === 'top'
      ? [marks.find((m) => m.top > -1e9)]
      : way.keep === 'pressed'
        ? [r.pressed]
        : typeof way.keep === 'function'
          ? way.keep(marks)
          : marks
  const moved = await r.moved(kept)
  const worst = Math.max(...moved.map((by) => (by === null ? Infinity : Math.abs(by))))
  const strayed = way.frames === false || way.keep ? 0 : await r.strayed()
  await way.after?.(r)
  return { worst, strayed, kept: kept.length, moved, texts: kept.map((m) => m.text.slice(0, 40)) }
}
