/** The branch lab and the drawing of a family, in one file of the build. */
export { default as BranchLab } from './BranchLab.svelte'
export { default as FamilyPane } from './FamilyPane.svelte'
