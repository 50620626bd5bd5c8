// How controls answer to the pointer and the keyboard, asked of chromium: it can hold an element in a state, as under a pointer.

const controls = [
  'button',
  'a[href]',
  'input',
  'select',
  'textarea',
  'summary',
  ...['button', 'tab', 'menuitem', 'option', 'radio', 'switch', 'checkbox', 'treeitem'].map((role) => `[role=${role}]`),
].join(',')

/** In the page: the visible style of an element, of its content and, if its frame shows the focus, of its parents. */
function look() {
  const parts = [
    'backgroundColor',
    'backgroundImage',
    'color',
    'borderTopColor',
    'borderBottomColor',
    'boxShadow',
    'opacity',
    'filter',
    'transform',
  ]
  const lines = [
    'outlineStyle',
    'outlineColor',
    'outlineWidth',
    'outlineOffset',
    'textDecorationLine',
    'textDecorationColor',
    'visibility',
    'fill',
    'stroke',
  ]
  const of = (e, pseudo) => {
    const style = getComputedStyle(e, pseudo)
    return [...parts, ...lines].map((p) => style[p]).join('|')
  }
  const all = [this, ...this.querySelectorAll('*'), this.parentElement, this.parentElement?.parentElement].filter(Boolean).slice(0, 60)
  return all.map((e) => of(e) + of(e, '::before') + of(e, '::after')).join('\n')
}

/** In the page: the name of a control, '' if it cannot be used now. */
function named() {
  if (!this.checkVisibility({ opacityProperty: false, visibilityProperty: true }) || this.closest('[inert],[aria-disabled=true],:disabled'))
    return ''
  if (document.querySelector('dialog:modal') && !this.closest('dialog:modal')) return ''
  // A list of the system opens at a press: that is its answer.
  const typed = this.matches('input:not([type=checkbox],[type=radio],[type=range],[type=color]),textarea,select,[contenteditable]')
  // The palette has one field, and its caret is always there.
  const caret = this.matches('[role=combobox]')
  const focusable = this.tabIndex >= 0 && !this.closest('[aria-hidden=true]')
  const { width, height } = this.getBoundingClientRect()
  if (width < 2 || height < 2) return '' // a native control under a drawn one
  const kind = `${this.tagName.toLowerCase()}${this.getAttribute('role') ? `[role=${this.getAttribute('role')}]` : ''}.${[...this.classList].join('.')}`
  const on = ['aria-selected', 'aria-pressed', 'aria-checked', 'aria-expanded'].map((a) => this.getAttribute(a)).join()
  const within = this.parentElement?.className ?? ''
  return JSON.stringify({
    kind,
    on,
    within,
    typed,
    focusable: focusable && !caret,
    caret,
    label: this.getAttribute('aria-label') ?? this.textContent.trim().slice(0, 30),
  })
}

/** The controls on view that show no difference under the pointer, while pressed or with the keyboard's focus; one for each kind. */
export async function unanswering(page) {
  const cdp = await page.context().newCDPSession(page)
  // A button that has the focus already would show no difference.
  await page.evaluate(() => document.activeElement?.matches('main button') && document.querySelector('[data-focus="window"]').focus())
  // A transition would still be on its way when the look is read.
  const still = await page.addStyleTag({ content: '*, *::before, *::after { transition: none !important; animation: none !important }' })
  await cdp.send('DOM.enable')
  await cdp.send('CSS.enable')
  const { root } = await cdp.send('DOM.getDocument', { depth: 0 })
  const { nodeIds } = await cdp.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector: controls })
  const found = []
  const seen = new Set()
  const ask = async (nodeId) => {
    const { object } = await cdp.send('DOM.resolveNode', { nodeId })
    const call = async (fn) =>
      (await cdp.send('Runtime.callFunctionOn', { objectId: object.objectId, functionDeclaration: String(fn), returnByValue: true })).result
        .value
    const text = await call(named)
    if (!text) return
    const { kind, on, within, typed, focusable, caret, label } = JSON.parse(text)
    const sign = [kind, on, within].join()
    if (seen.has(sign)) return
    // If an element is hovered or focused, so are its ancestors: the frame of a field, a row.
    const around = typed ? await frames(cdp, object.objectId) : []
    const held = async (...forcedPseudoClasses) => {
      for (const id of [nodeId, ...around]) {
        const here = id === nodeId ? forcedPseudoClasses : forcedPseudoClasses.filter((p) => !p.startsWith('focus') || p === 'focus-within')
        await cdp.send('CSS.forcePseudoState', { nodeId: id, forcedPseudoClasses: here })
      }
      return call(look)
    }
    const rest = await held()
    const hover = await held('hover')
    const active = await held('hover', 'active')
    const chosen = /^true/.test(on) || /,true/.test(on.replace(/,[^,]*$/, ''))
    // A press does not change a chosen element; a text field responds with the caret.
    if (hover === rest && !chosen && !caret) found.push(`${kind} “${label}”: no answer to the pointer`)
    if (active === hover && !typed && !chosen) found.push(`${kind} “${label}”: no answer to a press`)
    await held()
    if (focusable) {
      const focused = await held('focus', 'focus-visible', 'focus-within')
      if (focused === rest) found.push(`${kind} “${label}”: no sign of the focus`)
    }
    await held()
    seen.add(sign)
  }
  // A control may leave the page meanwhile.
  const gone = (err) => /node with given id/i.test(err.message)
  for (const nodeId of nodeIds)
    await ask(nodeId).catch((err) => {
      if (!gone(err)) throw err
    })
  await still.evaluate((e) => e.remove())
  await cdp.detach()
  return found
}

/** The two closest ancestors of an element. */
async function frames(cdp, objectId) {
  const ids = []
  let inner = objectId
  for (let i = 0; i < 2; i++) {
    const up = 'function () { return this.parentElement }'
    const { result } = await cdp.send('Runtime.callFunctionOn', { objectId: inner, functionDeclaration: up })
    if (!result.objectId) break
    inner = result.objectId
    ids.push((await cdp.send('DOM.requestNode', { objectId: inner })).nodeId)
  }
  return ids
}

/** What moves for longer than 150 ms, and in which property, except what turns for as long as something runs. */
export function slowMotion(page) {
  return page.evaluate(() => {
    const ms = (text) => text.split(',').map((d) => (d.trim().endsWith('ms') ? parseFloat(d) : parseFloat(d) * 1000))
    const found = new Set()
    for (const e of document.querySelectorAll('*'))
      for (const pseudo of [undefined, '::before', '::after']) {
        const style = getComputedStyle(e, pseudo)
        const name = `${e.tagName.toLowerCase()}.${[...e.classList].join('.')}${pseudo ?? ''}`
        ms(style.transitionDuration).forEach((d) => d > 150 && found.add(`${name}: ${style.transitionProperty} takes ${d} ms`))
        if (style.animationName !== 'none' && style.animationIterationCount !== 'infinite')
          ms(style.animationDuration).forEach((d) => d > 150 && found.add(`${name}: ${style.animationName} takes ${d} ms`))
      }
    return [...found]
  })
}

/** Elements that still move under reduced motion. */
export function motion(page) {
  return page.evaluate(() => {
    const moves = (text) => text.split(',').some((d) => parseFloat(d) * (d.trim().endsWith('ms') ? 1 : 1000) > 1)
    const found = new Set()
    for (const e of document.querySelectorAll('*')) {
      const style = getComputedStyle(e)
      const name = `${e.tagName.toLowerCase()}.${[...e.classList].join('.')}`
      if (moves(style.transitionDuration)) found.add(`${name}: transition`)
      if (style.animationName !== 'none' && moves(style.animationDuration)) found.add(`${name}: ${style.animationName}`)
    }
    return [...found]
  })
}
