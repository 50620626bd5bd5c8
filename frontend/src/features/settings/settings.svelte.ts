import { SvelteMap } from 'svelte/reactivity'
import { Fault, type Backend, type agentfiles, type BackendEvent, type settings } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import { changedTitle } from './list'
import { t } from '$lib/language/language'

/** A connection test: running, or its result. */
export type Test = { state: 'asking' } | { state: 'good'; models: number; tookMs: number } | { state: 'bad'; fault: Fault; tookMs: number }

/** Some of the preferences, with their values. */
export type Choices = Partial<settings.Preferences>

/** The steps of Ctrl + and Ctrl −, in percent. */
const zooms = [50, 60, 70, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300]

const savedAfterMs = 400
/** The number of choices that can be undone. */
const maxUndo = 100

/** The backend's settings with the person's unsaved choices on top. */
export class SettingsState implements Feature {
  readonly #backend: Backend
  readonly #failed: (title: string, fault: Fault) => void
  #view = $state.raw<settings.View>()
  #language = $state<string>()
  readonly #tests = new SvelteMap<string, Test>()
  #unsaved: Choices | null = null
  /** The unsaved choices that are being saved. */
  #saving: Choices | null = null
  /** The preferences as this window last read or sent them, before the choices that were made since. */
  #before: settings.Preferences | undefined
  /** The values that each choice replaced, the latest at the end. */
  #undo = $state.raw<readonly Choices[]>([])
  /** The same when the choices were last saved. */
  #undoOfSaved = this.#undo
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The save under way: the next one begins after it. */
  #saved: Promise<void> = Promise.resolve()
  #appliedAt = -Infinity
  #loads = 0

  constructor(backend: Backend, failed: (title: string, fault: Fault) => void) {
    this.#backend = backend
    this.#failed = failed
  }

  /** Available from the first snapshot on. */
  get view(): settings.View | undefined {
    return this.#view
  }

  /** The saved language: a page that loads before it is saved would use the old one. */
  get language(): string | undefined {
    return this.#language
  }

  test(provider: string): Test | undefined {
    return this.#tests.get(provider)
  }

  load(snapshot: { settings: settings.View }, again = false): void {
    this.#take(snapshot.settings)
    // The answer of a connection test may be among the missed events.
    if (again) for (const [provider, test] of this.#tests) if (test.state === 'asking') this.#tests.delete(provider)
  }

  #take(view: settings.View): void {
    this.#loads++
    this.#language = view.preferences.language
    // Go writes an empty list as null.
    const providers = (view.providers ?? []).map((p) => ({ ...p, models: p.models ?? [] }))
    this.#view = { ...view, providers, preferences: { ...view.preferences, ...this.#unsaved } }
  }

  /** Loads the settings again; a newer load wins. */
  async reload(): Promise<void> {
    const mine = ++this.#loads
    try {
      const view = await this.#backend.call.Settings()
      if (mine === this.#loads) this.#take(view)
    } catch (thrown) {
      this.#failed(t`Could not load the settings`, Fault.from(thrown))
    }
  }

  /** The title of the setting that undo would revert; "" if nothing was changed in this window. */
  get undoable(): string {
    const last = this.#undo.at(-1)
    return last && this.#view ? changedTitle({ ...this.#view.preferences, ...last }, this.#view.preferences) || t`the change` : ''
  }

  /** The values that each choice in this window replaced, the latest at the end. */
  get undoes(): readonly Choices[] {
    return this.#undo
  }
  /** Restores what can be undone after a reload of the page. */
  restoreUndo(undoes: readonly Choices[]): void {
    this.#undo = this.#undoOfSaved = undoes
  }

  /** undo reverts the last choice. */
  undo(): void {
    const last = this.#undo.at(-1)
    if (!last) return
    this.#undo = this.#undo.slice(0, -1)
    this.#apply(last)
  }

  /** Applies choices at once and saves them; several in a row are saved together. */
  prefer(change: Choices): void {
    if (!this.#view) return
    const now = this.#view.preferences
    const before = Object.fromEntries(Object.keys(change).map((key) => [key, now[key as keyof settings.Preferences]]))
    if (JSON.stringify({ ...before, ...change }) === JSON.stringify(before)) return
    this.#undo = [...this.#undo.slice(1 - maxUndo), before]
    this.#apply(change)
  }

  /** Makes the window larger or smaller by a step; 0 gives it the usual size. */
  zoom(by: 1 | -1 | 0): void {
    const now = this.#view?.preferences.zoom || 100
    const zoom = by > 0 ? zooms.find((z) => z > now) : by < 0 ? zooms.findLast((z) => z < now) : 100
    this.prefer({ zoom: zoom ?? now })
  }

  #apply(change: Choices): void {
    if (!this.#view) return
    if (!this.#unsaved) this.#before = this.#view.preferences
    this.#unsaved = { ...this.#unsaved, ...change }
    this.#view = { ...this.#view, preferences: { ...this.#view.preferences, ...change } }
    // A single choice is saved at once; of a series, such as zooming, only the last one is saved.
    const series = performance.now() - this.#appliedAt < savedAfterMs
    this.#appliedAt = performance.now()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => (this.#saved = this.#saved.then(() => this.#savePreferences())), series ? savedAfterMs : 0)
  }

  /** Saves what is not saved yet, also while a save is under way: a page that is being closed gets no answer to wait for. */
  async leave(): Promise<void> {
    clearTimeout(this.#timer)
    await Promise.all([this.#saved, this.#savePreferences()])
  }

  async #savePreferences(): Promise<void> {
    const saving = this.#unsaved
    const before = this.#before
    if (!saving || saving === this.#saving || !before) return
    const undo = this.#undo
    // Only what was changed here: another window may have changed the rest.
    const after = { ...before, ...saving }
    this.#saving = saving
    this.#before = after
    try {
      await this.#backend.call.ChangePreferences(before, after)
      this.#undoOfSaved = undo
    } catch (thrown) {
      if (this.#before === after) this.#before = before
      this.#failed(t`Could not save the settings`, Fault.from(thrown))
      // The saved choices are shown again: there is nothing else to go back from.
      if (this.#unsaved === saving) this.#undo = this.#undoOfSaved
    }
    if (this.#saving === saving) this.#saving = null
    if (this.#unsaved !== saving) return
    this.#unsaved = null
    await this.reload()
  }

  /** Saves a provider and returns its id. Throws a Fault for the form to show. */
  async saveProvider(input: settings.ProviderInput): Promise<string> {
    const id = await this.#backend.call.SaveProvider(input)
    await this.reload()
    return id
  }

  /** Puts a provider's key into the keyring; "" removes it. Throws a Fault for the form to show. */
  async setKey(provider: string, key: string): Promise<void> {
    await this.#backend.call.SetKey(provider, key)
    await this.reload()
  }

  /** Keeps a provider's key in memory until the program ends. Throws a Fault for the form to show. */
  async setSessionKey(provider: string, key: string): Promise<void> {
    await this.#backend.call.SetSessionKey(provider, key)
    await this.reload()
  }

  /** How much is kept of earlier requests; undefined if that cannot be read. */
  async remembered(): Promise<agentfiles.Remembered | undefined> {
    return this.#backend.call.Remembered().catch(() => undefined)
  }

  /** Removes what is kept of earlier requests. */
  async forgetSent(): Promise<void> {
    try {
      await this.#backend.call.ForgetSent()
    } catch (thrown) {
      this.#failed(t`Could not forget what was sent`, Fault.from(thrown))
    }
  }

  /** Opens a provider's web page in the browser. */
  async openPage(link: string): Promise<void> {
    try {
      await this.#backend.openLink(link)
    } catch (thrown) {
      this.#failed(t`Could not open the page`, Fault.from(thrown))
    }
  }

  async deleteProvider(provider: settings.ProviderView): Promise<void> {
    try {
      await this.#backend.call.DeleteProvider(provider.id)
      this.#tests.delete(provider.id)
    } catch (thrown) {
      this.#failed(t`Could not delete ${provider.name}`, Fault.from(thrown))
    }
    await this.reload()
  }

  /** Asks a provider for its models; the answer comes as an event. */
  async ask(provider: string): Promise<void> {
    this.#tests.set(provider, { state: 'asking' })
    try {
      await this.#backend.call.TestConnection(provider)
    } catch (thrown) {
      this.#tests.set(provider, { state: 'bad', fault: Fault.from(thrown), tookMs: 0 })
    }
  }

  apply(e: BackendEvent): void {
    if (e.type === 'settingsChanged') void this.reload()
    if (e.type !== 'connectionTested') return
    const { provider, models, tookMs, fault } = e.data
    this.#tests.set(
      provider,
      fault ? { state: 'bad', fault: Fault.of(fault), tookMs } : { state: 'good', models: models?.length ?? 0, tookMs },
    )
  }

  stop(): void {
    void this.leave()
  }
}
