import { LazyModule } from '$lib/ui/lazy.svelte'

/** The cards for deciding requests, loaded on demand: most windows open while nothing waits. */
export const lazyCards = new LazyModule(() => import('./lazyCards'))
