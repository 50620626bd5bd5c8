/** The cards of requests, in one file of the build. */
export { default as Card } from './Card.svelte'
export { default as InboxCard } from './InboxCard.svelte'
