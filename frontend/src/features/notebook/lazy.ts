import { LazyModule } from '$lib/ui/lazy.svelte'

/** Views that a notebook shows rarely: large pictures, a damaged file, two versions of a file. */
export const lazyViews = new LazyModule(() => import('./lazyViews'))
