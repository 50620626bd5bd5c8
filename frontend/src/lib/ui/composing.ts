/**
 * composing reports whether a key belongs to an input method: it chooses or ends a composition and
 * has no other meaning. WebKit sends the key that ends a composition after it, with keyCode 229 and
 * isComposing false.
 */
export function composing(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === 229
}
