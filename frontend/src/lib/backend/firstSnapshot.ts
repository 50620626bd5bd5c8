import type { workspace } from '$wails/go/models'

let first: Promise<workspace.Snapshot> | undefined

/**
 * Asks the program for its state; main.ts imports this module before all others, so that the answer is there
 * once they have run. In a browser nothing is asked yet: there the page signs in first.
 */
export function askFirst(): void {
  const app = globalThis.window?.go?.main?.App
  first = app?.Snapshot?.() as typeof first
  first?.catch(() => undefined) // whoever takes it handles that
}

/** Returns the answer, once. */
export function takeFirst(): Promise<workspace.Snapshot> | undefined {
  const taken = first
  first = undefined
  return taken
}

askFirst()
