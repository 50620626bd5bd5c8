/** The "Changes" part of the right pane, in one file of the build. */
export { default as ChangesPane } from '../features/changes/ChangesPane.svelte'
export { default as OwnTreeSection } from '../features/changes/OwnTreeSection.svelte'
export { default as ChildTreesSection } from '../features/changes/ChildTreesSection.svelte'
export { default as FileUsePane } from '../features/fileuse/FileUsePane.svelte'
