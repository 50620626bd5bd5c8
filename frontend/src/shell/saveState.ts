import { t } from '$lib/language/language'

/** Whether a notebook is saved on disk. */
export interface SaveState {
  kind: 'saved' | 'saving' | 'typing' | 'failed'
  text: string
}

/** The status bar's text about a notebook's file; undefined for a read-only one. */
export function saveState(notebook: {
  status: string
  typing: boolean
  doc: { dirty: boolean }
  saveFault?: { message: string }
}): SaveState | undefined {
  if (notebook.saveFault) return { kind: 'failed', text: t`Could not save: ${notebook.saveFault.message}` }
  if (notebook.status !== 'ready') return undefined
  if (notebook.typing) return { kind: 'typing', text: t`Typing…` }
  return notebook.doc.dirty ? { kind: 'saving', text: t`Saving…` } : { kind: 'saved', text: t`Saved` }
}
