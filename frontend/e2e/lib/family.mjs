// A family of notebooks: one, a branch in it that was put aside, and two forks of it that answered
// the same prompt.

const uuid = (n) => `aaaaaaaa-0000-4000-8000-00000000000${n}`

/** A cell in the file: its prompt, the calls of its answer, and its run. */
function cell(id, prompt, { calls = [], answer, model = 'gpt-5.1', seconds = 60, input = 9000, cached = 0, output = 900 } = {}) {
  const began = new Date(Date.now() - 12 * 60_000 - seconds * 1000).toISOString()
  const usage = { input, cached, output }
  return [
    {
      role: 'user',
      content: prompt,
      metadata: {
        cell_id: id,
        run: { started_at: began, took_ms: seconds * 1000, model, outcome: 'done', usage, requests: calls.length + 1 },
      },
    },
    ...calls.flatMap(([name, args, result, bad], i) => [
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: `${id}-${i}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
      },
      {
        role: 'tool',
        tool_call_id: `${id}-${i}`,
        content: result,
        metadata: { ...(bad ? { is_error: true } : {}), ...(name === 'shell' ? {} : { facts: { added: 4, removed: 2 } }) },
      },
    ]),
    { role: 'assistant', content: answer },
  ]
}

const asked =
  'Make the TTL a `time.Duration` everywhere and prove with the load test that p99 is back under 240 ms. Leave the public API of pricing as it is.'
const edit = (old, now, uri = 'pricing/cache.go') => ['edit_file', { uri, edits: [{ old, new: now }] }, 'done']
const tests = (output, bad = false) => ['shell', { command: 'go run ./loadtest' }, output, bad]
const start = [
  ...cell('c1', 'Compare the two releases.', { answer: 'The cache misses more.', seconds: 20 }),
  ...cell('c2', 'Profile the hot path.', { calls: [tests('109 passed\n')], answer: 'Most time goes into `NewCache`.', seconds: 40 }),
]
const text = (number, name, cells, more = {}) =>
  JSON.stringify({
    metadata: { uuid: uuid(number), name, created_at: `2026-01-0${number}T03:04:05Z`, agentType: 'default', allowed_uris: ['.'], ...more },
    context: cells,
  })
const forked = { mutsumi_forked_from: { uuid: uuid(1), cell: 'c2', messages: 7, at: '2026-01-02T00:00:00Z' } }

/** The files of the family; the forks are “Cell 3 by claude” and “Cell 3 by qwen”. */
export const familyFiles = {
  'main.mtm': text(1, 'Checkout latency regression', [
    ...start,
    ...cell('c3', asked, {
      calls: [
        edit('c := &Cache{ttl: 60}\n', 'c := &Cache{ttl: defaultTTL}\nc.clock = time.Now\n'),
        edit('ttl int64', 'ttl time.Duration', 'pricing/cart.go'),
        tests('112 passed\n'),
      ],
      answer:
        'Both types are durations now and a bare number no longer compiles. `NewCache` keeps its signature. The load test gives p99 231 ms at 900 rps, three times in a row.',
      seconds: 252,
      input: 96_400,
      cached: 78_000,
    }),
    ...cell('c4', 'Run the load test three times', { answer: '231, 229 and 230 ms.', seconds: 30, input: 12_000 }),
  ]),
  'claude.mtm': text(
    2,
    'Cell 3 by claude',
    [
      ...start,
      ...cell('d3', asked, {
        model: 'claude-sonnet-5',
        calls: [
          edit('c := &Cache{ttl: 60}\n', 'c := &Cache{clock: systemClock{}}\nc.ttl, c.grace = ttl, 2*time.Second\n'),
          edit('int64', 'time.Duration', 'pricing/cart.go'),
          edit('seconds', 'ttl', 'fx/rates.go'),
          tests('118 passed\n'),
        ],
        answer:
          'The TTL is a duration. I also moved the clock into the cache so that tests need no sleep, and found that `fx/rates.go` read its number from the environment. p99 is 226 ms.',
        seconds: 407,
        input: 214_000,
        cached: 199_000,
      }),
      ...cell('d4', 'fx/rates.go reads seconds', { model: 'claude-sonnet-5', answer: 'Mended.', seconds: 12, input: 900 }),
    ],
    forked,
  ),
  'qwen.mtm': text(
    3,
    'Cell 3 by qwen',
    [
      ...start,
      ...cell('e3', asked, {
        model: 'qwen3-coder-30b',
        calls: [
          edit('c := &Cache{ttl: 60}\n', 'c := &Cache{ttl: int64(\n    defaultTTL / time.Second)}\n'),
          tests('--- FAIL: TestGrace (0.01s)\n--- PASS: TestA (0.01s)\nFAIL\nFAIL\tpricing\t0.4s\n', true),
        ],
        answer: 'I changed the two callers in `cart.go` and kept `int64` inside the cache, multiplied by `time.Second`.',
        seconds: 543,
        input: 131_000,
      }),
    ],
    forked,
  ),
}
