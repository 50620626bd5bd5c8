/**
 * Resolves after ms milliseconds, or as soon as one of the signals is aborted. Only for backing off
 * and watchdogs: nothing waits for time to see a result.
 */
export function wait(ms: number, ...signals: AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    if (signals.some((s) => s.aborted)) return resolve()
    const done = () => {
      clearTimeout(timer)
      for (const s of signals) s.removeEventListener('abort', done)
      resolve()
    }
    // eslint-disable-next-line no-restricted-syntax -- the one place; it can be ended
    const timer = setTimeout(done, ms)
    for (const s of signals) s.addEventListener('abort', done)
  })
}
