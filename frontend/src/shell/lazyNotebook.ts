import { LazyModule } from '$lib/ui/lazy.svelte'

/** The state of an open notebook, separate from lazy.ts, which imports the whole window. */
export const lazyNotebook = new LazyModule(() => import('../features/notebook/notebook.svelte'))
