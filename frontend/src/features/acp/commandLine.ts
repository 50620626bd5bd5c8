/* A command line and variables as a person types them. */

/**
 * The words of a command line: quotes keep spaces, and a backslash keeps the quote, space or
 * backslash after it. undefined: a quote has no end.
 */
export function wordsOf(line: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!
    const next = line[i + 1] ?? ''
    if (quote) {
      if (c === quote) quote = ''
      else if (c === '\\' && quote === '"' && /["\\]/.test(next)) word = (word ?? '') + line[++i]!
      else word = (word ?? '') + c
    } else if (c === '"' || c === "'") {
      quote = c
      word ??= ''
    } else if (c === '\\' && /["'\s\\]/.test(next)) word = (word ?? '') + line[++i]!
    else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + c
  }
  if (quote) return undefined
  return word === undefined ? words : [...words, word]
}

/** The variables of lines NAME=value; undefined: a line is none. */
export function variablesOf(text: string): Record<string, string> | undefined {
  const env: Record<string, string> = {}
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const at = line.indexOf('=')
    const name = line.slice(0, at).trim()
    if (at < 0 || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return undefined
    env[name] = line.slice(at + 1)
  }
  return env
}
