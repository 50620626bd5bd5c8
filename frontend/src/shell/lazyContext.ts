import { LazyModule } from '$lib/ui/lazy.svelte'

/** The content of the right pane. Apart from lazy.ts, which that content imports. */
export const lazyContext = new LazyModule(() => import('./Context.svelte'))
