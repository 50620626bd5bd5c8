import type { agenttree } from '$lib/backend/backend'

/** An agent in the tree, with its status. */
export type Node = agenttree.Node
