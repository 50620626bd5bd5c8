// A window with two groups of tabs, and what a person does in it.
import assert from 'node:assert/strict'
import { App } from './app.mjs'
import { notebookText } from './world.mjs'

const long = (name) =>
  notebookText(
    name,
    Array.from({ length: 40 }, (_, i) => [`${name} question ${i}`, `${name} answer ${i}. ${'It goes on. '.repeat(60)}`]),
  )
const files = {
  '.mutsumi/garden.mtm': long('Garden'),
  '.mutsumi/kitchen.mtm': long('Kitchen'),
  '.mutsumi/cellar.mtm': notebookText('Cellar', [['What is down there?', 'Apples.']]),
}
export const wide = { width: 1440, height: 900 }

/** A person's actions with two groups. */
export class Split {
  constructor(app) {
    this.app = app
    this.page = app.page
    this.groups = this.page.locator('[data-group]')
    this.left = this.groups.nth(0)
    this.right = this.groups.nth(1)
  }
  static async start(t, names, options = {}) {
    const app = await App.start(t, { files, viewport: wide, ...options })
    for (const name of names) await app.openAgent(name)
    if (names.length) await app.cells().first().waitFor()
    return new Split(app)
  }
  /** The names of the tabs of each group, the one on view in brackets. */
  tabs() {
    return this.groups.evaluateAll((groups) =>
      groups.map((group) =>
        [...group.querySelectorAll('[role="tab"]')]
          .map((tab) =>
            tab.ariaSelected === 'true' ? `[${tab.querySelector('.name').textContent}]` : tab.querySelector('.name').textContent,
          )
          .join(' '),
      ),
    )
  }
  /** Waits until these are the groups; they are identified by their order. */
  async are(...groups) {
    let now
    await this.app
      .until(async () => JSON.stringify((now = await this.tabs())) === JSON.stringify(groups), 'the groups')
      .catch((e) => assert.deepEqual(now, groups, e.message))
  }
  /** Which group has the keyboard: 0 the left one. */
  async used(place) {
    await this.app.until(
      () => this.groups.evaluateAll((groups, at) => groups[at]?.contains(document.activeElement) ?? false, place),
      `the keyboard in group ${place}`,
    )
  }
  /** Which group is in use; the menu of an agent leaves the keyboard in the list. */
  async front(place) {
    await this.app.until(
      () => this.groups.evaluateAll((groups, at) => groups.findIndex((group) => !group.matches('.rest')) === at, place),
      `group ${place} to be in use`,
    )
  }
  tab(group, name) {
    return group.getByRole('tab', { name: new RegExp(`^${name}`) })
  }
  scrolled(group) {
    return group
      .locator('.cells')
      .first()
      .evaluate(
        (cells) =>
          [...cells.querySelectorAll('*')].find(
            (e) => e.scrollHeight > e.clientHeight + 400 && /auto|scroll/.test(getComputedStyle(e).overflowY),
          ).scrollTop,
      )
  }
  /** The name of the first cell in view, once the cells are whole and stay where they are. */
  async top(group) {
    const first = () =>
      group.evaluate((view) => {
        const edge = view.querySelector('.cells').getBoundingClientRect().top
        return [...view.querySelectorAll('article.cell')].find(
          (cell) => cell.checkVisibility() && cell.getBoundingClientRect().bottom > edge + 8,
        )?.ariaLabel
      })
    const where = async () => `${await first()} at ${await this.scrolled(group)}`
    const loading = group.locator('article.cell:visible .absent')
    let last
    await this.app.until(async () => {
      const before = last
      last = await where()
      await this.page.waitForTimeout(120)
      return before === last && last === (await where()) && (await loading.count()) === 0
    }, 'the view to stand still')
    return first()
  }
  /** Drags a tab to a point of the page. */
  async drag(tab, x, y) {
    const box = await tab.boundingBox()
    await this.page.mouse.move(box.x + 30, box.y + box.height / 2)
    await this.page.mouse.down()
    await this.page.mouse.move(box.x + 50, box.y + box.height / 2 + 10)
    await this.page.mouse.move(x, y, { steps: 4 })
    await this.page.mouse.move(x + 1, y)
  }
}
