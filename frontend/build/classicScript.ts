import { parse, type Node, type Program, type Statement } from 'acorn'
import { analyze } from 'eslint-scope'
import type { Plugin } from 'vite'

/**
 * Makes the page's own file a classic script. A web view parses a module twice before any of it runs,
 * first for its imports and exports, and a classic script once; its variables are found sooner, too.
 * Parts that are loaded later stay modules: they import from a small one in the place of the page's file.
 */
export function classicPage(): Plugin {
  const scriptOf = (module: string) => module.replace(/([\w-]+)\.js$/, 'page-$1.js')
  return {
    name: 'classic-page',
    apply: 'build',
    generateBundle: {
      order: 'post', // before, Vite still writes names of files into the code
      handler(_, bundle) {
        const page = Object.values(bundle).find((chunk) => chunk.type === 'chunk' && chunk.isEntry)
        if (page?.type !== 'chunk') return this.error('The build has no page.')
        const { script, exports } = classicScript(page.code)
        this.emitFile({ type: 'asset', fileName: scriptOf(page.fileName), source: script })
        page.code = exports
      },
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { chunk }) {
        if (!chunk) return // the development server has no bundle
        const [before, after, ...more] = html.split(`<script type="module" crossorigin src="./${chunk.fileName}"></script>`)
        if (after === undefined || more.length) throw new Error('index.html does not load the page once, as a module.')
        return `${before}<script defer src="./${scriptOf(chunk.fileName)}"></script>${after}`
      },
    },
  }
}

/** The variable of the script with what import.meta was, and the function of the window that returns its exports. */
const [meta, shared] = ['pageMeta', 'pageExports']

/**
 * Returns a classic script that does what the code of a module does, and the code of a module that
 * exports the same after that script has run. It throws an Error where the two could differ.
 */
export function classicScript(module: string): { script: string; exports: string } {
  const program = parse(module, { ecmaVersion: 'latest', sourceType: 'module', ranges: true })
  const edits: { from: number; to: number; by: string }[] = []
  const exported: { name: string; local: string }[] = []
  for (const statement of program.body) {
    if (statement.type === 'ExportNamedDeclaration' && !statement.source && !statement.declaration) {
      for (const { exported: name, local } of statement.specifiers) {
        if (name.type !== 'Identifier' || local.type !== 'Identifier') throw unknown(module, statement)
        exported.push({ name: name.name, local: local.name })
      }
      edits.push({ from: statement.start, to: statement.end, by: '' })
    } else if (/^(Im|Ex)port/.test(statement.type)) throw unknown(module, statement)
  }
  // The script's body is a block, in which var would still make, or replace, a variable of the window.
  walk(program, (node) => {
    const { kind } = node as Node & { kind?: string }
    if (node.type === 'VariableDeclaration' && kind === 'var') {
      if (!program.body.includes(node as Statement))
        throw new Error(`A variable of a block would be one of the window: ${around(module, node)}`)
      edits.push({ from: node.start, to: node.start + 'var'.length, by: 'let' })
    }
    return !/Function|StaticBlock/.test(node.type)
  })
  const once: { name: string; within: Node }[] = []
  walk(program, (node) => {
    if (node.type === 'MetaProperty' && module.startsWith('import', node.start)) edits.push({ from: node.start, to: node.end, by: meta })
    const found = firstTimeOnly(node)
    if (found) once.push(found)
    return true
  })
  const writesOf = writes(program)
  for (const { local } of exported)
    for (const write of writesOf(local))
      // `if (a === undefined) a = …` is over once the window is drawn, before other parts are loaded.
      if (!once.some(({ name, within }) => inside(write, within) && writesOf(name).some((w) => inside(w, within))))
        throw new Error(`The page exports ${local}, which changes where other parts would not see it: ${around(module, write)}`)

  const body = edits.sort((a, b) => b.from - a.from).reduce((text, { from, to, by }) => text.slice(0, from) + by + text.slice(to), module)
  const script = `'use strict';{const ${meta}={url:document.currentScript.src};${body}
window.${shared}=()=>({${exported.map(({ name, local }) => `${name}:${local}`).join()}})}
`
  parse(script, {
    ecmaVersion: 'latest',
    sourceType: 'script', // finds await outside of functions, and the like
    onComment(_, __, from) {
      if (/<!--|-->/.test(script.slice(from, from + 4)))
        throw new Error(`A script would begin a comment here: ${around(script, { start: from })}`)
    },
  })
  const names = exported.map(({ name }, i) => ({ name, own: `v${i}` }))
  return {
    script,
    exports: `const{${names.map(({ name, own }) => `${name}:${own}`).join()}}=window.${shared}();
export{${names.map(({ name, own }) => `${own} as ${name}`).join()}};
`,
  }
}

const around = (code: string, { start }: Pick<Node, 'start'>) => code.slice(Math.max(0, start - 60), start + 60)
const unknown = (code: string, statement: Node) =>
  new Error(`The page imports or exports in a way that is not known: ${around(code, statement)}`)
const inside = (node: Node, other: Node) => node.start >= other.start && node.end <= other.end

/** Finds the places where a variable of the module gets a value after its declaration. */
function writes(program: Program): (name: string) => Node[] {
  const scope = analyze(program as never, { ecmaVersion: 2022, sourceType: 'module' }).globalScope?.childScopes[0]
  return (name) =>
    (scope?.set.get(name)?.references ?? []).filter((use) => use.isWrite() && !use.init).map((use) => use.identifier as unknown as Node)
}

/** The variable of `if (name === undefined) …` or `name === undefined && …`, and what is done then. */
function firstTimeOnly(node: Node): { name: string; within: Node } | undefined {
  const { type, operator, test, left, consequent, right } = node as Node & Record<'operator', string> & Record<string, Node>
  const [condition, within] = type === 'IfStatement' ? [test, consequent] : operator === '&&' ? [left, right] : []
  if (condition?.type !== 'BinaryExpression' || !within) return undefined
  const is = condition as Node & { operator: string; left: { name?: string }; right: { name?: string; operator?: string } }
  const undefinedThere = is.operator === '===' && (is.right.operator === 'void' || is.right.name === 'undefined')
  return undefinedThere && is.left.name ? { name: is.left.name, within } : undefined
}

/** Calls see for a node and, where it returns true, for the nodes in it. */
function walk(node: Node, see: (node: Node) => boolean): void {
  if (!see(node)) return
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (typeof child?.type === 'string') walk(child as Node, see)
}
