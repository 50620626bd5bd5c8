/*
 * Requests of a closing page. A closing window waits for them: it sends the event with a list
 * (lastWords in window.go). A browser does not wait.
 */

/** Adds a pending request for which a closing window waits. */
export function waitsFor(event: Event, done: Promise<unknown>): void {
  const { pending } = event as Event & { pending?: Promise<unknown>[] }
  pending?.push(done)
}
