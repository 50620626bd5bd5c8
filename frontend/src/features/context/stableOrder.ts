/**
 * inOrder returns the new parts in the order of the old ones, so that no line
 * moves away from the pointer when it is switched; new ones come after
 * those that they follow.
 */
export function inOrder<T extends { id: string }>(old: readonly T[], now: readonly T[]): T[] {
  const place = new Map<string, number>()
  old.forEach((part, i) => {
    if (!place.has(part.id)) place.set(part.id, i)
  })
  let last = -1
  const placed = now.map((part, i) => {
    const at = place.get(part.id)
    if (at !== undefined) last = at
    return { part, at: at ?? last + 0.5, i }
  })
  return placed.sort((a, b) => a.at - b.at || a.i - b.i).map((p) => p.part)
}
