import { LazyModule } from '$lib/ui/lazy.svelte'

/** The content of the right pane, separate from lazy.ts, which it imports. */
export const lazyContext = new LazyModule(() => import('./Context.svelte'))
