/*
 * Requests of a page that is being closed. A closing window waits for them: it sends
 * the event with a list (lastWords in window.go). A browser waits for nobody.
 */

/** Adds a pending request to those that a closing window waits for. */
export function waitsFor(event: Event, done: Promise<unknown>): void {
  const { pending } = event as Event & { pending?: Promise<unknown>[] }
  pending?.push(done)
}
