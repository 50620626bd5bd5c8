import { Fault, type Backend, type preview } from '$lib/backend/backend'
import { t } from '$lib/language/language'

/** The subject of the viewer: a file at the lines of a reference, a rule, a file of the trust question, or a tool call with its result. */
export interface Shown {
  kind: 'file' | 'rule' | 'brought' | 'tool'
  title: string
  /** The notebook whose agent may read it. */
  path: string
  /** The reference as written; for a rule its name, for a tool the call. */
  ref: string
}

/** The loaded content. */
export interface Loaded {
  text: string
  /** The absolute path, if there is one. */
  file: string
  first: number
  last: number
  /** A note about the text. */
  note: string
}

/** The name and arguments of a call in a prompt, `grep{"keyword":"x"}`; undefined if it is not a call. */
export function parseCall(text: string): { name: string; args: string } | undefined {
  const m = /^([A-Za-z_][\w.-]*)(\{[\s\S]*\})$/.exec(text)
  return m ? { name: m[1]!, args: m[2]! } : undefined
}

/** Arguments in a canonical form, whatever their spacing. */
function sameForm(json: unknown): string {
  return JSON.stringify(json, (_key, value: unknown) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

/** Finds the result of a call among the segments of a request: the newest one wins. */
export function resultIn(
  view: Pick<preview.Preview, 'messages'>,
  call: { name: string; args: string },
): { text: string; cut: boolean; note: string } | undefined {
  let wanted: string
  try {
    wanted = sameForm(JSON.parse(call.args))
  } catch {
    return undefined
  }
  for (const segment of view.messages.flatMap((m) => m.segments).toReversed()) {
    if (segment.kind !== 'tool') continue
    try {
      const got = JSON.parse(segment.text) as { name?: string; args?: unknown; result?: unknown }
      const args: unknown = typeof got.args === 'string' ? JSON.parse(got.args) : got.args
      if (got.name !== call.name || sameForm(args) !== wanted) continue
      return {
        text: typeof got.result === 'string' ? got.result : JSON.stringify(got.result, null, 2),
        cut: segment.cut,
        note: segment.note ?? '',
      }
    } catch {
      // It was cut in the middle: show the rest as it is.
      if (segment.source.startsWith(call.name)) return { text: segment.text, cut: true, note: segment.note ?? '' }
    }
  }
  return undefined
}

/** FilesState holds the content of the viewer, one at a time. A late answer for another one is dropped. */
export class FilesState {
  readonly #backend: Backend
  readonly #failed: (title: string, fault: Fault) => void
  #shown = $state.raw<Shown>()
  #loaded = $state.raw<Loaded>()
  #fault = $state.raw<Fault>()
  #load: () => Promise<Loaded> = () => Promise.reject(new Error(t`nothing is shown`))
  #asked = 0

  constructor(backend: Backend, failed: (title: string, fault: Fault) => void) {
    this.#backend = backend
    this.#failed = failed
  }

  get shown(): Shown | undefined {
    return this.#shown
  }
  get loaded(): Loaded | undefined {
    return this.#loaded
  }
  get fault(): Fault | undefined {
    return this.#fault
  }

  /** Opens the file of a reference, `src/a.go:10:20`, as written in a notebook. */
  openFile(path: string, ref: string): void {
    this.#open({ kind: 'file', title: ref, path, ref }, async () => {
      const view = await this.#backend.file(path, ref)
      return { text: view.text, file: view.file, first: view.first, last: view.last, note: view.note ?? '' }
    })
  }

  openRule(path: string, name: string): void {
    this.#open({ kind: 'rule', title: name, path, ref: name }, async () => ({
      text: await this.#backend.rule(name),
      file: '',
      first: 0,
      last: 0,
      note: '',
    }))
  }

  /** Opens a file that waits for trust, before the person has decided. */
  openBrought(file: string): void {
    this.#open({ kind: 'brought', title: file, path: '', ref: file }, async () => ({
      text: await this.#backend.call.Brought(file),
      file,
      first: 0,
      last: 0,
      note: '',
    }))
  }

  /** Opens a tool call of a prompt with its result in the next request. */
  openTool(path: string, cell: string, draft: string, text: string): void {
    const call = parseCall(text)
    this.#open({ kind: 'tool', title: call?.name ?? text, path, ref: text }, async () => {
      const result = call && resultIn(await this.#backend.preview(path, cell, draft), call)
      if (!result) return { text: '', file: '', first: 0, last: 0, note: t`There is no result yet: it runs when the prompt is sent.` }
      return {
        text: result.text,
        file: '',
        first: 0,
        last: 0,
        note: result.cut ? t`Only the beginning of the result is shown.` : result.note,
      }
    })
  }

  retry(): void {
    void this.#fetch()
  }

  close(): void {
    this.#asked++
    this.#shown = this.#loaded = this.#fault = undefined
  }

  /** Shows the file in the system's file manager. */
  async reveal(): Promise<void> {
    const shown = this.#shown
    if (shown?.kind !== 'file') return
    try {
      await this.#backend.call.RevealFile(shown.path, shown.ref)
    } catch (thrown) {
      this.#failed(t`Could not show the file`, Fault.from(thrown))
    }
  }

  #open(shown: Shown, load: () => Promise<Loaded>): void {
    this.#shown = shown
    this.#loaded = undefined
    this.#load = load
    void this.#fetch()
  }

  async #fetch(): Promise<void> {
    const mine = ++this.#asked
    this.#fault = undefined
    try {
      const loaded = await this.#load()
      if (mine === this.#asked) this.#loaded = loaded
    } catch (thrown) {
      if (mine === this.#asked) this.#fault = Fault.from(thrown)
    }
  }
}
