import { t } from '$lib/language/language'

/* Some tabs show no notebook: the flight deck of a tree of agents, the
   branch lab of a notebook. The key of such a tab is the notebook with a
   prefix that no path in a folder has: those are relative. */

export type ViewKind = 'deck' | 'branches'

/** The names of the view tabs. */
export const viewNames: Record<ViewKind, string> = { deck: t`Flight deck`, branches: t`Branch lab` }

const form = /^\/\/(deck|branches)\/(.*)$/s

/** The tab of a view. path: the notebook that it is about; for a tree of agents the first one. */
export const viewTab = (kind: ViewKind, path: string): string => `//${kind}/${path}`

/** The view of a tab; undefined for the tab of a notebook. */
export function viewOf(tab: string): { kind: ViewKind; path: string } | undefined {
  const found = form.exec(tab)
  return found ? { kind: found[1] as ViewKind, path: found[2]! } : undefined
}

/** The notebook that a tab shows or is about. */
export const pathOf = (tab: string): string => viewOf(tab)?.path ?? tab
