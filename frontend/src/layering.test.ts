import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'

/* Who may import whom: lib/ui only lib/format, lib/language and, in tests, lib/testing, only lib/backend wailsjs, a
   feature lib/* and itself. The files that compose features (App, app.svelte.ts,
   main.ts, shell/) may import all of them, and none imports these files. */

/** The names that a module imports, in any form. */
export function importsOf(source: string): string[] {
  const found: string[] = []
  const pattern = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+|@import\s+(?:url\()?)(['"`])([^'"`\n]+)\1/g
  for (const match of source.matchAll(pattern)) found.push(match[2]!)
  return found
}

/** The target of one of our imports, relative to the frontend folder; null for a package. */
export function target(file: string, name: string): string | null {
  const bare = name.replace(/\?.*$/, '')
  if (bare.startsWith('$lib/')) return posix.join('src/lib', bare.slice(5))
  if (bare.startsWith('$wails/')) return posix.join('wailsjs', bare.slice(7))
  if (bare.startsWith('.')) return posix.join(posix.dirname(file), bare)
  return /wailsjs/.test(bare) ? 'wailsjs' : null
}

/** The problem of an import, or null. */
export function violation(file: string, name: string): string | null {
  const to = target(file, name)
  if (to === null) return null
  const inside = (folder: string, path: string) => path === folder || path.startsWith(folder + '/')
  if (inside('wailsjs', to) && !inside('src/lib/backend', file)) return 'only lib/backend imports wailsjs'
  if (inside('src/lib/ui', file) && !['ui', 'format', 'language', 'testing'].some((part) => inside(`src/lib/${part}`, to)))
    return 'lib/ui imports lib/format, lib/language and, in tests, lib/testing alone'
  if (inside('src/lib', file) && !inside('src/lib', to) && !inside('wailsjs', to)) return 'lib imports lib alone'
  const feature = /^src\/features\/([^/]+)/.exec(file)?.[1]
  if (feature && !inside('src/lib', to) && !inside(`src/features/${feature}`, to)) return 'a feature imports lib/* and itself alone'
  return null
}

const modules = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((f) => 'src/' + f.replaceAll('\\', '/'))
  .filter((f) => /\.(ts|svelte|css)$/.test(f))

describe('layering', () => {
  test('no module has a forbidden import', () => {
    expect(modules.length).toBeGreaterThan(5)
    const wrong = modules.flatMap((file) =>
      importsOf(readFileSync(file, 'utf8')).flatMap((name) => {
        const why = violation(file, name)
        return why && file !== 'src/layering.test.ts' ? [`${file} imports ${name}: ${why}`] : []
      }),
    )
    expect(wrong).toEqual([])
  })

  test.each([
    ['src/lib/ui/Button.svelte', "import { Backend } from '../backend/backend'"],
    ['src/lib/ui/Button.svelte', "import type { Fault } from '$lib/backend/fault'"],
    ['src/lib/ui/Button.svelte', "const m = await import('../../app.svelte')"],
    ['src/features/agents/Tree.svelte', "import { settings } from '../../../wailsjs/go/models'"],
    ['src/features/agents/Tree.svelte', "import '../settings/x.css'"],
    ['src/features/agents/tree.ts', "export { y } from '../notebook/notebook.svelte'"],
    ['src/features/agents/tree.ts', "import { app } from '../../app.svelte'"],
    ['src/lib/backend/backend.ts', "import { X } from '../../features/agents/tree'"],
    ['src/App.svelte', "import * as runtime from '$wails/runtime/runtime'"],
  ])('a planted violation in %s is found: %s', (file, source) => {
    const names = importsOf(source)
    expect(names).toHaveLength(1)
    expect(violation(file, names[0]!)).not.toBeNull()
  })

  test.each([
    ['src/features/agents/tree.ts', "import { Fault } from '$lib/backend/fault'"],
    ['src/features/agents/Tree.svelte', "import Dot from '../../lib/ui/Dot.svelte'"],
    ['src/lib/backend/backend.ts', "import * as bound from '$wails/go/main/App'"],
    ['src/app.svelte.ts', "import { AgentsState } from './features/agents/agents.svelte'"],
    ['src/lib/ui/Diff.svelte', "import { count } from '$lib/format/number'"],
    ['src/lib/ui/Icon.svelte', "import X from '@lucide/svelte/icons/x'"],
  ])('what is allowed in %s stays allowed: %s', (file, source) => {
    expect(importsOf(source).map((name) => violation(file, name))).toEqual([null])
  })

  test('tooltips are our own: no element has a title', () => {
    const wrong = modules
      .filter((f) => f.endsWith('.svelte'))
      .flatMap((file) => {
        const markup = readFileSync(file, 'utf8').replace(/<(script|style)[^]*?<\/\1>/g, '')
        return [...markup.matchAll(/\s(title=(?=["'{])|\{title\}(?=[\s/>]))/g)].flatMap((at) => {
          const element = [...markup.slice(0, at.index).matchAll(/<([A-Za-z][\w.-]*)\b/g)].at(-1)?.[1]
          return element && /^[a-z]/.test(element) ? [`${file}: <${element}>`] : []
        })
      })
    expect(wrong).toEqual([])
  })
})

/** The circles of modules that need each other, as "a -> b -> a"; imports lists the imports of each module. */
export function cycles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: string[]) => {
    const at = path.indexOf(file)
    if (at >= 0) return void found.push([...path.slice(at), file].join(' -> '))
    if (done.has(file)) return
    for (const to of imports.get(file) ?? []) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
  return found
}

describe('cycles', () => {
  test('no module depends on itself through others, not even for types', () => {
    const own = modules.filter((f) => /\.(ts|svelte)$/.test(f) && !/\.(test|bench)\.ts$/.test(f))
    const known = new Set(own)
    const found = (path: string) => [path, `${path}.ts`, `${path}.svelte.ts`].find((f) => known.has(f))
    const imports = new Map(
      own.map((file) => [
        file,
        importsOf(readFileSync(file, 'utf8')).flatMap((name) => {
          const to = target(file, name)
          return (to !== null && found(to)) || []
        }),
      ]),
    )
    expect([...imports.values()].flat().length).toBeGreaterThan(500)
    expect(cycles(imports)).toEqual([])
  })

  test('a planted circle is found', () => {
    const imports = (...pairs: [string, string[]][]) => cycles(new Map(pairs))
    expect(imports(['a', ['b']], ['b', ['c']], ['c', ['b']])).toEqual(['b -> c -> b'])
    expect(imports(['a', ['a']])).toEqual(['a -> a'])
    expect(imports(['a', ['b', 'c']], ['b', ['c']], ['c', []])).toEqual([])
  })
})

test('every field and checkbox is a part of lib/ui', () => {
  const raw = modules.filter(
    (f) => f.endsWith('.svelte') && !f.startsWith('src/lib/ui/') && /<(input|textarea|select)\b/.test(readFileSync(f, 'utf8')),
  )
  // The value of a macro is edited in its row, without a box.
  expect(raw).toEqual(['src/features/context/Macros.svelte'])
})

test('only lib/format turns numbers into text', () => {
  const wrong = modules.filter(
    (f) =>
      !f.startsWith('src/lib/format/') &&
      !/\.(test|bench)\.ts$|\.css$/.test(f) &&
      /\.(toLocaleString|toFixed|toPrecision)\(|Intl\.NumberFormat/.test(readFileSync(f, 'utf8')),
  )
  expect(wrong).toEqual([])
})

test('no file is too long', () => {
  const long = modules.filter((file) => readFileSync(file, 'utf8').split('\n').length > 500)
  expect(long, 'more than 500 lines').toEqual([])
})
