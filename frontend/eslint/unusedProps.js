/* Reports the properties that a component's type of props has and the component
   never takes. It reads the component's own file alone: the rule of the Svelte
   plugin needs the types of the whole program, which doubles the time. */

/** The members of a type: written in place, or an interface or alias of the same file. */
function membersOf(type, program) {
  if (type?.type === 'TSTypeLiteral') return type.members
  if (type?.type !== 'TSTypeReference') return []
  for (const statement of scripts(program)) {
    const found = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (found?.id?.name !== type.typeName.name) continue
    if (found.type === 'TSInterfaceDeclaration') return found.body.body
    if (found.type === 'TSTypeAliasDeclaration') return membersOf(found.typeAnnotation, program)
  }
  return []
}

/** The statements of a component's scripts. */
const scripts = (program) => program.body.flatMap((node) => (node.type === 'SvelteScriptElement' ? node.body : [node]))

export default {
  meta: { type: 'problem', schema: [], messages: { unused: 'Nothing in this component takes the property "{{name}}".' } },
  create(context) {
    return {
      VariableDeclarator({ id, init }) {
        if (init?.type !== 'CallExpression' || init.callee.name !== '$props' || id.type !== 'ObjectPattern') return
        if (id.properties.some((p) => p.type === 'RestElement')) return
        const taken = new Set(id.properties.map((p) => p.key.name ?? p.key.value))
        for (const member of membersOf(id.typeAnnotation?.typeAnnotation, context.sourceCode.ast)) {
          const name = member.key?.name ?? member.key?.value
          if (name && !taken.has(name)) context.report({ node: member, messageId: 'unused', data: { name } })
        }
      },
    }
  },
}
