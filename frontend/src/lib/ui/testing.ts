import { cleanup } from '@testing-library/svelte'
import { afterEach } from 'vitest'

/** What components use and jsdom does not have; everything a test mounted is taken away behind it. */
export function domOfComponents(): void {
  Element.prototype.scrollIntoView = () => {}
  Element.prototype.scrollTo = () => {}
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList
  Range.prototype.getBoundingClientRect = () => new DOMRect()
  globalThis.ResizeObserver = class {
    observe() {}
    unobserve() {}
    disconnect() {}
  }
  afterEach(cleanup)
}

/** The Enter that ends a composition, as two engines send it: the second is WebKit's. */
export const enterOfComposition: readonly KeyboardEventInit[] = [
  { key: 'Enter', isComposing: true, keyCode: 229, bubbles: true, cancelable: true },
  { key: 'Enter', isComposing: false, keyCode: 229, bubbles: true, cancelable: true },
]
