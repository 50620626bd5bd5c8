import { tick } from 'svelte'
import type { AppState } from '../app.svelte'
import { frontView } from './focus'
import type { Section } from '../features/settings/list'

/** PageState holds the open views and dialogs that belong to no feature, and the places that can take the focus. */
export class PageState {
  readonly #app: AppState
  dialog = $state<'settings' | 'help' | 'palette' | null>(null)
  /** The section of the settings that is shown, now and next time. */
  section = $state<Section>('models')
  /** The title of the setting to focus once the settings are drawn; "" for none. */
  setting = $state('')
  /** What was typed for the palette before it was loaded. */
  typed = $state('')
  /** The group of tabs with the search bar, which stays there. */
  finding = $state.raw(0)
  /** The choice of a model is open. */
  picking = $state(false)
  /** The search field for agents, while it is on the page. */
  search = $state<HTMLInputElement>()
  /** The budget's field, while it is on the page. */
  budget = $state<HTMLInputElement>()
  /** The inbox, while it is on the page. */
  inbox = $state<{ focus(): boolean; leave(): void }>()

  /** The window should close while something runs, so the person is asked. */
  closing = $state(false)

  constructor(app: AppState) {
    this.#app = app
    app.lookAtServers = () => this.openSettings('servers')
  }

  /** The window should close: at once if nothing runs, otherwise once the person is sure. */
  closeWanted(): void {
    const { agents, backend, tasks } = this.#app
    this.closing = agents.running + tasks.running > 0
    backend.answerClose(this.closing ? 'asks' : 'close')
  }

  openSettings(section: Section = this.section, setting = ''): void {
    this.section = section
    this.setting = setting
    this.dialog = 'settings'
  }
  openHelp(): void {
    this.dialog = 'help'
  }
  closeDialog(): void {
    this.dialog = null
  }

  /** Opens the palette; a second press closes it. */
  find(): void {
    this.typed = ''
    this.dialog = this.dialog === 'palette' ? null : 'palette'
  }

  toSearch(): void {
    this.#app.layout.sidebarOpen = true
    queueMicrotask(() => (this.search?.focus(), this.search?.select()))
  }

  /** Shows the cost of the current notebook, and focuses its budget. */
  async toBudget(): Promise<void> {
    this.#app.layout.segment = 'notebook'
    this.#app.layout.inspectorOpen = true
    await tick()
    this.budget?.focus()
  }

  /** Focuses the waiting requests. */
  async toInbox(): Promise<void> {
    if (!this.#app.approvals.list.length) return
    this.#app.layout.sidebarOpen = true
    await tick()
    this.inbox?.focus()
  }

  /** Shows only the interrupted agents, and focuses them. */
  async showInterrupted(): Promise<void> {
    this.#app.layout.sidebarOpen = true
    this.#app.interrupted.show()
    await tick()
    document.querySelector<HTMLElement>('[role="tree"]')?.focus()
  }

  /** Focuses the current view: the notebook where it was left, or the first control. */
  toView = (): void => {
    const { preview, navigation, tabs } = this.#app
    const main = frontView()
    const noBook = preview.shown || navigation.view !== undefined || !tabs.active
    const buttons = noBook && main ? [...main.querySelectorAll<HTMLElement>('button:not(:disabled)')] : []
    const first = buttons.find((button) => !button.closest('[inert]'))
    ;(first ?? main)?.focus({ preventScroll: true })
    if (!first) this.#app.active?.selection.refocus()
  }

  /** The whole card of a request was closed. The card that had the focus before may be gone. */
  async reviewed(): Promise<void> {
    await tick()
    if (document.activeElement === document.body && !this.inbox?.focus()) this.inbox?.leave()
  }

  /** Esc closes these first; only then do two presses stop the agent. False if there is nothing to close. editing: text is being edited. */
  closeFront(editing: boolean): boolean {
    const { preview, layout } = this.#app
    if (preview.shown && !editing) preview.close()
    else if (layout.narrow && layout.inspectorOpen) layout.inspectorOpen = false
    else return false
    return true
  }
}
