import { afterAll, afterEach, expect, test, vi } from 'vitest'
import type { approval } from '$lib/backend/backend'

/** The module as it is with a catalogue. */
async function inChinese() {
  vi.resetModules()
  globalThis.mutsumiCatalogue = {
    language: 'zh-CN',
    texts: {},
    program: {
      'The MCP server {0} asks:': 'MCP 服务器 {0} 询问：',
      'Enter a number.': '请输入数字。',
      'Leave it empty': '留空',
      '{0} is not there': '{0} 不存在',
    },
  }
  return await import('./questionText')
}

afterEach(() => {
  globalThis.mutsumiCatalogue = undefined
})
afterAll(() => {
  vi.resetModules() // the next file gets the module in English
})

const ask = (text: string) => ({ text, choices: [], several: false }) as unknown as approval.Question

test('the frame of a server’s question is in the language of the page, its words are not', async () => {
  const { questionText, choiceText } = await inChinese()
  const q = ask('The MCP server demo asks:\n\n> it is not there\n>\n> How many\n\nEnter a number.')
  expect(questionText(q)).toBe('MCP 服务器 demo 询问：\n\n> it is not there\n>\n> How many\n\n请输入数字。')
  expect(choiceText(q, 'Leave it empty')).toBe('留空')
  expect(choiceText(q, 'left')).toBe('left')
})

test('an agent’s question stays as it is', async () => {
  const { questionText, choiceText } = await inChinese()
  expect(questionText(ask('a.go is not there\n\nEnter a number.'))).toBe('a.go is not there\n\nEnter a number.')
  expect(choiceText(ask('Which?'), 'Leave it empty')).toBe('Leave it empty')
})

test('in one line, the quote of a server’s words has no mark', async () => {
  vi.resetModules()
  const { subjectOf } = await import('./words')
  const request = { question: ask('The MCP server demo asks:\n\n> Which?\n> Now.\n\nName') } as unknown as approval.Request
  expect(subjectOf(request)).toBe('The MCP server demo asks: Which? Now. Name')
})
