import { describe, expect, test } from 'vitest'
import { Fault } from './fault'

describe('anything thrown becomes a Fault', () => {
  const wire = '{"kind":"provider","code":"keyRejected","message":"The key was rejected."}'

  test('the JSON string that the backend sends', () => {
    expect(Fault.from(wire)).toMatchObject({ kind: 'provider', code: 'keyRejected', message: 'The key was rejected.' })
  })
  test('the same, wrapped in an Error by Wails', () => {
    expect(Fault.from(new Error(wire))).toMatchObject({ kind: 'provider', code: 'keyRejected' })
  })
  test('a sentence with separate fields is joined with them', () => {
    const said = '[{"text":"Could not read {1}: {0}.","fields":[{"sentence":1},{"text":"a"}]},{"text":"no such file"}]'
    expect(Fault.from(`{"kind":"invalid","message":"x","said":${said}}`).message).toBe('Could not read a: no such file.')
    for (const wrong of ['[{"text":1}]', '{}', '[null]', '"a"', '[{"text":"a","fields":{}}]'])
      expect(Fault.from(`{"kind":"invalid","message":"x","said":${wrong}}`).message).toBe('x')
  })
  test('a Fault stays the same object', () => {
    const fault = new Fault('denied', 'no')
    expect(Fault.from(fault)).toBe(fault)
  })
  test('an abort is canceled, not a failure', () => {
    expect(Fault.from(new DOMException('x', 'AbortError')).kind).toBe('canceled')
  })
  test('an unknown kind is internal and keeps its message', () => {
    expect(Fault.from('{"kind":"weather","message":"rain"}')).toMatchObject({ kind: 'internal', message: 'rain' })
  })
  test.each([
    ['plain text', 'plain text'],
    ['{"kind":', '{"kind":'],
    ['{"kind":"invalid"}', '{"kind":"invalid"}'],
    ['{"kind":1,"message":2}', '{"kind":1,"message":2}'],
  ])('%s is shown as it came', (text, message) => {
    expect(Fault.from(text)).toMatchObject({ kind: 'internal', message })
  })
  test('nothing at all still says something', () => {
    expect(Fault.from(undefined).message).not.toBe('')
    expect(Fault.from(null).message).not.toBe('')
  })
})
