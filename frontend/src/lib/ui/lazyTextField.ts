import { LazyModule } from './lazy.svelte'

/** The actions on text under the pointer, which know the editor; see textField.ts. */
export const lazyTextField = new LazyModule(() => import('./textField'))
