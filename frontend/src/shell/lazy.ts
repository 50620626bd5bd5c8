import { LazyModule } from '$lib/ui/lazy.svelte'

/*
 * What the first frame does not need. Each is a file of its own in the build;
 * they are loaded when they are needed, some before, after the first frame
 * (App.svelte).
 */

/** The notebooks on view, with the editor and the renderer of Markdown. */
export const lazyBooks = new LazyModule(() => import('./Books.svelte'))
export const lazyDialogs = new LazyModule(() => import('./lazyDialogs'))
export const lazySettings = new LazyModule(() => import('./lazySettings'))
export const lazyChanges = new LazyModule(() => import('./lazyChanges'))
export const lazyPreview = new LazyModule(() => import('./Preview.svelte'))
export const lazyPalette = new LazyModule(() => import('./Palette.svelte'))
export const lazyBranches = new LazyModule(() => import('./lazyBranches'))
export const lazyDeck = new LazyModule(() => import('./Deck.svelte'))
export const lazyFind = new LazyModule(() => import('../features/find/FindBar.svelte'))
