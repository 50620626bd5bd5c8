import { EditorView } from '@codemirror/view'
import { type Incoming, type Insertion, pathsIn } from './insert.svelte'

/*
 * Paste into a prompt. A browser hands over files. WebKitGTK hands over an
 * event without types and files for an image; but into a contenteditable it
 * puts an <img> with a blob address, whose bytes are exact. So the focus
 * goes to a hidden one for the moment of such a paste, and then back. The
 * middle button pastes what is selected anywhere; WebKitGTK does so in a field,
 * but its event has what is on the clipboard.
 */

/** pastesInto handles paste events on a prompt, before the editor does. */
export function pastesInto(insertion: Insertion) {
  return (node: HTMLElement) => {
    let middle: MouseEvent | undefined
    const onmousedown = (event: MouseEvent) => {
      middle = event.button === 1 && document.documentElement.dataset.engine === 'webkitgtk' ? event : undefined
    }
    const onkeydown = () => {
      middle = undefined
    }
    const onpaste = (event: ClipboardEvent) => {
      if (middle) {
        event.stopImmediatePropagation()
        catchSelected(insertion, event.target, middle)
        middle = undefined
        return
      }
      const data = event.clipboardData
      if (!data) return
      const take = () => {
        event.preventDefault()
        event.stopImmediatePropagation()
      }
      const files = [...data.files]
      if (files.length > 0) {
        take()
        void insertion.files(files)
        return
      }
      // The text of some programs has no type either.
      if (data.types.length === 0 && data.getData('text/plain') === '') {
        event.stopImmediatePropagation()
        catchPaste(insertion, event.target)
        return
      }
      const text = data.getData('text/uri-list') || data.getData('text/plain')
      const paths = pathsIn(text)
      if (paths.length === 0) return
      take()
      const plain = data.getData('text/plain') || text
      void insertion.paths(paths).then((done) => {
        // Missing or not permitted: paste the text instead.
        if (!done) insertion.text(plain)
      })
    }
    node.addEventListener('mousedown', onmousedown, true)
    node.addEventListener('keydown', onkeydown, true)
    node.addEventListener('paste', onpaste, true)
    return () => {
      node.removeEventListener('mousedown', onmousedown, true)
      node.removeEventListener('keydown', onkeydown, true)
      node.removeEventListener('paste', onpaste, true)
    }
  }
}

/** How long WebKit may take to insert the image, in milliseconds. */
const PATIENCE = 400

function catchPaste(insertion: Insertion, target: EventTarget | null): void {
  const trap = document.createElement('div')
  trap.contentEditable = 'true'
  trap.setAttribute('aria-hidden', 'true')
  trap.className = 'sr'
  document.body.append(trap)
  trap.focus()
  let done = false
  const finish = () => {
    if (done) return
    done = true
    clearTimeout(timer)
    const image = trap.querySelector('img')
    const text = trap.innerText
    trap.remove()
    if (target instanceof HTMLElement) target.focus()
    if (image?.src.startsWith('blob:')) {
      void bytesOf(image).then(
        (file) => insertion.files([file]),
        () => insertion.clipboard(),
      )
    } else if (text.trim() !== '') {
      const paths = pathsIn(text)
      if (paths.length === 0) insertion.text(text)
      else
        void insertion.paths(paths).then((ok) => {
          if (!ok) insertion.text(text)
        })
    } else void insertion.clipboard()
  }
  trap.addEventListener('input', () => setTimeout(finish, 0))
  const timer = setTimeout(finish, PATIENCE)
}

/** Inserts the text that WebKit pastes for a press of the middle button, where it was pressed. */
function catchSelected(insertion: Insertion, target: EventTarget | null, { clientX, clientY }: MouseEvent): void {
  const view = target instanceof HTMLElement ? EditorView.findFromDOM(target) : null
  if (!view) return
  view.dispatch({ selection: { anchor: view.posAtCoords({ x: clientX, y: clientY }, false) } })
  const trap = document.createElement('textarea')
  trap.setAttribute('aria-hidden', 'true')
  trap.className = 'sr'
  document.body.append(trap)
  trap.focus()
  setTimeout(() => {
    const text = trap.value
    trap.remove()
    view.focus()
    if (text !== '') insertion.text(text)
  })
}

async function bytesOf(image: HTMLImageElement): Promise<Incoming> {
  // eslint-disable-next-line no-restricted-globals -- a blob address of this page itself, not the backend
  const response = await fetch(image.src)
  return { name: 'image', type: response.headers.get('Content-Type') ?? '', bytes: new Uint8Array(await response.arrayBuffer()) }
}
