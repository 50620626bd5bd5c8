import type { approval } from '$lib/backend/backend'
import { ofProgram } from '$lib/language/program'

/* What an MCP server asks comes in a frame of the program's words, in English: "The MCP server demo
   asks:", the server's words as a quote, and what the program offers as an answer. */
const frame = /^The MCP server /

/** The text of a question, its frame in the language of the page; what agents and servers say stays as it is. */
export function questionText(q: approval.Question): string {
  if (!frame.test(q.text)) return q.text
  return q.text
    .split('\n\n')
    .map((part) => (part.startsWith('>') ? part : ofProgram(part)))
    .join('\n\n')
}

/** How a choice of a question reads; the answer is the choice itself. */
export const choiceText = (q: approval.Question, choice: string): string => (frame.test(q.text) ? ofProgram(choice) : choice)
