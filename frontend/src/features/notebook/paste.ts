import { type Incoming, type Insertion, pathsIn } from './insert.svelte'

/*
 * Paste into a prompt. A browser hands over files. WebKitGTK hands over an
 * event without types and files for an image; but into a contenteditable it
 * puts an <img> with a blob address, whose bytes are exact. So the focus
 * goes to a hidden one for the moment of such a paste, and then back.
 */

/** pastesInto handles paste events on a prompt, before the editor does. */
export function pastesInto(insertion: Insertion) {
  return (node: HTMLElement) => {
    const onpaste = (event: ClipboardEvent) => {
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
      if (data.types.length === 0) {
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
    node.addEventListener('paste', onpaste, true)
    return () => node.removeEventListener('paste', onpaste, true)
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

async function bytesOf(image: HTMLImageElement): Promise<Incoming> {
  // eslint-disable-next-line no-restricted-globals -- a blob address of this page itself, not the backend
  const response = await fetch(image.src)
  return { name: 'image', type: response.headers.get('Content-Type') ?? '', bytes: new Uint8Array(await response.arrayBuffer()) }
}
