import { LazyModule } from '$lib/ui/lazy.svelte'
import { lazyNotebook } from './lazyNotebook'

/*
 * Parts that the first frame does not need. Each one is a separate file of the build. They are
 * loaded on demand, some of them ahead of time after the first frame (App.svelte).
 */

/** The notebooks on view, with the editor and the Markdown renderer. */
export const lazyBooks = new LazyModule(async () => (await Promise.all([import('./Books.svelte'), lazyNotebook.need()]))[0])
/** The choices that another agent offers for its session. */
export const lazyOptions = new LazyModule(() => import('../features/acp/OptionPickers.svelte'))
export const lazyDialogs = new LazyModule(() => import('./lazyDialogs'))
export const lazySettings = new LazyModule(() => import('./lazySettings'))
export const lazyChanges = new LazyModule(() => import('./lazyChanges'))
export const lazyPreview = new LazyModule(() => import('./Preview.svelte'))
export const lazyPalette = new LazyModule(() => import('./Palette.svelte'))
export const lazyBranches = new LazyModule(() => import('./lazyBranches'))
export const lazyDeck = new LazyModule(() => import('./Deck.svelte'))
export const lazyFind = new LazyModule(() => import('../features/find/FindBar.svelte'))
