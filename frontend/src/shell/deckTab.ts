/* The flight deck of a tree of agents is one of the tabs. Its
   key is the tree's first notebook with a prefix that no path in
   a folder has: those are relative. */

const beginning = '//deck/'

/** The tab of the flight deck of a notebook's tree. */
export const deckTab = (root: string): string => beginning + root

/** The first notebook of the tree that a tab shows; undefined for the tab of a notebook. */
export const deckOf = (tab: string): string | undefined => (tab.startsWith(beginning) ? tab.slice(beginning.length) : undefined)
