import { LazyModule } from '$lib/ui/lazy.svelte'

/** The cards on which a person decides a request: most windows open while nothing waits. */
export const lazyCards = new LazyModule(() => import('./lazyCards'))
