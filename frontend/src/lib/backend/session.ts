import { Fault } from './fault'
import { t } from '$lib/language/language'

/*
 * How a page of `mutsumi serve` proves that it may connect. The token behind the # of
 * the printed address is exchanged for a session once; the session is kept for
 * this tab alone and goes with each request in a header. A cookie would go to
 * every port of the host. In the real window there is nothing to prove.
 */

/** The code of the fault that this page has no session. */
export const codeSignedOut = 'signedOut'

interface Session {
  session: string
  images: string
}

const stored = 'mutsumi.session'
/* Where there is nothing to prove, asking the storage of the page would only take time. */
let session: Session | undefined = isServed() ? remembered() : undefined
let entering: Promise<Session | undefined> | undefined

/* An address that is pasted into this tab changes what is behind the #, and loads nothing. */
globalThis.addEventListener?.('hashchange', () => {
  if (token()) location.reload()
})

/** Signs in with the address if this page has one, and returns the headers that requests need. */
export function headers(): Record<string, string> | Promise<Record<string, string>> {
  if (!isServed() || (session && !token())) return carried()
  // A refused token is not sent again: each attempt would print a new address.
  entering ??= enter().catch((thrown: unknown) => {
    if (!(thrown instanceof Fault && thrown.code === codeSignedOut)) entering = undefined
    throw thrown
  })
  return entering.then(carried)
}

function carried(): Record<string, string> {
  return session ? { Authorization: `Bearer ${session.session}` } : {}
}

/** The query of an image's address: the page's <img> sends no headers. */
export const imageKey = (): Record<string, string> => (session ? { key: session.images } : {})

/** Forgets a session that the program does not know, because the program was restarted. */
export function forget(): void {
  if (session) entering = undefined
  session = undefined
  globalThis.sessionStorage?.removeItem(stored)
}

async function enter(): Promise<Session | undefined> {
  const own = token()
  // It is valid once, and need not stay in the history.
  if (own) history.replaceState(history.state, '', location.pathname + location.search)
  const response = await fetch('/api/session', {
    method: 'POST',
    cache: 'no-store',
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json', ...carried() },
    body: JSON.stringify({ token: own }),
  })
  const text = await response.text()
  if (!response.ok) {
    if (response.status === 401) forget()
    throw (
      Fault.parse(text) ??
      new Fault('denied', t`This page is not signed in. Open the address that \`mutsumi serve\` printed.`, codeSignedOut)
    )
  }
  session = JSON.parse(text) as Session
  globalThis.sessionStorage?.setItem(stored, text)
  return session
}

function token(): string {
  return /^#token=([0-9a-f]+)$/.exec(globalThis.location?.hash ?? '')?.[1] ?? ''
}

function remembered(): Session | undefined {
  try {
    const value = JSON.parse(globalThis.sessionStorage?.getItem(stored) ?? 'null') as Partial<Session> | null
    if (typeof value?.session === 'string' && typeof value.images === 'string') return { session: value.session, images: value.images }
  } catch {
    // An unreadable session counts as none.
  }
  return undefined
}

/** Whether this page came over HTTP: the real window has bindings, and no address that could carry a token. */
function isServed(): boolean {
  return typeof location !== 'undefined' && /^http:$/.test(location.protocol) && !(window.go?.main?.App && window.runtime)
}
