import { describe, expect, test } from 'vitest'
import type { BackendEvent } from '$lib/backend/backend'
import { changedMs, filesAfter, filesMs, requestAfter, typedMs } from './refreshDelays'

const e = (type: BackendEvent['type'], data: object = { path: 'a' }) => ({ seq: 1, type, data }) as unknown as BackendEvent
const message = (role: string, path = 'a') => e('messagePut', { path, message: { role } })

describe('the next request is fetched again', () => {
  test.each([
    [e('contextChanged'), changedMs],
    [e('contextChanged', { path: '' }), changedMs],
    [e('trustChanged', {}), changedMs],
    [e('settingsChanged', {}), changedMs],
    [e('runStarted'), changedMs],
    [e('runFinished'), changedMs],
    [e('notebookReloaded'), changedMs],
    [e('cellsSpliced'), typedMs],
    [e('delta'), undefined],
    [message('tool'), undefined],
    [e('treeChanged', { nodes: [], removed: [] }), undefined],
  ])('after %j: %s ms', (event, want) => expect(requestAfter(event, 'a')).toBe(want))
  test.each(['contextChanged', 'runStarted', 'runFinished', 'notebookReloaded', 'cellsSpliced'] as const)(
    'not after %s of another notebook',
    (type) => expect(requestAfter(e(type), 'b')).toBeUndefined(),
  )
})

describe('files are read again', () => {
  test.each([
    [e('filesChanged'), filesMs],
    [e('notebookReloaded'), filesMs],
    [e('runFinished'), filesMs],
    [message('tool'), 600],
    [message('assistant'), undefined],
    [e('delta'), undefined],
    [e('contextChanged'), undefined],
  ])('after %j: %s', (event, want) => expect(filesAfter(event, 'a', 600)).toBe(want))
  test.each([e('filesChanged'), e('notebookReloaded'), e('runFinished'), message('tool')])('not after %j of another notebook', (event) =>
    expect(filesAfter(event, 'b', 600)).toBeUndefined(),
  )
})
