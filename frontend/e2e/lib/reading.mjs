// Reading never jumps: the ways of pressing, dragging, switching and running while somebody reads,
// and how far the text they read moved. One table for the browser and for the real window; each
// provides a hand, which presses and types there: {run(fn, ...args), move(x, y), down(button),
// up(button), key(keys), type(text), call(name, ...args), reload(), restart(), resize(width,
// height)}.
import assert from 'node:assert/strict'
import { prose, random } from '../../../bench/workload.mjs'
import { encode } from './png.mjs'
import { notebookText } from './world.mjs'

const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

/** Notebooks: an answer of 1 MB, 2,000 cells, one with all that folds, one with large pictures, and two to switch to. */
export function books() {
  const next = random(12)
  const table =
    '| Bed | Water the bed in litres | Note of the gardener |\n|---|---|---|\n| First bed | 12 litres each morning | see `water()` |\n| Second bed | 7 litres each evening | **dry** since May |\n'
  const chapter = (i) =>
    `# Chapter ${i} of the long answer\n\n${prose(next, 3000)}\n\n${table}\nThe formula of chapter ${i} is $x_${i}^2 + \\frac{a}{b}$ and so on.\n\n`
  let long = ''
  for (let i = 1; long.length < 1024 * 1024; i++) long += chapter(i)
  const thought = (i) => ({
    role: 'assistant',
    content: `The result of step ${i} is what was to be expected.`,
    reasoning_content: `I think about step ${i}.\n`.repeat(30),
    tool_calls: [
      { id: `call_${i}`, type: 'function', function: { name: 'read_file', arguments: JSON.stringify({ uri: `src/file${i}.txt` }) } },
    ],
  })
  const result = (i) => ({ role: 'tool', tool_call_id: `call_${i}`, name: 'read_file', content: `line of file ${i}\n`.repeat(60) })
  const folds = JSON.parse(notebookText('Folds', []))
  folds.context = Array.from({ length: 12 }, (_, c) => [
    { role: 'user', content: `Do the steps of round ${c + 1}, one after the other` },
    ...[0, 1, 2, 3].flatMap((k) => [thought(c * 4 + k), result(c * 4 + k)]),
    { role: 'assistant', content: `Round ${c + 1} is done, and nothing is left to do in it.` },
  ]).flat()
  return {
    '.mutsumi/long.mtm': notebookText('Long', [
      ['A short question before it', 'A short answer before it.'],
      ['Tell me all about the garden, at length and in chapters', long],
      ['A short question behind it', 'A short answer behind it.'],
    ]),
    '.mutsumi/many.mtm': notebookText(
      'Many',
      Array.from({ length: 2000 }, (_, i) => [
        `Question ${i} about the beds of the garden`,
        `Answer ${i} begins here.\n\n${prose(next, 400)}`,
      ]),
    ),
    '.mutsumi/folds.mtm': JSON.stringify(folds, null, 2),
    '.mutsumi/pictures.mtm': notebookText(
      'Pictures',
      Array.from({ length: 12 }, (_, i) => [
        `Show bed ${i} of the garden`,
        `Picture ${i} comes here.\n\n![Bed ${i}](beds/${i % 4}.png)\n\n${prose(next, 1500)}\n\n![Bed ${i} again](beds/${(i + 1) % 4}.png)\n\n${prose(next, 900)}`,
      ]),
    ),
    ...Object.fromEntries([0, 1, 2, 3].map((i) => [`beds/${i}.png`, encode(900, 500 + 60 * i, (x, y) => [(x ^ y) & 255, 120, 60 * i])])),
    '.mutsumi/other.mtm': notebookText('Other', [['q', 'a']]),
    '.mutsumi/third.mtm': notebookText('Third', [['q', 'a']]),
  }
}

export class Reader {
  constructor(hand, provider) {
    this.hand = hand
    this.provider = provider
  }

  run(fn, ...args) {
    return this.hand.run(fn, ...args)
  }

  async until(check, what, limit = 45_000) {
    const end = Date.now() + limit
    for (;;) {
      const found = await check()
      if (found) return found
      if (Date.now() > end) throw new Error(`waited ${limit / 1000} s for ${what}`)
      await sleep(25)
    }
  }

  /** Where the middle of the first element is that a function of the page finds, in pixels of the page. */
  async spot(find, ...args) {
    const at = await this.run(
      `(...args) => {
      const found = (${find})(...args)
      if (!found) return null
      const box = found.getBoundingClientRect()
      return { x: box.left + box.width / 2, y: box.top + Math.min(box.height / 2, 40), left: box.left, top: box.top, right: box.right, bottom: box.bottom }
    }`,
      ...args,
    )
    assert.ok(at, `nothing to press: ${find}`)
    return at
  }

  async press({ x, y }, button = 0, times = 1) {
    await this.hand.move(x, y)
    for (let n = 0; n < times; n++) {
      await this.hand.down(button, n + 1)
      await this.hand.up(button, n + 1)
    }
  }

  async drag(from, to) {
    this.dragged = [from, to]
    await this.hand.move(from.x, from.y)
    await this.hand.down(0)
    for (let i = 1; i <= 6; i++) await this.hand.move(from.x + ((to.x - from.x) * i) / 6, from.y + ((to.y - from.y) * i) / 6)
    await this.hand.up(0)
  }

  /** Opens a notebook by its row in the tree. */
  async open(name) {
    this.scrolledMs = 0
    await this.press(
      await this.spot(
        (name) => [...document.querySelectorAll('[role=treeitem]')].find((e) => e.querySelector('.name')?.textContent.trim() === name),
        name,
      ),
    )
    await this.shown(name)
  }

  async shown(name, limit) {
    await this.until(
      () =>
        this.run((name) => {
          const tab = document.querySelector('[aria-label="Open agents"] [role=tab][aria-selected=true]')
          return (
            tab?.textContent.includes(name) &&
            [...document.querySelectorAll('.virtual [data-row]')].some((e) => e.checkVisibility({ visibilityProperty: true }))
          )
        }, name),
      `${name} to be shown`,
      limit,
    )
    await this.still()
  }

  /** Scrolls to a share of the whole, as a drag of the scroll bar does, and waits until all is drawn there. */
  async scroll(share) {
    for (let n = 0; n < 2; n++) {
      const now = Date.now()
      const scrolled = await this.run((to) => {
        const list = [...document.querySelectorAll('.book .virtual')].find((e) => e.checkVisibility({ visibilityProperty: true }))
        const before = list.scrollTop
        list.scrollTop = to * (list.scrollHeight - list.clientHeight)
        return Math.abs(list.scrollTop - before) > 2
      }, share)
      if (scrolled) this.scrolledMs = now
      await this.still()
    }
  }

  /** Waits until everything in view is drawn and still. */
  still() {
    return this.until(
      () =>
        this.run(
          () =>
            new Promise((done) => {
              const list = [...document.querySelectorAll('.book .virtual')].find((e) => e.checkVisibility({ visibilityProperty: true }))
              if (!list) return done(false)
              const box = list.getBoundingClientRect()
              const inView = (e) => {
                const b = e.getBoundingClientRect()
                return b.bottom > box.top && b.top < box.bottom && b.height > 0
              }
              const look = () =>
                [...list.querySelectorAll('[data-row], .md-block, .prompt, .tool')]
                  .filter(inView)
                  .map((e) => Math.round(e.getBoundingClientRect().top * 10))
                  .join()
              const began = performance.now()
              let before = '',
                same = 0
              const step = () => {
                const empty =
                  list.querySelector('.md-more') !== null ||
                  [...list.querySelectorAll('[data-absent], [data-piece]')].some(
                    (e) => inView(e) && (e.hasAttribute('data-absent') || (e.childElementCount === 0 && e.offsetHeight > 1)),
                  )
                const now = empty ? '' : look()
                same = now !== '' && now === before ? same + 1 : 0
                before = now
                if (same >= 12) done(true)
                else if (performance.now() - began > 10_000) done(false)
                else requestAnimationFrame(step)
              }
              step()
            }),
        ),
      'the notebook to stand still',
    )
  }

  /** The text being read: the visible blocks, and how far down each is. Their movements are recorded frame by frame. */
  marks() {
    return this.run(() => {
      const list = [...document.querySelectorAll('.book .virtual')].find((e) => e.checkVisibility({ visibilityProperty: true }))
      const box = list.getBoundingClientRect()
      const blocks = [
        ...list.querySelectorAll(
          '.md-block > *, .md-block li, .md-block tr, .md-code, .prompt .line, .prompt .cm-line, .tool > .line, .folded > button',
        ),
      ]
      const found = blocks.filter((e) => {
        const b = e.getBoundingClientRect()
        return b.height > 0 && b.bottom > box.top + 1 && b.top < box.bottom - 1 && e.textContent.trim().length > 12
      })
      const key = (e) =>
        e.textContent
          .replace(/\u200b/g, '')
          .trim()
          .slice(0, 90)
      window.marks = found.map((el) => ({ el, text: key(el), top: el.getBoundingClientRect().top }))
      window.marksFrom = box.top
      window.strayed = 0
      if (!window.marksWatched) {
        window.marksWatched = true
        const watch = () => {
          for (const m of window.marks)
            if (m.el.isConnected && m.el.checkVisibility({ visibilityProperty: true }))
              window.strayed = Math.max(window.strayed, Math.abs(m.el.getBoundingClientRect().top - m.top))
          requestAnimationFrame(watch)
        }
        requestAnimationFrame(watch)
      }
      return window.marks.map(({ text, top }) => ({ text, top }))
    })
  }

  /** How far each of the marks is from where it was; undefined for one that has disappeared. */
  moved(marks) {
    return this.run((marks) => {
      const list = [...document.querySelectorAll('.book .virtual')].find((e) => e.checkVisibility({ visibilityProperty: true }))
      const blocks = [
        ...list.querySelectorAll(
          '.md-block > *, .md-block li, .md-block tr, .md-code, .prompt .line, .prompt .cm-line, .tool > .line, .folded > button',
        ),
      ]
      const key = (e) =>
        e.textContent
          .replace(/\u200b/g, '')
          .trim()
          .slice(0, 90)
      return marks.map(({ text, top }) => {
        const away = blocks.filter((e) => key(e) === text).map((e) => e.getBoundingClientRect().top - top)
        return away.length ? away.reduce((a, b) => (Math.abs(b) < Math.abs(a) ? b : a)) : null
      })
    }, marks)
  }

  /** The most that anything moved in any frame since the marks were taken. */
  strayed() {
    return this.run(() => window.strayed)
  }

  /** A block of text in view, the nth from the top that matches. */
  block(css, n = 0) {
    return this.spot(
      `(css, n) => {
      const list = [...document.querySelectorAll('.book .virtual')].find((e) => e.checkVisibility({ visibilityProperty: true }))
      const box = list.getBoundingClientRect()
      return [...list.querySelectorAll(css)].filter((e) => { const b = e.getBoundingClientRect(); return b.height > 8 && b.top > box.top + 20 && b.top < box.bottom - 70 })[n]
    }`,
      css,
      n,
    )
  }

  /** Scrolls a little, so that something that matches is in the middle of the view. */
  async near(css) {
    await this.run((css) => {
      const list = [...document.querySelectorAll('.book .virtual')].find((e) => e.checkVisibility({ visibilityProperty: true }))
      const box = list.getBoundingClientRect()
      const away = [...list.querySelectorAll(css)]
        .map((e) => e.getBoundingClientRect().top - box.top - box.height / 2)
        .sort((a, b) => Math.abs(a) - Math.abs(b))
      list.scrollTop += away[0]
    }, css)
    this.scrolledMs = Date.now()
    await this.still()
  }

  /** Scrolls on until so many elements are in view where block() finds them. */
  async enough(css, n) {
    for (let tries = 0; tries < 20; tries++) {
      const scrolled = await this.run(
        (css, n) => {
          const list = [...document.querySelectorAll('.book .virtual')].find((e) => e.checkVisibility({ visibilityProperty: true }))
          const box = list.getBoundingClientRect()
          const inView = [...list.querySelectorAll(css)].filter((e) => {
            const b = e.getBoundingClientRect()
            return b.height > 8 && b.top > box.top + 20 && b.top < box.bottom - 70
          })
          if (inView.length >= n) return false
          list.scrollTop += 120
          return true
        },
        css,
        n,
      )
      if (!scrolled) return
      this.scrolledMs = Date.now()
      await this.still()
    }
  }

  /** The cell with an index, from the program. */
  async cellAt(index) {
    return (await this.hand.notebook(`.mutsumi/${this.book.toLowerCase()}.mtm`)).cells[index]
  }

  /** The number of cells in the list. */
  rows() {
    return this.run(() =>
      Number(
        [...document.querySelectorAll('.book [data-row]')]
          .find((e) => e.checkVisibility({ visibilityProperty: true }))
          .getAttribute('aria-setsize'),
      ),
    )
  }

  /** Waits until nothing runs in the notebook. */
  async idle() {
    await this.until(async () => {
      const view = await this.hand.notebook(`.mutsumi/${this.book.toLowerCase()}.mtm`)
      return view.running.length === 0 && !view.state.dirty && this.run(() => document.querySelector('.gutter .stop') === null)
    }, 'the notebook to be at rest')
    await this.still()
  }

  /** Waits until it is kept where the notebook is read, and stays so: a place is kept once the list has been at rest for a while. */
  async rested() {
    const { meta } = await this.hand.notebook(`.mutsumi/${this.book.toLowerCase()}.mtm`)
    let before = ''
    await this.until(async () => {
      const place = (await this.hand.call('Snapshot')).ui.places?.[meta.uuid]
      const now = JSON.stringify(place ?? null)
      const stays = now === before
      before = now
      await sleep(300)
      return stays && (place?.atMs ?? 0) >= this.scrolledMs
    }, 'the place to be kept')
  }

  /** Waits until somebody types in a prompt, or nobody does any longer. */
  editor(open = true) {
    return this.until(
      () => this.run((open) => document.activeElement.classList.contains('cm-content') === open, open),
      open ? 'the editor' : 'the editor to be left',
    )
  }

  /** Presses what unfolds something, twice; it stays under the pointer. */
  async foldTwice(css) {
    const at = await this.block(css)
    const look = () =>
      this.run(
        ({ x, y }) => {
          const el = document.elementFromPoint(x, y).closest('button')
          return {
            top: el.getBoundingClientRect().top,
            open: el.getAttribute('aria-expanded'),
            text: el.textContent
              .replace(/\u200b/g, '')
              .trim()
              .slice(0, 90),
          }
        },
        { x: at.left + 20, y: at.y },
      )
    const before = await look()
    for (const open of ['true', 'false']) {
      await this.run(() => {
        window.presses = []
        const note = (e) => {
          const { left, top } = e.target.getBoundingClientRect()
          const rows = [...document.querySelectorAll('[aria-expanded="true"]')].length
          window.presses.push(
            `${e.type} at ${e.clientX},${e.clientY} on ${e.target.tagName} ${e.target.className} at ${left},${top}, ${rows} unfolded`,
          )
        }
        for (const type of ['mousedown', 'mouseup', 'click']) window.addEventListener(type, note, { capture: true, once: true })
      })
      await this.press({ x: at.left + 20, y: at.y })
      await this.until(
        () =>
          this.run(
            (css, open) => (document.querySelector(`.book:not(.off) :is(${css})[aria-expanded="true"]`) !== null) === (open === 'true'),
            css,
            open,
          ),
        `${before.text} to be ${open === 'true' ? 'un' : ''}folded`,
      ).catch(async (e) => {
        throw new Error(`${e.message}; pressed at ${at.left + 20},${at.y}: ${JSON.stringify(await this.run(() => window.presses))}`)
      })
      await this.still()
      const now = await look()
      assert.equal(now.open, open, `under the pointer stands ${now.text}, not ${before.text}`)
      assert.ok(
        Math.abs(now.top - before.top) <= 1,
        `the line went ${now.top - before.top} px when it was ${open === 'true' ? 'un' : ''}folded`,
      )
    }
    this.pressed = before
  }

  /** Nothing of the previous row is still open. */
  async fresh() {
    await this.run(() => getSelection().removeAllRanges())
    if (await this.run(() => document.querySelector('dialog[open], [role=menu]') !== null)) await this.menuOrDialogGone()
  }

  /** Waits until the check accepts the selected text: a press takes time to reach the window. */
  async selects(check, what) {
    let text = ''
    await this.until(async () => check((text = await this.run(() => getSelection().toString()))), `${what} to be selected`).catch(
      async (e) => {
        const under = await this.run(
          (points) => points.map(({ x, y }) => `${x},${y}: ${document.elementFromPoint(x, y)?.outerHTML.slice(0, 300)}`),
          this.dragged ?? [],
        )
        throw new Error(`${e.message}; selected: ${JSON.stringify(text)}; dragged over: ${under.join(' to ')}`)
      },
    )
  }

  /** A word of a block, and a point in the middle of it. */
  word(css, n = 0) {
    return this.run(
      (css, n) => {
        const list = [...document.querySelectorAll('.book .virtual')].find((e) => e.checkVisibility({ visibilityProperty: true }))
        const box = list.getBoundingClientRect()
        const el = [...list.querySelectorAll(css)].filter((e) => {
          const b = e.getBoundingClientRect()
          return b.height > 8 && b.top > box.top + 20 && b.top < box.bottom - 70
        })[n]
        const walk = document.createTreeWalker(el, NodeFilter.SHOW_TEXT)
        while (walk.nextNode()) {
          const word = /[a-z]{4,}/.exec(walk.currentNode.data)
          if (!word) continue
          const range = document.createRange()
          range.setStart(walk.currentNode, word.index)
          range.setEnd(walk.currentNode, word.index + word[0].length)
          const b = range.getBoundingClientRect()
          return { word: word[0], x: b.left + b.width / 2, y: b.top + b.height / 2, left: b.left, right: b.right }
        }
        return null
      },
      css,
      n,
    )
  }

  async menuOrDialogGone() {
    // On a busy machine the key can come before the menu listens.
    const gone = () => this.run(() => !document.querySelector('dialog[open], [role=menu]'))
    for (let tries = 0; tries < 10; tries++) {
      await this.hand.key('Escape')
      if (await this.until(gone, 'the dialog to be gone', 3000).catch(() => false)) return
    }
    throw new Error('The dialog or menu does not go.')
  }

  /** Clicks a tab by its name. */
  async tab(name) {
    const find = (name) => {
      const tab = [...document.querySelectorAll('[aria-label="Open agents"] [role=tab]')].find((e) => e.textContent.includes(name))
      tab?.scrollIntoView()
      return tab
    }
    // The tabs move when one is scrolled into view: a press where it was could hit a button to close.
    let at
    let rested = 0
    await this.until(async () => {
      const before = at
      at = await this.spot(find, name)
      rested = before?.left === at.left && before.right === at.right ? rested + 1 : 0
      return rested === 4
    }, `the tab ${name} to rest`)
    await this.press(at)
    await this.shown(name)
  }
}
