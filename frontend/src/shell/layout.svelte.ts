import type { settings } from '$lib/backend/backend'
import type { Feature } from '$lib/backend/feature'
import type { Segment } from '../features/inspector/Inspector.svelte'

export const sidebarUsual = 264
export const inspectorUsual = 312
const minWidth = 180
const maxWidth = 560
/** Below this width the inspector overlays the notebook instead of being next to it. */
const narrowBelow = 1100

/** With less room than this for two groups of tabs, only the active one is shown. */
const groupsNeed = 900
const half = 50
const minShare = 25

const clamp = (width: number, usual: number) => (width > 0 ? Math.max(minWidth, Math.min(maxWidth, width)) : usual)

/** The panes of the window: whether they are open, and their widths. */
export class LayoutState implements Feature {
  readonly limits = { min: minWidth, max: maxWidth } as const
  /** The share of the room for the first of two groups of tabs, in percent: its limits and its default. */
  readonly shares = { min: minShare, max: 100 - minShare, usual: half } as const
  readonly #changed: () => void
  /** The segment that the inspector shows. */
  segment = $state<Segment>('context')
  #sidebarWidth = $state(sidebarUsual)
  #inspectorWidth = $state(inspectorUsual)
  #sidebarOpen = $state(true)
  /** The person's choice; undefined before they made one. */
  #inspectorChosen = $state<boolean>()
  #inspectorFilled = $state(false)
  #internalShown = $state(false)
  #overlay = $state(false)
  #windowWidth = $state(narrowBelow)
  #share = $state(half)
  #split = $state(false)

  constructor(changed: () => void) {
    this.#changed = changed
  }

  load({ ui }: { ui: settings.UIState }, again: boolean): void {
    if (again) return
    this.#sidebarWidth = clamp(ui.sidebarWidth, sidebarUsual)
    this.#inspectorWidth = clamp(ui.inspectorWidth, inspectorUsual)
    this.#sidebarOpen = ui.sidebarOpen
    this.#inspectorChosen = ui.inspectorOpen
    this.#internalShown = ui.internalShown ?? false
    if (ui.beside?.share) this.share = ui.beside.share
  }
  apply(): void {} // no event concerns it
  stop(): void {}

  get sidebarWidth(): number {
    return this.#sidebarWidth
  }
  set sidebarWidth(width: number) {
    this.#sidebarWidth = clamp(width, sidebarUsual)
    this.#changed()
  }
  get inspectorWidth(): number {
    return this.#inspectorWidth
  }
  set inspectorWidth(width: number) {
    this.#inspectorWidth = clamp(width, inspectorUsual)
    this.#changed()
  }
  get sidebarOpen(): boolean {
    return this.#sidebarOpen
  }
  set sidebarOpen(open: boolean) {
    this.#sidebarOpen = open
    this.#changed()
  }
  /** The share of the first of two groups of tabs, in percent. */
  get share(): number {
    return this.#share
  }
  set share(percent: number) {
    this.#share = Math.max(minShare, Math.min(100 - minShare, Math.round(percent)))
    this.#changed()
  }
  /** The width of the window, in pixels of the zoomed page. */
  set windowWidth(width: number) {
    this.#windowWidth = width
  }
  /** There are two groups of tabs. */
  set split(split: boolean) {
    this.#split = split
  }
  /** The width for the groups of tabs, plus the inspector if it is next to them. */
  get #room(): number {
    return this.#windowWidth - (this.#sidebarOpen ? this.#sidebarWidth : 0)
  }
  /** Whether there is room for both groups of tabs; otherwise only the active one is shown. */
  get showsGroups(): boolean {
    return this.#split && this.#room >= groupsNeed
  }
  /** Whether the inspector would leave too little room: then it overlays the view or is hidden. */
  get narrow(): boolean {
    return this.#windowWidth < narrowBelow || (this.#split && this.#room - this.#inspectorWidth < groupsNeed)
  }
  /**
   * Whether the inspector is visible: in a narrow window only on request, otherwise as the person
   * left it. Until they choose, it is visible from the first notebook that has content for it.
   */
  get inspectorOpen(): boolean {
    return this.narrow ? this.#overlay : (this.#inspectorChosen ?? this.#inspectorFilled)
  }
  /** Notes that a notebook with content for the inspector is shown. */
  fillInspector(): void {
    this.#inspectorFilled = true
  }
  set inspectorOpen(open: boolean) {
    if (this.narrow) this.#overlay = open
    else {
      this.#inspectorChosen = open
      this.#changed()
    }
  }

  /** Whether messages that the program added to conversations are unfolded (SPEC 11.2). */
  get internalShown(): boolean {
    return this.#internalShown
  }
  set internalShown(on: boolean) {
    this.#internalShown = on
    this.#changed()
  }

  /** The state that is saved for the next start. */
  kept(): Pick<settings.UIState, 'sidebarWidth' | 'inspectorWidth' | 'sidebarOpen' | 'inspectorOpen' | 'internalShown'> {
    return {
      sidebarWidth: this.#sidebarWidth,
      inspectorWidth: this.#inspectorWidth,
      sidebarOpen: this.#sidebarOpen,
      inspectorOpen: this.#inspectorChosen,
      internalShown: this.#internalShown,
    }
  }
}
