import type { AppState } from '../app.svelte'
import { focusedSetting, settingsList, type Section } from '../features/settings/list'
import type { Choices } from '../features/settings/settings.svelte'
import type { PageState } from './page.svelte'

/* Another language needs a reload of the page (SPEC 16.3). What only the page knows crosses it in the state of its
   entry in the history, which belongs to this page alone and is read at once: the open settings, and their undo. */

interface Kept {
  dialog: 'settings' | 'help' | undefined
  section: Section
  /** The number of the setting that has the focus in settingsList; titles are in the language. */
  setting: number
  undo: readonly Choices[]
}

const key = 'mutsumiLanguageReload'
type State = Record<string, unknown> | null

/** Reloads the page for another language, to go on at the same place. */
export function reloadForLanguage(app: AppState, page: PageState): void {
  const { dialog, section } = page
  const focused = focusedSetting()
  const kept: Kept = {
    dialog: dialog === 'palette' ? undefined : (dialog ?? undefined),
    section,
    // The button for undo, and the key, leave the focus elsewhere: the setting that changed has it then.
    setting:
      focused >= 0 ? focused : settingsList.findIndex((setting) => setting.section === section && setting.sets?.includes('language')),
    undo: app.settings.undoes,
  }
  history.replaceState({ ...(history.state as State), [key]: kept }, '')
  location.reload()
}

/** Goes on where the page was reloaded for another language. */
export function afterLanguageReload(app: AppState, page: PageState): void {
  const { [key]: kept, ...rest } = (history.state as State) ?? {}
  if (!kept) return
  history.replaceState(rest, '')
  const { dialog, section, setting, undo } = kept as Kept
  app.settings.restoreUndo(undo)
  page.section = section
  if (dialog === 'settings') page.openSettings(section, settingsList[setting]?.title)
  else if (dialog === 'help') page.openHelp()
}
