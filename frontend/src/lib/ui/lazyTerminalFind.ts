import { LazyModule } from './lazy.svelte'

/** The search in the output of a command. */
export const lazyTerminalFind = new LazyModule(() => import('./TerminalFind.svelte'))
