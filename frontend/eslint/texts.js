/* The texts that a source file of the page has in the catalogue: those of t`…` and the nouns of plural(n, '…'). */

import { parse as parseSvelte } from 'svelte/compiler'
import ts from 'typescript-eslint'

/** The key of a template in the catalogue: its text with {0}, {1} for its fields. */
const keyOf = (quasi) => quasi.quasis.map((part, n) => (n ? `{${n - 1}}` : '') + part.value.cooked).join('')

const text = (node) => (node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined)

function visit(node, found) {
  if (Array.isArray(node)) {
    for (const one of node) visit(one, found)
    return
  }
  if (typeof node !== 'object' || node === null) return
  if (node.type === 'TaggedTemplateExpression' && node.tag.name === 't') found.add(keyOf(node.quasi))
  if (node.type === 'CallExpression' && node.callee.name === 'plural') {
    const one = text(node.arguments[1])
    if (one !== undefined) found.add(`{0} ${one}|{0} ${text(node.arguments[2]) ?? `${one}s`}`)
  }
  for (const [name, child] of Object.entries(node)) if (name !== 'parent' && name !== 'loc') visit(child, found)
}

/** The keys of a file, by its name and text. */
export function textsOf(filename, source) {
  const found = new Set()
  if (filename.endsWith('.svelte')) {
    const { html, fragment, instance, module } = parseSvelte(source, { modern: true, filename })
    visit([html, fragment, instance, module], found)
  } else visit(ts.parser.parseForESLint(source, { filePath: filename, range: true }).ast, found)
  return found
}
