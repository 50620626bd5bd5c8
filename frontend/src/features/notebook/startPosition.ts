import type { Place } from '$lib/ui/readingPosition'

interface Startable {
  id: string
  role: string
  hasAnswer: boolean
}

/** The first cell to select in a notebook: the last one, or the first prompt if nothing has run yet. */
export function startOf<T extends Startable>(cells: readonly T[]): T | undefined {
  const prompts = cells.filter((cell) => cell.role === 'user')
  return prompts.length > 1 && !prompts.some((cell) => cell.hasAnswer) ? prompts[0] : cells.at(-1)
}

/** The first place to show in a notebook that is read from its top; undefined: its end. */
export function topOf(cells: readonly Startable[]): Place | undefined {
  const [first] = cells
  return first && startOf(cells) !== cells.at(-1) ? { key: first.id, index: 0, into: -1000, way: '', top: 1000, height: 0 } : undefined
}
