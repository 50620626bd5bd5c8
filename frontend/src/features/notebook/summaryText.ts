/** A part of a summary: a heading and its Markdown. */
export interface SummarySection {
  name: string
  text: string
}

/** Sections that the program writes: they hold the person's words, and are not edited as text. */
export const fixedSections: readonly string[] = ['Your words', 'Pinned']

/** The sections of a sent summary: "## Goal", then its text. A heading in a code block does not begin one. */
export function sectionsOf(summary: string): SummarySection[] {
  const sections: SummarySection[] = []
  let fenced = false
  for (const line of summary.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced
    const name = !fenced && line.startsWith('## ') ? line.slice(3).trim() : undefined
    if (name !== undefined) sections.push({ name, text: '' })
    else if (sections.length > 0) sections.at(-1)!.text += `${line}\n`
    else if (line.trim() !== '') sections.push({ name: 'Goal', text: `${line}\n` })
  }
  return sections.map(({ name, text }) => ({ name, text: text.trim() }))
}

/** The summary made of these sections, without empty ones. */
export const summaryOf = (sections: readonly SummarySection[]): string =>
  sections
    .filter(({ text }) => text.trim() !== '')
    .map(({ name, text }) => `## ${name}\n${text.trim()}`)
    .join('\n\n')

/** The pinned lines of a summary. */
export const pinnedLines = (summary: string): string[] =>
  (sectionsOf(summary).find((s) => s.name === 'Pinned')?.text ?? '')
    .split('\n')
    .map((line) => line.replace(/^- /, '').trim())
    .filter((line) => line !== '')
