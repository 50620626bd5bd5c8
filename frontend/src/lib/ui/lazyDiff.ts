import { LazyModule } from './lazy.svelte'

/** The comparison of two texts; see diffTexts.ts. */
export const lazyDiff = new LazyModule(() => import('./diffTexts'))
