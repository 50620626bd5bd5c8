import { dollars } from '$lib/format/money'
import { short } from '$lib/format/number'
import type { AppState } from '../app.svelte'
import { answererOf } from '../features/acp/acp.svelte'
import { answers, findChoice, keyMissing, modelName } from '../features/models/choice'
import type { NotebookState } from '../features/notebook/notebook.svelte'
import type { Choice, Step } from '../features/palette/entry'
import type { PageState } from './page.svelte'
import { t } from '$lib/language/language'
import { visible } from '$lib/ui/visible'

/** The palette's step that chooses who answers a notebook: a model, or another agent on this computer. */
export function modelStep(app: AppState, page: PageState, book: NotebookState): Step {
  const view = app.settings.view!
  const meta = book.meta!
  const named = meta.provider || meta.model
  const fallback = findChoice(view, view.default)
  const choices: Choice[] = view.providers.flatMap((p) =>
    p.models.map((m) => ({
      id: `${p.id} ${m.id}`,
      label: modelName(m),
      now: named ? meta.provider === p.id && meta.model === m.id : fallback?.provider.id === p.id && fallback.model?.id === m.id,
      note: p.name,
      columns: [m.contextTokens ? short(m.contextTokens) : '', priceOf(m.inputPrice, m.outputPrice)],
      off: keyMissing(p) ? t`no key: add one in Models` : undefined,
      run: () => void book.intents.setModel({ provider: p.id, model: m.id }),
    })),
  )
  for (const agent of app.acp.here)
    choices.push({
      id: `${answers} ${agent.id}`,
      label: visible(agent.name),
      now: answererOf(meta) === agent.id,
      note: t`an agent on this computer`,
      columns: ['', agent.state === 'ready' ? visible(agent.version) || t`ready` : t`Sign in…`],
      run: () =>
        agent.state === 'ready' ? void book.intents.setModel({ provider: answers, model: agent.id }) : page.openSettings('agents'),
    })
  if (named)
    choices.push({
      id: 'default',
      label: t`Default`,
      note: fallback?.model ? modelName(fallback.model) : '',
      run: () => void book.intents.setModel(null),
    })
  choices.push({ id: 'more', label: t`Add or change models…`, run: () => page.openSettings('models') })
  return {
    crumb: t`Model`,
    search: app.acp.here.length > 0 ? t`Search models and agents` : t`Search models`,
    of: t`for this notebook`,
    columns: ['window', t`in · out, a million`],
    choices,
    about: (choice) => {
      if (choice?.id === 'more') return t`Opens the settings.`
      if (choice?.id.startsWith(`${answers} `))
        return t`It works as you, with its own tools. It starts a new session, with this notebook as text.`
      return t`Holds from the next request on. Another model has no cache of this notebook yet.`
    },
  }
}

function priceOf(input: number, output: number): string {
  return input || output ? `${dollars(input)} · ${dollars(output)}` : ''
}
