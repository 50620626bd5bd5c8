/** A part of a summary: a heading and its Markdown. */
export interface SummarySection {
  name: string
  text: string
}

/** The sections that the program writes: they hold the person's words, and are not edited as text. */
export const fixedSections: readonly string[] = ['Your words', 'Pinned']

/** The sections of a summary, as it is sent: "## Goal", then its text. A heading in a block of code begins none. */
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

/** A summary of these sections; empty ones are left out. */
export const summaryOf = (sections: readonly SummarySection[]): string =>
  sections
    .filter(({ text }) => text.trim() !== '')
    .map(({ name, text }) => `## ${name}\n${text.trim()}`)
    .join('\n\n')

/** The lines that are pinned in a summary. */
export const pinnedLines = (summary: string): string[] =>
  (sectionsOf(summary).find((s) => s.name === 'Pinned')?.text ?? '')
    .split('\n')
    .map((line) => line.replace(/^- /, '').trim())
    .filter((line) => line !== '')
