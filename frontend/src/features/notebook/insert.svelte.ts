import type { EditorView } from '@codemirror/view'
import type { images } from '$lib/backend/backend'
import { Fault } from '$lib/backend/fault'
import type { CellState } from './cell.svelte'
import type { NotebookState } from './notebook.svelte'
import { scan } from './scan'
import { t } from '$lib/language/language'

/** A pasted or dropped file with its bytes. */
export interface Incoming {
  name: string
  type: string
  bytes: Uint8Array<ArrayBuffer>
}

const TEXT_LIMIT = 256 * 1024

/**
 * Insertion inserts pasted or dropped content into one prompt: the backend saves images, which
 * become links; paths become references, and small text files become text. Failures are shown in
 * the cell.
 */
export class Insertion {
  readonly book: NotebookState
  readonly cell: CellState
  readonly #view: () => EditorView | undefined
  #busy = $state.raw(0)
  #notes = $state.raw<readonly string[]>([])
  #fault = $state.raw<Fault | undefined>()

  constructor(book: NotebookState, cell: CellState, view: () => EditorView | undefined) {
    this.book = book
    this.cell = cell
    this.#view = view
  }

  /** The number of files being inserted. */
  get busy(): number {
    return this.#busy
  }
  /** Notes on what was scaled down or left out. */
  get notes(): readonly string[] {
    return this.#notes
  }
  get fault(): Fault | undefined {
    return this.#fault
  }

  dismiss(): void {
    this.#fault = undefined
    this.#notes = []
  }

  /** files inserts files in order. A failure of one does not affect the others. */
  async files(list: readonly (File | Incoming)[]): Promise<void> {
    await this.#work(list.length, async () => {
      const texts: string[] = []
      const notes: string[] = []
      let failed: unknown
      for (const file of list) {
        try {
          const incoming = file instanceof File ? await read(file) : file
          const got = await this.#one(incoming)
          texts.push(got.text)
          notes.push(...got.notes)
        } catch (thrown) {
          failed ??= thrown
        }
      }
      this.#place({ text: texts.join(' '), notes })
      if (failed) throw failed
    })
  }

  async #one(file: Incoming): Promise<images.Inserted> {
    if (isMedia(file)) return this.book.backend.putImage(this.book.path, file.name || 'image', file.bytes)
    const text = file.bytes.length <= TEXT_LIMIT ? decode(file.bytes) : undefined
    if (text === undefined) {
      throw new Fault(
        'invalid',
        t`“${file.name}” is neither an image, a PDF document nor a text of at most 256 KB. Put it into the folder and refer to it with @[path].`,
      )
    }
    const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map((m) => m[0].length + 1)))
    return { text: `\n${file.name}:\n${fence}\n${text.replace(/\n$/, '')}\n${fence}\n`, notes: [] }
  }

  /** paths inserts files by path; false if none succeeded. */
  async paths(list: string[]): Promise<boolean> {
    return this.#work(list.length, async () => this.#place(await this.book.backend.call.InsertPaths(this.book.path, list)))
  }

  /** clipboard inserts the system clipboard's content, read by the backend. */
  async clipboard(): Promise<boolean> {
    return this.#work(1, async () => this.#place(await this.book.backend.call.PasteFromClipboard(this.book.path)))
  }

  /** text inserts text as it is. */
  text(text: string): void {
    this.#place({ text, notes: [] }, true)
  }

  /** focus gives the keyboard to the editor, if there is one. */
  focus(): void {
    this.#view()?.focus()
  }

  /** caretTo puts the caret at a point of the window, for a drop; next to a reference or an image, not inside it. */
  caretTo(x: number, y: number): void {
    const view = this.#view()
    if (!view) return
    const at = view.posAtCoords({ x, y }, false)
    const inside = scan(view.state.doc.toString()).find((m) => m.kind !== 'define' && m.from < at && at < m.to)
    const anchor = !inside ? at : at - inside.from < inside.to - at ? inside.from : inside.to
    view.dispatch({ selection: { anchor } })
  }

  async #work(count: number, work: () => Promise<void>): Promise<boolean> {
    this.dismiss()
    this.#busy += count
    try {
      await work()
      return true
    } catch (thrown) {
      const fault = Fault.from(thrown)
      if (fault.kind !== 'canceled') this.#fault = fault
      return false
    } finally {
      this.#busy -= count
    }
  }

  #place(got: images.Inserted, exact = false): void {
    this.#notes = got.notes ?? []
    if (got.text === '') return
    const view = this.#view()
    if (!view) {
      if (!this.cell.loaded && this.cell.chars > 0) {
        void this.#placeLater(got, exact)
        return
      }
      const had = this.cell.text
      this.book.type(this.cell, had === '' || exact ? had + got.text : `${had.trimEnd()} ${got.text}`)
      return
    }
    const { from, to } = view.state.selection.main
    const doc = view.state.doc
    const before = from > 0 ? doc.sliceString(from - 1, from) : '\n'
    const behind = to < doc.length ? doc.sliceString(to, to + 1) : ''
    // A link or a reference is separated from adjacent words.
    const insert = exact ? got.text : (/\s/.test(before) ? '' : ' ') + got.text + (behind === '' || /\s/.test(behind) ? '' : ' ')
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: from + insert.length },
      scrollIntoView: true,
      userEvent: 'input.paste',
    })
    // Not if the person went on to something else while the file was read.
    if (document.activeElement === document.body) view.focus()
  }

  /** A prompt that is not loaded yet is loaded first, so that its text is kept. */
  async #placeLater(got: images.Inserted, exact: boolean): Promise<void> {
    const worked = await this.#work(1, async () => {
      if (await this.book.fetched(this.cell)) return
      throw new Fault(
        'internal',
        t`Could not add “${got.text.trim().slice(0, 80)}”: this prompt is not loaded. Try again when it is shown.`,
      )
    })
    if (worked) this.#place(got, exact)
  }
}

async function read(file: File): Promise<Incoming> {
  return { name: file.name, type: file.type, bytes: new Uint8Array(await file.arrayBuffer()) }
}

/** Whether the content, not the name, is media: the first bytes of png, jpeg, gif, webp and pdf. */
function isMedia({ bytes: b }: Incoming): boolean {
  const ascii = (at: number, text: string) => [...text].every((c, i) => b[at + i] === c.charCodeAt(0))
  return (
    (b[0] === 0x89 && ascii(1, 'PNG')) ||
    (b[0] === 0xff && b[1] === 0xd8) ||
    ascii(0, 'GIF8') ||
    ascii(0, '%PDF-') ||
    (ascii(0, 'RIFF') && ascii(8, 'WEBP'))
  )
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** pathsIn returns the paths of a pasted text that consists only of paths, otherwise none. */
export function pathsIn(text: string): string[] {
  const lines = text
    .split(/\r?\n/)
    .map((l) => l.trim())
    .filter((l) => l !== '' && !l.startsWith('# '))
  if (lines.length === 0 || lines.length > 200) return []
  const path = /^(?:file:\/\/\/\S+|\/(?:[^/\0]+\/)+[^/\0]+|[A-Za-z]:\\(?:[^\\\0]+\\)*[^\\\0]+)$/
  return lines.every((l) => l.length < 4096 && path.test(l)) ? lines : []
}
