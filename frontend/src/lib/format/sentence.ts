/** A first word that is a name, which stays as it is: a path, a file, an address, an identifier. */
const named = /^\S*?(?:[\\/_@\d]|[.:]\S)/
const ended = /[.!?…。！？]["”’」)]?$/
const chinese = /[\u3000-\u9fff\uff00-\uffef]["”’」)]?$/

/** A message as a whole sentence: it begins with a capital and ends with a full stop, the one of its script. */
export function sentence(text: string): string {
  const said = text.trim()
  if (said === '') return ''
  const stop = ended.test(said) ? '' : chinese.test(said) ? '。' : '.'
  return (named.test(said) ? said : said.charAt(0).toUpperCase() + said.slice(1)) + stop
}
