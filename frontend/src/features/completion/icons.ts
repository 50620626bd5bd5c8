import Braces from '@lucide/svelte/icons/braces'
import File from '@lucide/svelte/icons/file'
import Folder from '@lucide/svelte/icons/folder'
import ListOrdered from '@lucide/svelte/icons/list-ordered'
import Library from '@lucide/svelte/icons/library'
import Notebook from '@lucide/svelte/icons/notebook'
import Plug from '@lucide/svelte/icons/plug'
import SquareSlash from '@lucide/svelte/icons/square-slash'
import Wrench from '@lucide/svelte/icons/wrench'
import { mount, unmount, type Component } from 'svelte'

const icons: Record<string, Component> = {
  file: File,
  folder: Folder,
  tool: Wrench,
  macro: Braces,
  notebook: Notebook,
  range: ListOrdered,
  command: SquareSlash,
  resource: Library,
  server: Plug,
}
const drawn = new Map<string, Node>()

/** iconOf draws the icon of a kind of completion; an empty one if the kind has none. The editor's list is made of plain elements, not components. */
export function iconOf(kind: string): Node {
  const known = drawn.get(kind)
  if (known) return known.cloneNode(true)
  const box = document.createElement('div')
  const icon = icons[kind]
  if (icon) {
    const component = mount(icon, { target: box, props: { size: 14 } })
    const svg = box.querySelector('svg')!.cloneNode(true) as Element
    svg.classList.add('completion-icon')
    void unmount(component)
    drawn.set(kind, svg)
    return svg.cloneNode(true)
  }
  box.className = 'completion-icon'
  return box
}
