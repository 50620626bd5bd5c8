// @vitest-environment jsdom
import { beforeEach, expect, test } from 'vitest'
import { drawNextStop } from './nextStop'
import { makesWhenSought } from './readingPosition'

/** Rows 0 to 9, of which 0, 1 and 9 are drawn; drawn: what was drawn, in order. */
let drawn: string[]
let list: HTMLElement
beforeEach(() => {
  drawn = []
  document.body.innerHTML = '<div><div data-row="0"></div><div data-row="1"></div><div data-row="9"></div></div>'
  list = document.querySelector('div')!
})
const row = (n: number) => list.querySelector(`[data-row="${n}"]`)!
/** Fills a row; what a piece holds is in it only once it is drawn. */
function fill(n: number, html: string): void {
  row(n).innerHTML = html
  for (const piece of row(n).querySelectorAll('template')) {
    const box = document.createElement('div')
    box.dataset.piece = box.dataset.from = piece.id
    makesWhenSought(box, (from) => {
      drawn.push(`piece ${from}`)
      box.innerHTML = piece.innerHTML
    })
    piece.replaceWith(box)
  }
}
const contents = new Map<number, string>()
function drawRow(key: string, by: 1 | -1): boolean {
  const n = Number(key) + by
  if (n < 0 || n > 9 || list.querySelector(`[data-row="${n}"]`)) return false
  const made = document.createElement('div')
  made.dataset.row = String(n)
  row(Number(key))[by === 1 ? 'after' : 'before'](made)
  fill(n, contents.get(n) ?? '<p>text</p>')
  drawn.push(`row ${n}`)
  return true
}
const from = (selector: string, by: 1 | -1) => drawNextStop(list, list.querySelector(selector)!, by, drawRow)

test('up to the next stop everything missing is drawn, and nothing behind it', () => {
  fill(
    1,
    '<a href="x">here</a><template id="1"><p>text</p></template><template id="2"><p><a href="y">there</a></p></template><template id="3"></template>',
  )
  expect(from('a', 1)).toBe(true)
  expect(drawn).toEqual(['piece 1', 'piece 2'])
  expect(from('a', 1)).toBe(false)
})

test('rows without a stop are drawn too, in both directions', () => {
  contents.set(3, '<template id="1"><button disabled>no</button></template><button>stop</button>')
  contents.set(6, '<button>stop</button><template id="1"><p>text</p></template><template id="2"><p>text</p></template>')
  fill(1, '<a href="x">here</a>')
  fill(9, '<a href="x">here</a>')
  from('a', 1)
  expect(drawn).toEqual(['row 2', 'row 3', 'piece 1'])
  drawn = []
  from('[data-row="9"] a', -1)
  expect(drawn).toEqual(['row 8', 'row 7', 'row 6', 'piece 2', 'piece 1'])
})

test('at the ends of the list nothing is drawn', () => {
  fill(0, '<a href="x">here</a>')
  fill(9, '<a href="x">here</a>')
  expect(from('[data-row="0"] a', -1)).toBe(false)
  expect(from('[data-row="9"] a', 1)).toBe(false)
})
