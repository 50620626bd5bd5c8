/** The dialogs of the window, in one file of the build. */
export { default as RestoreDialog } from '../features/changes/RestoreDialog.svelte'
export { default as ReviewDialog } from '../features/approvals/ReviewDialog.svelte'
export { default as FileDialog } from '../features/files/FileDialog.svelte'
export { default as FolderDialog } from '../features/folders/FolderDialog.svelte'
export { default as TaskDialog } from '../features/tasks/TaskDialog.svelte'
export { default as TrustDialog } from '../features/trust/TrustDialog.svelte'
export { default as Compare } from './Compare.svelte'
export { default as Help } from './Help.svelte'
