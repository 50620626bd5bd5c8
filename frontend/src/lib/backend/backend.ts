import type * as bound from '$wails/go/main/App'
import * as runtime from '$wails/runtime/runtime'
import type { complete, images, notebook, preview, workspace } from '$wails/go/models'
import './enums'
import { Fault } from './fault'
import { takeFirst } from './firstSnapshot'
import { InOrder } from './order'
import { pageCloses, request, type Body } from './request'
import { imageKey } from './session'
import { t } from '$lib/language/language'

export type {
  access,
  acp,
  agentfiles,
  agenttree,
  approval,
  branches,
  builtin,
  chat,
  checkpoint,
  coedit,
  compaction,
  complete,
  catalog,
  documents,
  event,
  fault,
  folderrules,
  images,
  imports,
  inspect,
  kind,
  mcp,
  notebook,
  owned,
  preview,
  runner,
  settings,
  summaries,
  textsearch,
  timeline,
  workspace,
  worktree,
} from '$wails/go/models'
export { codeDisconnected, Fault, type FaultKind } from './fault'
export { codeSignedOut } from './session'
export type { BackendEvent, Connection } from './events'

/** The kind of completion: `at` is everything that may follow an @. */
export type CompletionKind = 'at' | 'file' | 'tool' | 'macro' | 'notebook' | 'range' | 'command'

/** Every bound method of App, with its Go types. */
export type Calls = Omit<typeof bound, 'EventCatalog' | 'NotebookTypes' | 'PreviewTypes'>

declare global {
  interface Window {
    go?: { main?: { App?: Record<string, (...args: unknown[]) => Promise<unknown>> } }
    runtime?: unknown
  }
}

/** Whether this page is in the real window, with Wails' bindings. */
export const inWindow = (): boolean => Boolean(window.go?.main?.App && window.runtime)

/**
 * Backend is the only way from the interface to the Go side, in the window
 * and in a browser on `mutsumi serve` alike. Everything it throws is a Fault.
 */
export class Backend {
  /** The bound methods: `await backend.call.Run(path, cell, 'cell')`. */
  readonly call: Calls
  /** The id of this window: the backend keeps a notebook open while any window shows it. */
  readonly window = `${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`
  readonly #order = new InOrder(invoke, pageCloses)

  constructor() {
    this.call = this.#calls()
  }

  /** The state of the folder and of its windows, which events continue. */
  snapshot(): Promise<workspace.Snapshot> {
    return (
      takeFirst()?.catch((thrown: unknown) => {
        throw Fault.from(thrown)
      }) ?? this.call.Snapshot()
    )
  }

  /**
   * The bound methods, for calls that depend on another one: each takes its place in the order now, and is not sent if the other one fails.
   */
  after(done: Promise<unknown>): Calls {
    return this.#calls(done)
  }

  #calls(after?: Promise<unknown>): Calls {
    return new Proxy({} as Calls, {
      get: (_target, name) => (typeof name === 'string' ? (...args: unknown[]) => this.#order.call(name, args, after) : undefined),
    })
  }

  /** The notebook with the heads of all cells and the bodies of the last few. This window shows it until CloseNotebook. */
  async notebook(path: string, signal?: AbortSignal): Promise<notebook.View> {
    return json(await request(`/api/notebook?${query({ path, window: this.window })}`, { signal }))
  }

  /** Cells with their bodies, and the number of the last event that they include. */
  async cells(path: string, ids: string[], signal?: AbortSignal): Promise<{ seq: number; cells: notebook.CellView[] }> {
    return json(await request('/api/cells', { body: JSON.stringify({ path, ids }), signal }))
  }

  /** The raw text of a damaged notebook. */
  async text(path: string, signal?: AbortSignal): Promise<string> {
    return (await request(`/api/text?${query({ path })}`, { signal })).text()
  }

  /** A message with its whole text. */
  async message(path: string, cell: string, index: number, signal?: AbortSignal): Promise<notebook.MessageView> {
    return json(await request(`/api/message?${query({ path, cell, index: String(index) })}`, { signal }))
  }

  /** The address of an image that a prompt links to: for <img src>. */
  imageURL(path: string, src: string, thumb = false): string {
    return `/api/image?${query({ path, src, ...(thumb ? { thumb: '1' } : {}), ...imageKey() })}`
  }

  /** Saves a pasted or dropped image and returns the text that links to it. */
  async putImage(path: string, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<images.Inserted> {
    return json(await request(`/api/image?${query({ path, name })}`, { body: bytes satisfies Body }))
  }

  /** Every message that a cell would send, by segments. It changes nothing. */
  async preview(path: string, cell: string, draft: string, signal?: AbortSignal): Promise<preview.Preview> {
    return json(await request('/api/preview', { body: JSON.stringify({ path, cell, draft }), signal }))
  }

  /** The body of the next request, byte for byte. */
  async requestBody(path: string, cell: string, draft: string): Promise<string> {
    return (await request('/api/request', { body: JSON.stringify({ path, cell, draft }) })).text()
  }

  /** Completions of a reference or macro, the best first. */
  async complete(path: string, kind: CompletionKind, q: string, signal?: AbortSignal): Promise<complete.Item[]> {
    const { items } = await json<{ items: complete.Item[] | null }>(await request(`/api/complete?${query({ path, kind, q })}`, { signal }))
    return items ?? []
  }

  /** The file of a reference, as an agent of the notebook may read it. */
  async file(path: string, ref: string, signal?: AbortSignal): Promise<workspace.FileView> {
    return json(await request(`/api/file?${query({ path, ref })}`, { signal }))
  }

  /** The text of a rule of the folder. */
  async rule(name: string, signal?: AbortSignal): Promise<string> {
    return (await request(`/api/rule?${query({ name })}`, { signal })).text()
  }

  /** Copies text to the clipboard. */
  async copyText(text: string): Promise<void> {
    if (inWindow()) {
      if (await runtime.ClipboardSetText(text)) return
      throw new Fault('internal', t`Could not write to the clipboard. Select the text and copy it there.`)
    }
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      throw new Fault('denied', t`The browser did not let the page write to the clipboard. Select the text and copy it there.`)
    }
  }

  /** Saves text as a file where the person chooses: the window asks, a browser downloads. The name is only a suggestion. */
  async saveText(name: string, text: string): Promise<void> {
    if (inWindow()) return this.call.SaveText(name, text)
    const link = document.createElement('a')
    // eslint-disable-next-line no-restricted-syntax -- a browser downloads it: no fetch sends it
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    link.download = name
    link.click()
    // By then the browser has read it.
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  }

  /** Reads the clipboard in the window, '' if it holds no text; undefined in a browser, which has its own menu for text. */
  get clipboard(): (() => Promise<string>) | undefined {
    return inWindow() ? () => runtime.ClipboardGetText().catch(() => '') : undefined
  }

  /** Sets the title of the page. A real window gets its title from the program, which updates it while the page sleeps. */
  setTitle(title: string): void {
    document.title = title
  }

  /** Answers a real window that should close: the person is being asked, or it may close. */
  answerClose(answer: 'asks' | 'close'): void {
    if (inWindow()) runtime.EventsEmit(answer)
  }

  /** Reports to a real window that the page shows something: an empty page would be reloaded. */
  shows(): void {
    if (inWindow()) runtime.EventsEmit('shows')
  }

  /** The address for another window of this folder, valid once; '' in the real window. */
  async windowAddress(): Promise<string> {
    return inWindow() ? '' : json(await request('/api/session/address', { body: '' }))
  }

  /** Opens a link of an answer outside: http, https and mailto only. */
  async openLink(link: string): Promise<void> {
    if (!/^(https?:|mailto:)/i.test(link))
      throw new Fault('denied', t`“${link.slice(0, 80)}” is not a web or mail address, so it is not opened.`)
    if (inWindow()) await this.call.OpenExternal(link)
    else window.open(link, '_blank', 'noopener,noreferrer')
  }
}

async function invoke(name: string, args: unknown[]): Promise<unknown> {
  try {
    if (inWindow()) {
      // As the generated functions do; they are not imported, since the page would load all of them.
      const method = window.go?.main?.App?.[name]
      if (!method) throw new Fault('internal', t`There is no call named ${name}.`)
      return await method(...args)
    }
    const response = await request(`/api/call/${name}`, { body: JSON.stringify(args) })
    const text = await response.text()
    return text ? JSON.parse(text) : undefined
  } catch (thrown) {
    throw Fault.from(thrown)
  }
}

function query(values: Record<string, string>): string {
  return new URLSearchParams(values).toString()
}

async function json<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T
  } catch {
    throw new Fault('internal', t`The program sent an answer that is not JSON. Reload the page; if it stays, restart Mutsumi.`)
  }
}
