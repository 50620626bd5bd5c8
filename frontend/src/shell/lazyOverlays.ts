import { LazyModule } from '$lib/ui/lazy.svelte'

/** What is drawn on top of the window, separate from lazy.ts, which it imports. */
export const lazyOverlays = new LazyModule(() => import('./Overlays.svelte'))
