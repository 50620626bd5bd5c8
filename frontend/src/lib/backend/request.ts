import { codeDisconnected, Fault } from './fault'
import { forget, headers } from './session'
import { t } from '$lib/language/language'

/** The bodies that may be sent. A Blob or FormData in a fetch crashes WebKitGTK and the whole program. */
export type Body = string | Uint8Array<ArrayBuffer>

export interface RequestOptions {
  body?: Body
  signal?: AbortSignal
}

/* A request of a page that is being closed is dropped unless it may outlive the page.
   Browsers allow that for few bytes only: a longer text is sent as usual. */
let leaving = false
let closing = false
const mayOutlive = 12_000
for (const event of ['beforeunload', 'pagehide'])
  globalThis.addEventListener?.(
    event,
    () => {
      leaving = closing = true
      // A page that lives on gets answers: the person stayed, or the window waits for it.
      setTimeout(() => (closing = false))
    },
    { capture: true },
  )
globalThis.addEventListener?.('pageshow', () => {
  leaving = false
})

/** Whether the page is being closed just now: it gets no answer any more. */
export const pageCloses = (): boolean => closing

/**
 * The only fetch of the program: same origin, GET without a body and POST with one. It throws a
 * Fault for every answer that is not 2xx.
 */
export async function request(path: `/api/${string}`, options: RequestOptions = {}): Promise<Response> {
  const { body, signal } = options
  if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new TypeError(t`request: only strings and Uint8Array can be sent`)
  }
  let proof = headers()
  // A closing page has no time to wait: by then the header is known.
  if (proof instanceof Promise) {
    try {
      proof = await proof
    } catch (thrown) {
      if (thrown instanceof Fault) throw thrown
      throw silent(thrown)
    }
  }
  const init: RequestInit = { method: body === undefined ? 'GET' : 'POST', cache: 'no-store', credentials: 'same-origin', headers: proof }
  if (body !== undefined) {
    init.body = body
    init.headers = { ...proof, 'Content-Type': typeof body === 'string' ? 'application/json' : 'application/octet-stream' }
  }
  if (signal) init.signal = signal
  if (leaving && typeof body === 'string' && body.length <= mayOutlive) init.keepalive = true
  let response: Response
  try {
    response = await fetch(path, init)
  } catch (thrown) {
    if (signal?.aborted) throw new Fault('canceled', t`Stopped.`)
    throw silent(thrown)
  }
  if (response.ok) return response
  if (response.status === 401) forget()
  const text = await response.text().catch(() => '')
  throw Fault.parse(text) ?? new Fault(response.status === 404 ? 'notFound' : 'internal', statusText(response.status, text))
}

const silent = (thrown: unknown) =>
  new Fault(
    'internal',
    t`Mutsumi does not answer (${Fault.from(thrown).message}). Start it again, then reload this page.`,
    codeDisconnected,
  )

function statusText(status: number, text: string): string {
  if (status === 401 || status === 403) return t`This page is not signed in. Open the address that \`mutsumi serve\` printed, again.`
  const said = text.trim().slice(0, 300)
  return said ? t`The program answered ${status}: ${said}` : t`The program answered ${status} without a reason.`
}
