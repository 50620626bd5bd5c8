import type { settings } from '$lib/backend/backend'
import { t } from '$lib/language/language'

/** A section of the dialog of settings. */
export type Section = 'models' | 'agents' | 'appearance' | 'shortcuts' | 'images' | 'running' | 'servers' | 'privacy' | 'approvals'

export const sectionNames: Record<Section, string> = {
  models: t`Models`,
  agents: t`Agents`,
  appearance: t`Appearance`,
  shortcuts: t`Keys`,
  images: t`Images`,
  running: t`Running`,
  servers: t`MCP servers`,
  privacy: t`Privacy`,
  approvals: t`Approvals`,
}

/** A setting, as named in the dialog and the palette. */
export interface Setting {
  section: Section
  title: string
  /** Other words that people may search for. */
  words?: string
  /** The preferences that it sets. */
  sets?: readonly (keyof settings.Preferences)[]
}

/** The settings by their section, in the order of the dialog. */
export const settingsList: readonly Setting[] = [
  { section: 'models', title: t`Default model`, words: t`provider`, sets: ['defaultProvider', 'defaultModel'] },
  { section: 'models', title: t`Name agents with`, words: t`title model`, sets: ['titleProvider', 'titleModel'] },
  { section: 'models', title: t`Providers`, words: t`models API keys endpoints prices connect OpenAI Anthropic Ollama` },
  { section: 'agents', title: t`Agents on this computer`, words: t`ACP agent client protocol Claude Code Codex Gemini sign in install` },
  { section: 'appearance', title: t`Theme`, words: t`dark light colours`, sets: ['theme'] },
  { section: 'appearance', title: t`Zoom`, words: t`larger smaller`, sets: ['zoom'] },
  { section: 'appearance', title: t`Size of prose`, words: t`font text`, sets: ['fontSize'] },
  { section: 'appearance', title: t`Size of code`, words: t`font monospace blocks`, sets: ['codeSize'] },
  { section: 'appearance', title: t`Language`, words: t`English Chinese 中文 简体 语言`, sets: ['language'] },
  { section: 'appearance', title: t`Density`, words: t`compact comfortable room spacing`, sets: ['density'] },
  { section: 'appearance', title: t`Font`, words: t`typeface prose window`, sets: ['font'] },
  { section: 'appearance', title: t`Font of code`, words: t`typeface monospace`, sets: ['codeFont'] },
  { section: 'shortcuts', title: t`Keys`, words: t`shortcuts keyboard`, sets: ['keys'] },
  { section: 'images', title: t`Pasted and dropped images`, words: t`folder screenshots`, sets: ['imageFolder'] },
  { section: 'running', title: t`Step limit`, words: t`requests`, sets: ['stepLimit'] },
  { section: 'running', title: t`Long conversations`, words: t`summary compact`, sets: ['compact', 'compactAt'] },
  { section: 'running', title: t`Parallel agents`, words: t`children queue slots`, sets: ['parallelAgents'] },
  { section: 'running', title: t`Variables for commands`, words: t`environment secrets`, sets: ['commandEnv'] },
  { section: 'running', title: t`Notifications`, words: t`quiet`, sets: ['quiet'] },
  { section: 'servers', title: t`MCP servers`, words: t`tools model context protocol mcp.json restart log` },
  { section: 'privacy', title: t`Images from the web`, words: t`remote pictures`, sets: ['remoteImages'] },
  { section: 'privacy', title: t`What was sent`, words: t`history requests forget delete clear` },
  { section: 'approvals', title: t`What agents may do without asking`, words: t`rules permissions allow deny` },
]

/** The settings that match the typed text: each word is in the title, the section or the other words. */
export function found(query: string): Setting[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const has = ({ title, section, words: more }: Setting) => {
    const text = `${title} ${sectionNames[section]} ${more ?? ''}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
  // Titles that begin with it come before titles that contain it.
  const rank = ({ title }: Setting) => (title.toLowerCase().startsWith(words[0]!) ? 0 : title.toLowerCase().includes(words[0]!) ? 1 : 2)
  return settingsList.filter(has).sort((a, b) => rank(a) - rank(b))
}

/** The title of the setting that differs between two versions of the preferences; "" if none does. */
export function changedTitle(a: settings.Preferences, b: settings.Preferences): string {
  const differs = (key: keyof settings.Preferences) => JSON.stringify(a[key]) !== JSON.stringify(b[key])
  return settingsList.find(({ sets }) => sets?.some(differs))?.title ?? ''
}

/** The number of the setting in settingsList that has the focus; -1 if none has. */
export function focusedSetting(): number {
  const heading = document.activeElement?.closest('#settings-panel .row')?.querySelector(':is(h3, label)')
  return heading ? settingsList.findIndex(({ title }) => title === heading.textContent.trim()) : -1
}

const follows = (element: HTMLElement, other: HTMLElement) =>
  Boolean(other.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING)

/** Shows and focuses a setting once its section is drawn. */
export function toSetting(title: string, tries = 60): void {
  requestAnimationFrame(() => {
    const heading = [...document.querySelectorAll<HTMLElement>('#settings-panel :is(h3, label)')].find(
      (h) => h.textContent.trim() === title,
    )
    if (!heading) {
      if (tries > 0) toSetting(title, tries - 1)
      return
    }
    const row = heading.closest<HTMLElement>('.row') ?? heading
    row.scrollIntoView({ block: 'center' })
    const controls = [...document.querySelectorAll<HTMLElement>('#settings-panel :is(button, input, select, textarea):enabled')]
    const own = heading instanceof HTMLLabelElement ? heading.control : controls.find((c) => row.contains(c))
    // The heading of a list is followed by its controls; what cannot be used now is only shown.
    const control = own ?? (row === heading ? controls.find((c) => follows(c, heading)) : undefined) ?? heading
    if (control === heading) heading.tabIndex = -1
    control.focus()
  })
}
