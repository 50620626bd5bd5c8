/* The texts that a source file of the page has in the catalogue: those of t`…` and the nouns of plural(n, '…'). */

import { parse as parseSvelte } from 'svelte/compiler'
import ts from 'typescript-eslint'

/** The key of a template in the catalogue: its text with {0}, {1} for its fields. */
const keyOf = (quasi) => quasi.quasis.map((part, n) => (n ? `{${n - 1}}` : '') + part.value.cooked).join('')

const text = (node) => (node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined)

/** The texts that an expression can be, as far as they are written in it. */
function written(node) {
  switch (node.type) {
    case 'ConditionalExpression':
      return [...written(node.consequent), ...written(node.alternate)]
    case 'LogicalExpression':
    case 'BinaryExpression':
      return node.operator === '+' || node.type === 'LogicalExpression' ? [...written(node.left), ...written(node.right)] : []
    case 'TemplateLiteral':
      return node.quasis.map((part) => part.value.cooked)
    default:
      return [text(node) ?? '']
  }
}

/** Adds the texts of a template that is in the catalogue: its key, and the English words written in its fields. */
function template({ quasis, expressions }, found, inFields) {
  const key = keyOf({ quasis })
  found.add(key)
  for (const [n, field] of expressions.entries())
    for (const english of written(field)) if (/[A-Za-z]{2}/.test(english)) inFields.push({ key, field: `{${n}}`, english })
}

function visit(node, found, inFields) {
  if (Array.isArray(node)) {
    for (const one of node) visit(one, found, inFields)
    return
  }
  if (typeof node !== 'object' || node === null) return
  if (node.type === 'TaggedTemplateExpression' && node.tag.name === 't') template(node.quasi, found, inFields)
  if (node.type === 'CallExpression' && node.callee.name === 'plural') {
    const one = text(node.arguments[1])
    if (one !== undefined) found.add(`{0} ${one}|{0} ${text(node.arguments[2]) ?? `${one}s`}`)
  }
  for (const [name, child] of Object.entries(node)) if (name !== 'parent' && name !== 'loc') visit(child, found, inFields)
}

/** The keys of a file, by its name and text. English words that are written in fields are added to inFields. */
export function textsOf(filename, source, inFields = []) {
  const found = new Set()
  if (filename.endsWith('.svelte')) {
    const { html, fragment, instance, module } = parseSvelte(source, { modern: true, filename })
    visit([html, fragment, instance, module], found, inFields)
  } else visit(ts.parser.parseForESLint(source, { filePath: filename, range: true }).ast, found, inFields)
  return found
}
