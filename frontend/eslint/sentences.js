/* Reports the sentences that are not in the catalogue: text of the markup,
   attributes that a person reads or hears, strings of scripts that look like a
   sentence, single words in the place of a sentence, and nouns of plural() that
   are no literals. A sentence is written as t`Close ${name}` (lib/language). */

/** Attributes of elements that a person reads or hears. */
const spoken = /^(data-tip|tip|title|placeholder|alt|label|aria-(label|description|roledescription|valuetext|placeholder))$/

/** Attributes whose strings are never shown. */
const silent =
  /^(class|style|id|href|src|role|type|name|key|kind|size|variant|icon|side|align|placement|d|points|viewBox|transform|data-(?!tip$).*|on.*|bind.*|aria-(?!label|description|roledescription|valuetext|placeholder).*)$/

/** Calls whose strings are names, not sentences. */
const naming =
  /^(addEventListener|attrSet|removeEventListener|querySelector(All)?|closest|matches|getItem|setItem|removeItem|(get|set|remove|has|toggle)Attribute|getPropertyValue|setProperty|createElement(NS)?|getContext|startsWith|endsWith|includes|indexOf|split|join|replace(All)?|has|get|delete|plural|matchMedia|require|supports|animate|observe|postMessage|execCommand|test|exec)$/

/* Paths, styles, addresses, markup and lists of classes. */
const code =
  /(^|\s)[-\w.#]*(var\(|calc\(|rgba?\(|translate|scale\()|[\d}](px|rem|em)\b|[{}<>=|\\]|;(\S|$)|^[#.[]|^https?:|^data:|^\S*\/\S*$|^\S+\.\S+$|^[\w-]+ \w+-[\w-]+$|currentColor|\dfr\b|&&/

/* Keys as they are written: "Ctrl+Enter", "Esc Esc"; names of events, calls and headers. */
const keys =
  /^((Ctrl|Alt|Shift|Cmd|Esc|Del|Enter|Escape|Tab|Home|End|Delete|Backspace|Control|Meta|Process|Space|Page\w*|Arrow\w*|Key[A-Z]|Digit\d?|F\d+)([+ −-].*)?|Mod-.*|\p{Lu}\p{Ll}+\p{Lu}\w*|[A-Z_]+|Bearer.*)$/u

/** Whether a text without its fields reads like words for a person. */
function isSentence(text) {
  const words = text.replace(/\{\d+\}/g, ' ').trim()
  if (!/\p{L}{2}/u.test(words) || code.test(words) || keys.test(words)) return false
  return /^\P{L}*\p{Lu}\p{Ll}/u.test(words) || /\p{L}\s+\p{L}/u.test(words) || (/\{\d+\}/.test(text) && /\s\p{L}{2}|\p{L}{2}\s/u.test(text))
}

const isText = (node) => node?.type === 'TaggedTemplateExpression' && node.tag.name === 't'

/** The values that an expression can have, as far as it chooses between them. */
const choices = (node) =>
  node?.type === 'ConditionalExpression'
    ? [...choices(node.consequent), ...choices(node.alternate)]
    : node?.type === 'LogicalExpression'
      ? choices(node.right)
      : [node]

/** The expressions that a function returns. */
function returned(fn) {
  if (fn.body.type !== 'BlockStatement') return choices(fn.body)
  const found = []
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node?.type !== 'string' || /Function/.test(node.type)) return
    if (node.type === 'ReturnStatement') found.push(...choices(node.argument))
    for (const [name, child] of Object.entries(node)) if (name !== 'parent' && typeof child === 'object' && child) visit(child)
  }
  visit(fn.body)
  return found
}

/** Whether a single word is in a place that texts of the catalogue have: a label, or beside one that is chosen instead. */
function isInPlaceOfText(node) {
  const at = place(node)
  const { parent } = at
  if (at !== node && choices(at).some(isText)) return true
  if (parent.type === 'Property' && /^(label|title|tip|note|detail|aside)$/.test(parent.key.name)) return true
  if (parent.type === 'Property' && parent.key.name === 'name' && parent.parent.parent.type === 'ArrayExpression') return true
  if (parent.type === 'Property' && parent.value === at) {
    const holder = parent.parent.parent
    const type = holder.type === 'VariableDeclarator' ? holder.id.typeAnnotation?.typeAnnotation : undefined
    if (!/^(Record|Partial|Readonly)$/.test(type?.typeName?.name ?? '')) return false
    return parent.parent.properties.some((p) => choices(p.value).some(isText))
  }
  let fn = parent
  if (parent.type === 'ReturnStatement') while (fn && !/Function/.test(fn.type)) fn = fn.parent
  return Boolean(fn && /Function/.test(fn.type) && fn.params && returned(fn).some(isText))
}

const escape = (text) => text.replace(/[\\`]|\$\{/g, '\\$&')
const keyOf = (quasis) => quasis.map((q, i) => (i ? `{${i - 1}}` : '') + (q.value.cooked ?? '')).join('')

/** The call or attribute that a node of a script is part of, past what only chooses or joins. */
function place(node) {
  let at = node
  while (/^(ConditionalExpression|LogicalExpression|TSAsExpression|TSSatisfiesExpression|ParenthesizedExpression)$/.test(at.parent.type)) {
    if (at.parent.type === 'ConditionalExpression' && at.parent.test === at) break
    at = at.parent
  }
  return at
}

function isName(node) {
  const at = place(node)
  const { parent } = at
  switch (parent.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSLiteralType':
    case 'TSEnumMember':
    case 'TSExternalModuleReference':
    case 'SwitchCase':
    case 'TaggedTemplateExpression':
    case 'ExpressionStatement':
      return true
    case 'Property':
      return (parent.key === at && !parent.computed) || parent.key.name === 'id'
    case 'PropertyDefinition':
      return parent.key === at || parent.key.name === 'name'
    case 'MemberExpression':
      return parent.property === at
    case 'BinaryExpression':
      return /^(===|!==|==|!=|in|instanceof)$/.test(parent.operator)
    case 'NewExpression':
      return /^(\w*Event|RegExp|Worker|URL|CustomEvent|Intl\..*)$/.test(parent.callee.name ?? '') || parent.callee.object?.name === 'Intl'
    case 'CallExpression': {
      const name = parent.callee.property?.name ?? parent.callee.name
      return naming.test(name ?? '') || parent.callee.object?.name === 'console'
    }
    case 'SvelteMustacheTag':
      return parent.parent.type === 'SvelteAttribute' ? silent.test(parent.parent.key.name) : parent.parent.type === 'SvelteStyleDirective'
    case 'SvelteStyleDirective':
    case 'SvelteDirective':
      return true
  }
  return false
}

export default {
  meta: {
    type: 'problem',
    fixable: 'code',
    schema: [],
    messages: {
      noun: 'Pass the noun of plural() as a string: only so it is found for the catalogue.',
      outside: 'Write the sentence "{{text}}" as t`…`, so that it can be translated.',
      notImported: 'Import t from $lib/language/language.',
    },
  },
  create(context) {
    const { sourceCode } = context
    const inSvelte = context.filename.endsWith('.svelte')
    let uses = false

    /** Joined text and expressions of the markup, [text with fields, source of the template]. */
    function template(nodes) {
      let key = ''
      let source = ''
      let n = 0
      for (const node of nodes) {
        if (node.type === 'SvelteText' || node.type === 'SvelteLiteral') {
          const text = node.value.replace(/\s+/g, ' ')
          key += text
          source += escape(text)
        } else {
          key += `{${n++}}`
          source += '${' + sourceCode.getText(node.expression) + '}'
        }
      }
      return [key, source]
    }

    function children(node) {
      let run = []
      const flush = () => {
        const nodes = run
        run = []
        while (nodes.length && nodes[0].type === 'SvelteText' && !nodes[0].value.trim()) nodes.shift()
        while (nodes.length && nodes.at(-1).type === 'SvelteText' && !nodes.at(-1).value.trim()) nodes.pop()
        const words = nodes
          .filter((n) => n.type === 'SvelteText')
          .map((n) => n.value)
          .join(' ')
        if (!/\p{L}{2}|^\s*(of|a|to|in|at|by|on|is)\s*$/u.test(words)) return
        const [key, source] = template(nodes)
        const first = sourceCode.getText(nodes[0])
        const last = sourceCode.getText(nodes.at(-1))
        const lead = nodes[0].type === 'SvelteText' ? /^\s*/.exec(first)[0].length : 0
        const trail = nodes.at(-1).type === 'SvelteText' ? /\s*$/.exec(last)[0].length : 0
        context.report({
          loc: nodes[0].loc,
          messageId: 'outside',
          data: { text: key.trim() },
          fix: (fixer) => fixer.replaceTextRange([nodes[0].range[0] + lead, nodes.at(-1).range[1] - trail], '{t`' + source.trim() + '`}'),
        })
        uses = true
      }
      for (const child of node.children) {
        if (child.type === 'SvelteText' || (child.type === 'SvelteMustacheTag' && child.kind === 'text')) run.push(child)
        else if (child.type !== 'SvelteHTMLComment') flush()
      }
      flush()
    }

    return {
      SvelteElement(node) {
        if (/^(style|script|code|kbd|pre)$/.test(node.name.name)) return
        children(node)
      },
      'SvelteIfBlock, SvelteElseBlock, SvelteEachBlock, SvelteKeyBlock, SvelteAwaitThenBlock, SvelteAwaitCatchBlock, SvelteAwaitPendingBlock, SvelteSnippetBlock'(
        node,
      ) {
        children(node)
      },
      Program(node) {
        if (inSvelte) children({ children: node.body.filter((n) => n.type.startsWith('Svelte')) })
      },
      SvelteAttribute(node) {
        const element = node.parent.parent
        const name = node.key.name
        const component = /^[A-Z]/.test(element.name?.name ?? '')
        if (silent.test(name) || !(spoken.test(name) || component)) return
        const words = node.value
          .filter((v) => v.type === 'SvelteLiteral')
          .map((v) => v.value)
          .join(' ')
        if (!/\p{L}{2}/u.test(words)) return
        if (spoken.test(name) ? code.test(words) || keys.test(words) : !isSentence(words)) return
        const [key, source] = template(node.value)
        context.report({
          node,
          messageId: 'outside',
          data: { text: key },
          fix: (fixer) => fixer.replaceTextRange(node.range, `${name}={t\`${source}\`}`),
        })
        uses = true
      },
      Literal(node) {
        if (typeof node.value !== 'string' || isName(node)) return
        if (!isSentence(node.value) && !(/^[a-z][a-z-]+$/.test(node.value) && isInPlaceOfText(node))) return
        context.report({
          node,
          messageId: 'outside',
          data: { text: node.value },
          fix: (fixer) => fixer.replaceText(node, 't`' + escape(node.value) + '`'),
        })
        uses = true
      },
      CallExpression(node) {
        if (node.callee.name !== 'plural') return
        for (const noun of node.arguments.slice(1, 3)) if (noun.type !== 'Literal') context.report({ node: noun, messageId: 'noun' })
      },
      TemplateLiteral(node) {
        if (isName(node) || !isSentence(keyOf(node.quasis))) return
        context.report({
          node,
          messageId: 'outside',
          data: { text: keyOf(node.quasis) },
          fix: (fixer) => fixer.insertTextBefore(node, 't'),
        })
        uses = true
      },
      TaggedTemplateExpression(node) {
        if (node.tag.name === 't') uses = true
      },
      'Program:exit'(node) {
        if (!uses) return
        const statements = node.body.flatMap((n) => (n.type === 'SvelteScriptElement' ? n.body : [n]))
        const imports = statements.filter((n) => n.type === 'ImportDeclaration')
        const has = imports.some((n) => n.specifiers.some((s) => s.local.name === 't'))
        if (has) return
        const line = "import { t } from '$lib/language/language'\n"
        const script = node.body.find((n) => n.type === 'SvelteScriptElement')
        context.report({
          node,
          loc: { line: 1, column: 0 },
          messageId: 'notImported',
          fix: (fixer) => {
            if (imports.length) return fixer.insertTextAfter(imports.at(-1), '\n' + (inSvelte ? '  ' : '') + line.trimEnd())
            if (inSvelte && script) return fixer.insertTextAfterRange(script.startTag.range, '\n  ' + line.trimEnd())
            if (inSvelte) return fixer.insertTextBeforeRange([0, 0], `<script lang="ts">\n  ${line}</script>\n\n`)
            return fixer.insertTextBeforeRange([0, 0], line + '\n')
          },
        })
      },
    }
  },
}
