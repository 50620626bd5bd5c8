/**
 * A value that is made when it is first used. With the first formatter of Intl a web view loads the tables of all
 * languages, and each takes milliseconds: the first frame should not wait for those that it does not use.
 */
export function whenUsed<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
