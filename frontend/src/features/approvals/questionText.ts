import type { approval } from '$lib/backend/backend'
import { ofProgram } from '$lib/language/program'

/* The question of an MCP server arrives in the program's own English frame: "The MCP server demo
   asks:", the server's text as a quote, and the answers that the program offers. */
const frame = /^The MCP server /

/** The text of a question, its frame in the language of the page; texts of agents and servers stay as they are. */
export function questionText(q: approval.Question): string {
  if (!frame.test(q.text)) return q.text
  return q.text
    .split('\n\n')
    .map((part) => (part.startsWith('>') ? part : ofProgram(part)))
    .join('\n\n')
}

/** The label of a choice of a question; the answer is the choice itself. */
export const choiceText = (q: approval.Question, choice: string): string => (frame.test(q.text) ? ofProgram(choice) : choice)
