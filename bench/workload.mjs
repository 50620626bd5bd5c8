#!/usr/bin/env node
// Makes large notebooks that are the same on every machine, for benchmarks and
// for trying things out by hand.
//
// usage: node bench/workload.mjs FOLDER [MEGABYTES]   writes FOLDER/.mutsumi/large.mtm
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const words = ('alpha beta gamma delta function return value buffer stream token agent notebook context message 上下文 规则 文件 工具 结果 ' +
  'error index array object string number module import method request response window panel garden water bed').split(' ')

/** Numbers in [0, 1) that only depend on the seed. */
export function random(seed) {
  let a = seed >>> 0
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Text of about n characters with a heading, paragraphs, a list and a code block, as answers have. */
export function prose(next, n) {
  const line = (count) => Array.from({ length: count }, () => words[Math.floor(next() * words.length)]).join(' ')
  const blocks = [`## ${line(3)}`]
  let length = 0
  while (length < n) {
    const kind = next()
    const block =
      kind < 0.6 ? `${line(40)}.` : kind < 0.8 ? [1, 2, 3].map(() => `- ${line(6)}`).join('\n') : `\`\`\`go\nfunc ${line(1)}() error {\n\treturn nil // ${line(4)}\n}\n\`\`\``
    blocks.push(block)
    length += block.length + 2
  }
  return blocks.join('\n\n').slice(0, n)
}

/** A notebook of about megabytes: prompts, and answers with reasoning and tools. */
export function largeNotebook(megabytes, folder) {
  const next = random(3)
  const pool = Array.from({ length: 64 }, () => prose(next, 8000))
  const pick = () => pool[Math.floor(next() * pool.length)]
  const context = []
  let bytes = 0
  for (let cell = 0; bytes < megabytes * 1024 * 1024; cell++) {
    context.push({ role: 'user', content: `Question ${cell}: ${pick().slice(0, 400)}` })
    bytes += 500
    for (let call = 0; call < 1 + Math.floor(next() * 4); call++) {
      const id = `call_${cell}_${call}`
      const result = pick()
      context.push({
        role: 'assistant',
        content: pick().slice(0, 1500),
        reasoning_content: pick().slice(0, 500),
        tool_calls: [{ id, type: 'function', function: { name: 'read_file', arguments: JSON.stringify({ uri: `src/file${call}.go` }) } }],
      })
      context.push({ role: 'tool', tool_call_id: id, name: 'read_file', content: result })
      bytes += Buffer.byteLength(result) + 2700
    }
    const answer = pick().slice(0, 2000)
    context.push({ role: 'assistant', content: answer })
    bytes += 2100
  }
  return text('Large notebook', folder, context)
}

/** A notebook of many small cells. */
export function manyCells(cells, folder) {
  const next = random(5)
  const context = []
  for (let i = 0; i < cells; i++) {
    context.push({ role: 'user', content: `Question ${i}: ${prose(next, 120).split('\n')[0]}` })
    context.push({ role: 'assistant', content: `Answer ${i}.\n\n${prose(next, 300)}` })
  }
  return text(`${cells} cells`, folder, context)
}

function text(name, folder, context) {
  const metadata = { uuid: crypto.randomUUID(), name, created_at: '2026-01-02T03:04:05Z', parent_agent_id: null, allowed_uris: [folder] }
  return JSON.stringify({ metadata, context }, null, 2)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = path.resolve(process.argv[2] ?? 'tmp/workload')
  const file = path.join(folder, '.mutsumi', 'large.mtm')
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, largeNotebook(Number(process.argv[3] ?? 50), folder))
  console.log(file, (fs.statSync(file).size / 1048576).toFixed(1), 'MB')
}
