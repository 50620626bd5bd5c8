import { bind, type Bound } from '$lib/actions/registry'
import type { AppState } from '../app.svelte'
import type { PageState } from './page.svelte'
import { pathOf } from './viewTabs'

/** The uuid of the sample's notebook that gives the tour. */
const tourUuid = '6f0c5b1e-5f0e-4b8e-9d57-3f6a3c1b7a10'

/** Shows the notebook of the tour: here if this folder is the sample, otherwise in another window. */
async function takeTour({ agents, folders, navigation }: AppState): Promise<void> {
  const here = agents.byUuid(tourUuid)
  if (here) navigation.enter(here.file)
  else await folders.openSample()
}

/** The functions of the window's actions, for its keys, buttons, menus and lists of all actions. */
export function windowActions(app: AppState, page: PageState): Bound<'window'> {
  const { agents, folders, layout, navigation, preview, settings, stopping, tabs } = app
  const opened = () => app.active?.meta !== undefined
  /** A notebook is on view; if it is still loading, the bar opens once it is loaded. */
  const seen = () => app.active !== undefined && !preview.shown && !navigation.view
  /** In a narrow window the overlaying pane would hide the bar and the matches. */
  const toFind = (replacing: boolean) => {
    if (layout.narrow) layout.inspectorOpen = false
    page.finding = tabs.front.id
    app.find.show(replacing)
  }
  return bind('window', {
    new: { run: () => void agents.create() },
    open: { run: () => void folders.choose() },
    another: { when: () => folders.another, run: () => void folders.openAnother() },
    tour: { run: () => void takeTour(app) },
    find: { run: () => page.find() },
    search: { run: () => page.toSearch() },
    findText: { when: seen, run: () => toFind(false) },
    findNext: { when: seen, run: () => app.find.step(1) },
    findPrevious: { when: seen, run: () => app.find.step(-1) },
    replaceText: { when: seen, run: () => toFind(true) },
    inbox: { when: () => app.approvals.list.length > 0, run: () => void page.toInbox() },
    settings: { run: () => page.openSettings() },
    sidebar: { reversed: () => layout.sidebarOpen, run: () => (layout.sidebarOpen = !layout.sidebarOpen) },
    inspector: { reversed: () => layout.inspectorOpen, run: () => (layout.inspectorOpen = !layout.inspectorOpen) },
    preview: { when: () => preview.shown || opened(), run: () => (preview.shown ? preview.close() : preview.show()) },
    branches: {
      when: () => opened() || navigation.view?.kind === 'deck',
      run: () => navigation.showBranches(pathOf(tabs.active)),
    },
    deck: { when: () => navigation.view?.kind !== 'deck', run: () => navigation.showDeck() },
    close: { run: () => (preview.shown ? preview.close() : void navigation.closeCurrent()) },
    split: { when: () => tabs.active !== '' && !tabs.other, run: () => navigation.openBeside(tabs.active) },
    otherGroup: { when: () => tabs.other !== undefined, run: () => navigation.toOther() },
    moveToOther: { when: () => tabs.canSend(tabs.active), run: () => navigation.send() },
    closeGroup: { when: () => tabs.other !== undefined, run: () => void navigation.closeGroup() },
    tab: { run: (key) => tabs.go(Number(key)) },
    reopen: { when: () => tabs.closed.length > 0, run: () => navigation.reopen() },
    nextTab: { run: () => tabs.step(1) },
    previousTab: { run: () => tabs.step(-1) },
    zoomIn: { run: () => settings.zoom(1) },
    zoomOut: { run: () => settings.zoom(-1) },
    zoomReset: { run: () => settings.zoom(0) },
    undo: { when: () => app.active !== undefined, run: () => void app.active?.intents.undo() },
    redo: { when: () => app.active !== undefined, run: () => void app.active?.intents.redo() },
    rename: { when: opened, run: () => opened() && (tabs.renaming = { path: tabs.active, group: tabs.front.id }) },
    stop: { when: () => app.active?.running ?? false, run: () => void stopping.stop(tabs.active) },
    keys: { run: () => page.openHelp() },
  })
}
