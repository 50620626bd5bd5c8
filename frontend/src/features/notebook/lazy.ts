import { LazyModule } from '$lib/ui/lazy.svelte'

/** What a notebook shows now and then: pictures large, a damaged file, two versions of a file. */
export const lazyViews = new LazyModule(() => import('./lazyViews'))
