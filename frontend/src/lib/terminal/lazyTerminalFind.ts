import { LazyModule } from '$lib/ui/lazy.svelte'

/** The search in the output of a command. */
export const lazyTerminalFind = new LazyModule(() => import('./TerminalFind.svelte'))
