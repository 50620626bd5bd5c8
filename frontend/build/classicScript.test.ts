import { Script, createContext } from 'node:vm'
import { expect, test } from 'vitest'
import { classicScript } from './classicScript'

/** Runs a module as a classic script in a window, and returns what its parts import, and what it left in the window. */
function run(module: string) {
  const { script, exports } = classicScript(module)
  const window: Record<string, unknown> = { document: { currentScript: { src: 'wails://wails/assets/page.js' } }, URL }
  window.window = window
  const context = createContext(window)
  new Script(script).runInContext(context)
  // As an import would: the names on the left of `as` are those of the module's own variables.
  const [, taken = '', given = ''] = /^const(\{.*\}=.*);\nexport(\{.*\});\n$/.exec(exports) ?? []
  const list = given.replace(/(\w+) as ([\w$]+)/g, '"$2":$1')
  const imported = new Script(`const${taken};(${list})`).runInContext(context) as Record<string, unknown>
  return { imported, window }
}

test('what a module exports is imported from the script', () => {
  const { imported } = run('var a=1;const b=()=>a;let c=class{x=a};function d(){return new c}export{a as t,b as $,d as q};')
  expect(imported.t).toBe(1)
  expect((imported.$ as () => number)()).toBe(1)
  expect((imported.q as () => object)()).toEqual({ x: 1 })
})

test('no variable of the window is made or replaced, whatever a minifier calls its own', () => {
  const { window } = run('var go=1,top=2;let name=3;function runtime(){var self=4;return self}class Wails{}export{go as a};')
  expect(Object.keys(window).sort()).toEqual(['URL', 'document', 'pageExports', 'window'])
})

test('it runs in strict mode, and knows its address', () => {
  const { imported } = run('const a=(function(){return this})(),b=new URL("./x.js",import.meta.url).href;export{a,b};')
  expect(imported).toEqual({ a: undefined, b: 'wails://wails/assets/x.js' })
})

test('an export that changes later is refused, since other parts would see its first value', () => {
  expect(() => classicScript('let a=0;function b(){a=1}export{a as x,b as y};')).toThrow('The page exports a, which changes')
  expect(() => classicScript('let a=0;function b(){a++}export{a};')).toThrow('The page exports a, which changes')
  expect(() => classicScript('let a;function b(c){if(c===void 0){a=1}}export{a};')).toThrow('The page exports a, which changes')
  expect(() => classicScript('let a;function b(){a===void 0||(a=1)}export{a};')).toThrow('The page exports a, which changes')
  expect(() => classicScript('let a;function b(){if(a===void 0){a=1}else a=2}export{a};')).toThrow('The page exports a, which changes')
  // A variable of the same name inside a function is another one.
  expect(() => classicScript('let a=0;function b(a){a=1;return a}export{a,b};')).not.toThrow()
})

test('an export that is set once, when the window is drawn, is what it is set to', () => {
  const { imported } = run('let a,b;function c(){if(a===void 0){a=1,b=2}}c();export{a,b};')
  expect(imported).toEqual({ a: 1, b: 2 })
  expect(run('let a;function c(){a===undefined&&(a=1)}c();export{a};').imported).toEqual({ a: 1 })
})

test.each([
  ['imports', 'import{a}from"./b.js";export{a};'],
  ['another export', 'export const a=1;'],
  ['an export of all', 'export*from"./b.js";'],
  ['a default', 'export default 1;'],
  ['a text as a name', 'const a=1;export{a as "b c"};'],
  ['a variable of a block that would be one of the window', 'const a=1;for(var top of [2]);export{a};'],
  ['await outside of functions', 'const a=await 1;export{a};'],
  ['what begins a comment in scripts alone', 'let a=1,b=2;const c=a<!--b;export{c};'],
])('what a script cannot do is refused: %s', (_, module) => {
  expect(() => classicScript(module)).toThrow()
})
