import { expect, test } from 'vitest'
import { pinnedLines, sectionsOf, summaryOf } from './summaryText'

test('a summary is split at its headings and joined again', () => {
  const text = '## Goal\nFast.\n\n## Files\n- `a.go`\n\n```\n## no heading\n```\n\n## Pinned\n- one\n- two'
  const sections = sectionsOf(text)
  expect(sections.map((s) => s.name)).toEqual(['Goal', 'Files', 'Pinned'])
  expect(sections[1]!.text).toContain('## no heading')
  expect(summaryOf(sections)).toBe(text)
  expect(pinnedLines(text)).toEqual(['one', 'two'])
})

test('text without a heading is the goal, and empty parts are left out', () => {
  expect(sectionsOf('Only words.')).toEqual([{ name: 'Goal', text: 'Only words.' }])
  expect(
    summaryOf([
      { name: 'Goal', text: ' ' },
      { name: 'Next', text: '- [ ] a\n' },
    ]),
  ).toBe('## Next\n- [ ] a')
  expect(sectionsOf('')).toEqual([])
})
