import type { Attachment } from 'svelte/attachments'
import { characterAt } from './readingPosition'

/** How far from the edge of a list text is looked for, in pixels: there is none between two cells. */
const FAR = 200

/** The character of a list that is nearest to its edge above or below a point of the screen; undefined beside the list. */
function atEdge(list: HTMLElement, clientX: number, clientY: number): { character: Range; below: boolean } | undefined {
  const { left, right, top, bottom } = list.getBoundingClientRect()
  const below = clientY >= bottom
  if (!below && clientY >= top) return undefined
  const x = Math.max(left + 1, Math.min(right - 2, clientX))
  for (let into = 2; into < Math.min(FAR, bottom - top); into += 8) {
    const character = characterAt(list, x, below ? bottom - into : top + into)
    const parent = character?.startContainer.parentElement
    if (!character || !parent || getComputedStyle(parent).userSelect === 'none') continue
    const there = character.getBoundingClientRect()
    if (there.bottom > top && there.top < bottom) return { character, below }
  }
  return undefined
}

/**
 * Lets a selection that is dragged out of a list, above or below, end where the view of the list ends. An engine selects
 * by itself whatever is drawn out of view, or what is on the other side of the place of the press.
 */
export const selectsToEdge: Attachment<HTMLElement> = (node) => {
  let list: HTMLElement | undefined
  let point = { clientX: 0, clientY: 0 }

  function extend(): void {
    const selected = getSelection()
    const from = selected?.anchorNode
    if (!list || !selected || !from || selected.isCollapsed || !list.contains(from)) return
    if (from.parentElement?.closest('[contenteditable="true"]')) return // the editor selects by itself
    const edge = atEdge(list, point.clientX, point.clientY)
    if (!edge) return
    const { character, below } = edge
    const [end, offset] = below ? [character.endContainer, character.endOffset] : [character.startContainer, character.startOffset]
    if (selected.focusNode !== end || selected.focusOffset !== offset) selected.extend(end, offset)
  }
  const moved = ({ clientX, clientY }: PointerEvent): void => {
    point = { clientX, clientY }
  }
  const released = (event: PointerEvent): void => {
    moved(event)
    extend()
    stop()
  }
  function stop(): void {
    list = undefined
    removeEventListener('pointermove', moved, true)
    removeEventListener('pointerup', released, true)
    removeEventListener('pointercancel', stop, true)
    removeEventListener('dragstart', stop, true)
    document.removeEventListener('selectionchange', extend)
  }
  const pressed = (event: PointerEvent): void => {
    stop()
    if (event.button !== 0) return
    list = (event.target as Element).closest<HTMLElement>('.virtual') ?? undefined
    if (!list) return
    moved(event)
    addEventListener('pointermove', moved, true)
    addEventListener('pointerup', released, true)
    addEventListener('pointercancel', stop, true)
    addEventListener('dragstart', stop, true)
    document.addEventListener('selectionchange', extend)
  }
  node.addEventListener('pointerdown', pressed)
  return () => {
    node.removeEventListener('pointerdown', pressed)
    stop()
  }
}
