import type { DotKind } from '$lib/ui/dot'

/** What the branch lab needs from the window. */
export interface LabHost {
  /** Unix milliseconds. */
  now(): number
  /** The state of the agent of a notebook. */
  dot(path: string): DotKind
  /** Opens a notebook at a cell; "" is its last one. */
  open(path: string, cell: string): void
  link(href: string): void
  copy(text: string): Promise<boolean>
}
