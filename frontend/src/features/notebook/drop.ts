import { notebookType } from '$lib/drag/drag'
import type { Insertion } from './insert.svelte'

/*
 * Drop. In a browser the files come with the HTML5 event. In the real window
 * that event never has files; their paths come as a `pathsDropped` event, and the
 * web view must be kept from typing file:///... into the editor on its own.
 */

const carriesNotebook = (data: DataTransfer | null): boolean => !!data && data.types.includes(notebookType)
const carriesFiles = (data: DataTransfer | null): boolean =>
  !!data && (data.types.includes('Files') || data.types.includes('text/uri-list') || carriesNotebook(data))

/** The event with which the list passes dropped paths to a prompt. */
const PATHS = 'notebook:paths'
interface Dropped {
  paths: string[]
  x: number
  y: number
}

/** dropsInto makes a prompt accept files; it calls over with whether a drag is above it. */
export function dropsInto(insertion: Insertion, over: (is: boolean) => void) {
  return (node: HTMLElement) => {
    const inside = (event: DragEvent) => {
      if (!carriesFiles(event.dataTransfer)) return
      event.preventDefault()
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy'
      over(true)
    }
    const leave = (event: DragEvent) => {
      if (!(event.relatedTarget instanceof Node && node.contains(event.relatedTarget))) over(false)
    }
    const drop = (event: DragEvent) => {
      over(false)
      const data = event.dataTransfer
      if (!carriesFiles(data) || !data) return
      event.preventDefault()
      event.stopPropagation()
      insertion.focus()
      insertion.caretTo(event.clientX, event.clientY)
      if (carriesNotebook(data)) {
        const path = data.getData(notebookType)
        // Another page could claim to drag one.
        if (/^(?![/\\]|\w+:).+\.mtm$/.test(path)) void insertion.paths([path])
        return
      }
      if (data.files.length > 0) {
        void insertion.files([...data.files])
        return
      }
      const link = data.getData('text/uri-list').split('\n')[0]?.trim() ?? ''
      if (/^https?:/i.test(link)) insertion.text(link)
    }
    const paths = (event: Event) => {
      over(false)
      const { paths, x, y } = (event as CustomEvent<Dropped>).detail
      insertion.focus()
      // Without a point the caret stays where it is.
      if (x >= 0 && y >= 0) insertion.caretTo(x, y)
      void insertion.paths(paths)
    }
    node.addEventListener('dragenter', inside, true)
    node.addEventListener('dragover', inside, true)
    node.addEventListener('dragleave', leave)
    node.addEventListener('drop', drop, true)
    node.addEventListener(PATHS, paths)
    return () => {
      node.removeEventListener('dragenter', inside, true)
      node.removeEventListener('dragover', inside, true)
      node.removeEventListener('dragleave', leave)
      node.removeEventListener('drop', drop, true)
      node.removeEventListener(PATHS, paths)
    }
  }
}

/** dropsBeside accepts drops beside the prompts: they go to the prompt that `target` names. */
export function dropsBeside(target: () => readonly (string | undefined)[]) {
  return (list: HTMLElement) => {
    const hover = (event: DragEvent) => {
      if (carriesFiles(event.dataTransfer)) event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      if (!carriesFiles(event.dataTransfer)) return
      event.preventDefault()
      if (!event.dataTransfer?.files.length && !carriesNotebook(event.dataTransfer)) return
      promptOf(list, target())?.dispatchEvent(
        new DragEvent('drop', { dataTransfer: event.dataTransfer, clientX: event.clientX, clientY: event.clientY }),
      )
    }
    list.addEventListener('dragover', hover)
    list.addEventListener('drop', drop)
    return () => {
      list.removeEventListener('dragover', hover)
      list.removeEventListener('drop', drop)
    }
  }
}

function promptOf(list: HTMLElement, ids: readonly (string | undefined)[]): HTMLElement | undefined {
  for (const id of ids) {
    const prompt = id && list.querySelector<HTMLElement>(`.prompt[data-cell="${CSS.escape(id)}"]`)
    if (prompt) return prompt
  }
  return undefined
}

/** dropPaths passes dropped paths to the prompt at the point, or else to the edited one. */
export function dropPaths(list: HTMLElement, dropped: Dropped, ids: readonly (string | undefined)[]): void {
  const below = document.elementFromPoint(dropped.x, dropped.y)?.closest<HTMLElement>('.prompt[data-cell]')
  const prompt = below && list.contains(below) ? below : promptOf(list, ids)
  prompt?.dispatchEvent(new CustomEvent<Dropped>(PATHS, { detail: dropped }))
}
