import { LazyModule } from './lazy.svelte'

/** The viewer of long texts; see viewer.ts. */
export const lazyViewer = new LazyModule(() => import('./viewer'))
