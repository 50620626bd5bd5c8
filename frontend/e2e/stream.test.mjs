// Agents that stream at once: every token arrives, on the disk and on the
// page, every event once and in its order, and the page does not grow with the
// text. How smoothly is measured by `make bench`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentsInBrowser } from '../../bench/agents.mjs'
import { elementsWhileStreaming, streamInBrowser } from '../../bench/stream.mjs'
import { touchedByTokens } from '../../bench/touched.mjs'

test('eight notebooks stream at once and nothing is lost', { timeout: 300_000 }, async () => {
  const result = await streamInBrowser({ notebooks: 8, perSecond: 200, seconds: 4 })
  assert.equal(result.missing, '')
  assert.equal(result.tokens, 8 * 200 * 4)
  assert.equal(result.unseen, '')
})

/**
 * Follows the events of the program beside the page. What it gives, once the
 * agents are done, is what is wrong with them: numbers that do not follow each
 * other, and text that is not what was sent in the order in which it was sent.
 */
async function follow(app) {
  const { seq } = await app.call('Snapshot')
  const connection = new AbortController()
  const response = await fetch(`${app.server.origin}/api/events?since=${seq}`, {
    headers: await app.server.headers(),
    signal: connection.signal,
  })
  assert.equal(response.status, 200)
  const wrong = []
  const text = new Map() // by file
  let last = seq
  let finished = 0
  const take = ({ seq, type, data }) => {
    if (type === 'heartbeat') return
    if (seq !== last + 1) wrong.push(`${type} ${seq} follows ${last}`)
    last = seq
    if (type === 'delta') text.set(data.path, (text.get(data.path) ?? '') + (data.text ?? ''))
    if (type === 'runFinished') finished++
  }
  const reading = (async () => {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop()
      for (const line of lines) if (line.trim()) take(JSON.parse(line))
    }
  })().catch((err) => err.name === 'AbortError' || wrong.push(String(err)))
  return async (list, sent) => {
    const now = (await app.call('Snapshot')).seq
    await app.until(() => last >= now, 'the last event')
    connection.abort()
    await reading
    for (const { file, prompt } of list)
      if (text.get(file) !== sent[prompt].text.join('')) wrong.push(`the deltas of ${file} are not what was sent`)
    return { wrong, finished }
  }
}

test('twenty agents stream at once, nothing is lost and events come in order', { timeout: 300_000 }, async () => {
  const result = await agentsInBrowser({ agents: 20, perSecond: 60, seconds: 5, listen: follow })
  assert.equal(result.missing, '')
  assert.equal(result.tokens, 20 * 60 * 5)
  assert.equal(result.unseen, '')
  assert.deepEqual(result.heard, { wrong: [], finished: 21 })
})

for (const [what, answerSeconds] of [
  ['a long answer', undefined],
  ['the steps of an agent', 0.12],
]) {
  test(`the page does not grow with ${what}`, { timeout: 300_000 }, async () => {
    const looks = await elementsWhileStreaming({ perSecond: 2000, seconds: 8, answerSeconds })
    const end = looks.at(-1)[0]
    assert.ok(end > 6_000, `only ${end} tokens were sent`)
    const most = (from, to) =>
      Math.max(...looks.filter(([tokens]) => tokens >= from * end && tokens <= to * end).map(([, elements]) => elements))
    const [early, late] = [most(0.15, 0.4), most(0.75, 1)]
    assert.ok(early > 20, `${early} elements`)
    // In proportion to the text it would be nearly three times as many.
    assert.ok(late < 1.8 * early + 50, `${early} elements early on, ${late} at the end: ${JSON.stringify(looks)}`)
  })
}

test(
  'a token that arrives changes its answer and the places of what is below, however many cells are above',
  { timeout: 300_000 },
  async () => {
    const seconds = 4
    const perSecond = 400
    const [few, many] = [
      await touchedByTokens({ cells: 20, seconds, perSecond }),
      await touchedByTokens({ cells: 2000, seconds, perSecond }),
    ]
    for (const touched of [few, many]) {
      assert.ok(touched.answer > 40, `${touched.answer} changes of the answer`)
      // Once a second the window shows how long it has been running: in its title, the row of the agent and the cell.
      const elsewhere = Object.values(touched.elsewhere).reduce((sum, n) => sum + n, 0)
      assert.ok(elsewhere < 6 * (seconds + 2), `what else changed: ${JSON.stringify(touched.elsewhere)}`)
      // One for the text, one for the place where it ends: deltas come 40 times a second at most.
      assert.ok(touched.layouts < 3 * 40 * seconds, `${touched.layouts} layouts`)
    }
    for (const what of ['layouts', 'answer'])
      assert.ok(
        many[what] / many.frames < (2 * few[what]) / few.frames + 0.5,
        `${what}: ${few[what]} in ${few.frames} frames below 20 cells, ${many[what]} in ${many.frames} below 2,000`,
      )
  },
)

test('an idle notebook is unaffected by a streaming one', { timeout: 300_000 }, async () => {
  const { answer, beside } = await touchedByTokens({ cells: 20, seconds: 3, perSecond: 400, beside: true })
  assert.ok(answer > 30, `${answer} changes of the answer`)
  assert.equal(beside, 0)
})
