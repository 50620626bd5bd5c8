import { untrack } from 'svelte'
import { changeKeys } from '$lib/actions/chosenKeys.svelte'
import { windowSize } from '$lib/ui/zoom'
import type { AppState } from '../app.svelte'
import { markFavicon } from './favicon'
import { afterLanguageReload, reloadForLanguage } from './languageReload'
import type { PageState } from './page.svelte'
import { answererOf } from '../features/acp/acp.svelte'
import { watchFront } from './windowFocus'
import { applyAppearance } from './theme'
import { viewNames } from './viewTabs'
import { t } from '$lib/language/language'

/** The title of the window: waiting requests, the current view, and the folder. */
function titleOf(app: AppState, folder: string): string {
  const { agents, names, navigation, tabs } = app
  const { view } = navigation
  const name = tabs.active && (view ? t`${viewNames[view.kind]} of ${names.full(view.path)}` : names.full(tabs.active))
  return t`${agents.waiting ? `(${agents.waiting}) ` : ''}${name && `${name}${app.active?.running ? t` (running)` : ''} – `}${folder} – Mutsumi`
}

/**
 * Keeps everything outside the page in line with the state while the calling component lives. Returns a function that measures the window
 * again.
 */
export function windowEffects(app: AppState, page: PageState): () => void {
  const { agents, clock, layout, preview, settings, tabs, tasks } = app
  afterLanguageReload(app, page)
  const measure = () => (layout.windowWidth = windowSize().width)
  const zoom = $derived(settings.view?.preferences.zoom ?? 100)
  const appearance = $derived(
    settings.view && {
      theme: settings.view.preferences.theme,
      zoom,
      fontSize: settings.view.preferences.fontSize,
      codeSize: settings.view.preferences.codeSize,
      density: settings.view.preferences.density,
      font: settings.view.preferences.font,
      codeFont: settings.view.preferences.codeFont,
    },
  )
  let front = $state(false)

  $effect.pre(() => {
    layout.split = tabs.groups.length > 1
  })

  $effect(() => (appearance ? applyAppearance(appearance) : undefined))
  const chosen = $derived(settings.language)
  let before: string | undefined
  $effect(() => {
    // Texts are looked up while the page loads (lib/language).
    if (before !== undefined && chosen !== undefined && chosen !== before) untrack(() => reloadForLanguage(app, page))
    before = chosen ?? before
  })
  $effect.pre(() => changeKeys(settings.view?.preferences.keys ?? {}))
  $effect(() => {
    void zoom
    measure()
  })
  $effect(() => {
    clock.seconds = agents.running > 0 || tasks.running > 0 || app.connection.state === 'lost'
  })
  $effect(() => {
    if (app.snapshot) app.backend.setTitle(titleOf(app, app.snapshot.name))
  })
  $effect(() => markFavicon(agents.waiting > 0))
  $effect(() =>
    watchFront((now) => {
      front = now
      app.presence.set(now)
    }),
  )
  $effect(() => {
    const groups = layout.showsGroups ? tabs.groups : [tabs.front]
    const seen = front ? groups.filter((group) => group !== tabs.front || !preview.shown) : []
    for (const { active } of seen) {
      const node = agents.node(active)
      if (node) untrack(() => agents.see(node))
    }
  })
  $effect(() => {
    const path = app.active?.status === 'ready' ? app.active.path : undefined
    untrack(() => app.summaries.follow(path))
  })
  $effect(() => {
    const book = app.active
    const agent = answererOf(book?.meta)
    untrack(() => app.acp.follow(agent && book ? book.path : '', agent))
  })
  // Opening an empty notebook does not change whether the inspector is visible.
  $effect(() => {
    const book = app.active
    if (book?.status === 'ready' && untrack(() => book.cells.some((cell) => cell.role === 'user' && cell.hasAnswer))) layout.fillInspector()
  })
  return measure
}
