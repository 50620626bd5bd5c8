/** Views that a notebook shows rarely, in one file of the build. */
export { default as ConflictView } from './ConflictView.svelte'
export { default as ImageViewer } from './ImageViewer.svelte'
export { default as RecoveryView } from './RecoveryView.svelte'
