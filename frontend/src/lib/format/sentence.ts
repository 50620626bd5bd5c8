/** A message as a whole sentence: it begins with a capital and ends with a full stop, the one of its script. */
export function sentence(text: string): string {
  const stop = /[.!?。！？…]$/.test(text) ? '' : /[\u3000-\u9fff\uff00-\uffef]$/.test(text) ? '。' : '.'
  return text.charAt(0).toUpperCase() + text.slice(1) + stop
}
