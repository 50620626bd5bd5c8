/**
 * composing says whether a key belongs to an input method: it picks or ends
 * what is being composed and means nothing else. WebKit sends the key that
 * ends a composition after it, with keyCode 229 and isComposing false.
 */
export function composing(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === 229
}
