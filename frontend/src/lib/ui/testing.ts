import { cleanup, configure } from '@testing-library/svelte'
import { afterEach, vi } from 'vitest'
import { patience } from '$lib/testing/waits'

class Transfer {
  readonly #texts = new Map<string, string>()
  setData(type: string, text: string): void {
    this.#texts.set(type, text)
  }
  getData(type: string): string {
    return this.#texts.get(type) ?? ''
  }
  clearData(): void {
    this.#texts.clear()
  }
}

class Copying extends Event {
  readonly clipboardData: Transfer
  constructor(type: string, init: EventInit & { clipboardData: Transfer }) {
    super(type, init)
    this.clipboardData = init.clipboardData
  }
}

/** Adds browser features that jsdom lacks, and removes everything that a test mounted. */
export function domOfComponents(): void {
  Element.prototype.scrollIntoView = () => {}
  Element.prototype.scrollTo = () => {}
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true
  }
  HTMLDialogElement.prototype.close = function () {
    this.open = false
  }
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList
  Range.prototype.getBoundingClientRect = () => new DOMRect()
  globalThis.ResizeObserver = class {
    observe() {}
    unobserve() {}
    disconnect() {}
  }
  vi.stubGlobal('DataTransfer', Transfer)
  vi.stubGlobal('ClipboardEvent', Copying)
  configure({ asyncUtilTimeout: patience })
  afterEach(cleanup)
}

/** The Enter that ends a composition, as two engines send it: the second one is WebKit's. */
export const enterOfComposition: readonly KeyboardEventInit[] = [
  { key: 'Enter', isComposing: true, keyCode: 229, bubbles: true, cancelable: true },
  { key: 'Enter', isComposing: false, keyCode: 229, bubbles: true, cancelable: true },
]
