import type { Component } from 'svelte'
import Boxes from '@lucide/svelte/icons/boxes'
import Columns2 from '@lucide/svelte/icons/columns-2'
import CornerDownRight from '@lucide/svelte/icons/corner-down-right'
import Cpu from '@lucide/svelte/icons/cpu'
import FileCode from '@lucide/svelte/icons/file-code'
import GitFork from '@lucide/svelte/icons/git-fork'
import MessageSquareText from '@lucide/svelte/icons/message-square-text'
import Palette from '@lucide/svelte/icons/palette'
import Settings from '@lucide/svelte/icons/settings'
import SquareChevronRight from '@lucide/svelte/icons/square-chevron-right'
import SquareSlash from '@lucide/svelte/icons/square-slash'
import type { Place } from '$lib/actions/actions'
import type { ActionRegistry, BoundAction } from '$lib/actions/registry'
import type { settings as model } from '$lib/backend/backend'
import { agentName } from '$lib/format/name'
import { plural } from '$lib/format/number'
import { elapsed } from '$lib/format/time'
import type { AppState } from '../app.svelte'
import type { Node } from '../features/agents/node'
import { asideOf, dotOf, usedOf } from '../features/agents/statusDot'
import { answererOf } from '../features/acp/acp.svelte'
import { findChoice, modelName } from '../features/models/choice'
import type { Entry, FoundEntries, Look, Sources, Step } from '../features/palette/entry'
import { usualKind } from '../features/kinds/kinds.svelte'
import { sectionNames, settingsList } from '../features/settings/list'
import type { FolderCommands } from './folderCommands.svelte'
import { modelStep } from './modelStep'
import { argumentStep } from './promptArguments'
import { proposeCommand } from './target'
import { viewOf } from './viewTabs'
import type { PageState } from './page.svelte'
import { t } from '$lib/language/language'
import { ofProgram } from '$lib/language/program'

/** The place where an action works, shown next to its name. */
const places: Partial<Record<Place, string>> = {
  cell: t`this cell`,
  agents: t`in the list of agents`,
  branches: t`branch lab`,
  tabs: t`this tab`,
  deck: t`flight deck`,
  find: t`find`,
  image: t`picture`,
  review: t`what waits for you`,
}

const themes: Record<string, string> = { system: t`System`, light: t`Light`, dark: t`Dark` }

/** Commands that the list leaves out: itself, and those that other entries already offer. */
const left = new Set([
  'window.find',
  'cell.undo',
  'cell.redo',
  'agents.open',
  'agents.openBeside',
  'agents.rename',
  'tabs.rename',
  'tabs.close',
])

/** Why an action is not available now. */
const reasons: Record<string, string> = {
  'window.stop': t`nothing runs in the notebook on view`,
  'window.inbox': t`nothing waits for you`,
  'window.deck': t`it is on view`,
  'window.reopen': t`no tab was closed`,
  'window.split': t`there are two groups already, or nothing is on view`,
  'window.otherGroup': t`there is one group`,
  'window.moveToOther': t`it is the only tab`,
  'window.closeGroup': t`there is one group`,
  'window.another': t`not possible here`,
  'cell.restore': t`nothing to go back to`,
  'cell.history': t`the prompt was not changed`,
  'cell.moveUp': t`it is the first one`,
  'cell.moveDown': t`it is the last one`,
  'cell.split': t`the caret is not within the text`,
  'cell.copyAnswer': t`it has no answer`,
  'cell.clear': t`it has no answer`,
  'cell.unfold': t`it is no summary`,
  'cell.unqueue': t`it is not queued`,
  'cell.compactAbove': t`there is nothing to summarise above`,
  'agents.stop': t`the agent does not run`,
  'tabs.closeOthers': t`there is no other tab`,
  'tabs.closeRight': t`it is the last one`,
  'tabs.moveLeft': t`it is the first one`,
  'tabs.moveRight': t`it is the last one`,
  'tabs.reload': t`it is no notebook`,
  'agents.resume': t`it was not interrupted`,
  'agents.reveal': t`not possible in a browser`,
  'agents.refer': t`no other notebook is on view`,
}
const noBook = t`no notebook is on view`

const linesOf = (text: string, n: number): string => text.split('\n').slice(0, n).join('\n')

/** The entries of the palette in a window, and what they do. */
export function paletteSources(app: AppState, page: PageState, registry: ActionRegistry, commands: FolderCommands): Sources {
  const { agents, backend, navigation, recent, settings, tabs } = app
  const now = app.clock.now
  const book = app.active?.meta ? app.active : undefined
  /** The notebook whose agent's rights decide which files can be read. */
  const reader = book?.path ?? tabs.paths.find((tab) => !viewOf(tab)) ?? agents.pick(() => true)[0]?.file

  function command(action: BoundAction): Entry {
    const id = `${action.place}.${action.id}`
    const opposite = action.reversed() ? action.reverse : undefined
    const label = opposite?.name ?? (action.reverse && action.menu ? action.menu : action.name)
    const where = places[action.place]
    const off = action.when() ? undefined : (reasons[id] ?? (book ? t`not possible now` : noBook))
    return {
      id: `command ${id}`,
      kind: 'command',
      label,
      detail: where,
      words: `${action.menu ?? ''} ${where ?? ''}`,
      icon: (opposite?.icon ?? action.icon ?? SquareChevronRight) as Component,
      keys: action.keys?.[0],
      off,
      run: () => action.run(),
      look: () => ({ title: label, of: where, parts: off ? [{ text: t`It cannot be done now: ${off}.` }] : [{ text: action.name }] }),
    }
  }

  function stepped(
    id: string,
    label: string,
    icon: Component,
    detail: string,
    off: string | undefined,
    step: () => Step,
    words = '',
  ): Entry {
    const look = (): Look => ({ title: label, parts: off ? [{ text: t`It cannot be done now: ${off}.` }] : [] })
    return { id: `command step.${id}`, kind: 'command', label, icon, detail, off, step, look, words }
  }

  const kindsStep = (): Step => ({
    crumb: t`Kind`,
    search: t`Search kinds of agents`,
    of: t`of this agent`,
    columns: [],
    choices: app.kinds.list.map((kind) => ({
      id: kind.name,
      label: kind.name,
      now: kind.name === (book!.meta!.agentType || usualKind),
      note: kind.description,
      off: kind.inert ? t`the folder is not trusted` : undefined,
      run: () => void app.kinds.set(book!.path, kind.name),
    })),
    about: () => t`The kind says what the agent is for, and which tools it may use. It counts from the next run on.`,
  })

  const forkStep = (): Step => ({
    crumb: t`Fork`,
    search: t`Fork into`,
    of: t`from the current cell on`,
    columns: [],
    choices: registry
      .list()
      .filter((action) => action.place === 'cell' && (action.id === 'forkNotebook' || action.id === 'forkBranch'))
      .map((action) => ({
        id: action.id,
        label: action.id === 'forkNotebook' ? t`A new agent` : t`A branch of this notebook`,
        note: action.name,
        off: action.when() ? undefined : t`not possible at this cell`,
        run: () => action.run(),
      })),
    about: () => t`A new agent ends with the current cell. For a branch the cells below are put aside; nothing is lost.`,
  })

  const moveStep = (): Step => {
    const moved = agents.node(book!.path)
    const move = (uuid: string) => void agents.moveUnder(book!.path, uuid)
    const below = new Set(moved ? agents.below(moved).map((node) => node.uuid) : [])
    return {
      crumb: t`Move`,
      search: t`Search agents`,
      of: t`the agent above this one`,
      columns: [],
      choices: [
        { id: 'top', label: t`The top level`, note: t`no agent above it`, now: !moved?.parentId, run: () => move('') },
        ...agents
          .pick((node) => node.file !== book!.path && Boolean(node.uuid) && !node.problem)
          .map((node) => ({
            id: node.file,
            label: agentName(node.name, node.file),
            note: agents.apart(node.file),
            now: node.uuid === moved?.parentId,
            off: below.has(node.uuid) ? t`it stands below this one` : undefined,
            run: () => move(node.uuid),
          })),
      ],
      about: () => t`It stands below the other agent then, and may touch no more than that one. Undo in the notebook moves it back.`,
    }
  }

  const besideStep = (): Step => ({
    crumb: t`Open at the side`,
    search: t`Search agents`,
    of: t`beside what is on view`,
    columns: [],
    choices: agents
      .pick(() => true)
      .toSorted((a, b) => b.modifiedMs - a.modifiedMs)
      .map((node) => ({
        id: node.file,
        label: agentName(node.name, node.file),
        note: agents.apart(node.file) || asideOf(node, now),
        run: () => navigation.openBeside(node.file),
      })),
    about: () => t`It opens in the other group of tabs, which is made when there is none.`,
  })

  const commandStep = (): Step => ({
    crumb: t`Command`,
    search: t`Search commands of this folder`,
    of: t`for a prompt`,
    columns: [],
    // They may arrive while the step is on view.
    get choices() {
      return (commands.list ?? []).map((item) => ({
        id: item.label,
        label: item.hint ? `/${item.label} ${item.hint}` : `/${item.label}`,
        note: item.detail,
        ...(item.arguments?.length
          ? { next: () => argumentStep(item, backend.call.PromptValues, (text) => proposeCommand(app, book!, text)) }
          : { run: () => proposeCommand(app, book!, item.insert) }),
      }))
    },
    about: () =>
      commands.list?.length === 0
        ? t`This folder has no commands. A file .mutsumi/commands/name.md is one, once you trust the folder.`
        : t`It goes into the prompt, where you add what it is about. Its text is sent.`,
  })

  const themeStep = (): Step => ({
    crumb: t`Theme`,
    search: t`Search themes`,
    of: t`of every window`,
    columns: [],
    choices: Object.entries(themes).map(([theme, label]) => ({
      id: theme,
      label,
      note: theme === 'system' ? t`follows the desktop` : '',
      now: (settings.view?.preferences.theme || 'system') === theme,
      run: () => settings.prefer({ theme }),
    })),
    about: () => '',
  })

  function steps(): Entry[] {
    const choice =
      book?.meta && settings.view
        ? (findChoice(settings.view, { provider: book.meta.provider ?? '', model: book.meta.model ?? '' }) ??
          findChoice(settings.view, settings.view.default))
        : null
    const off = book ? undefined : noBook
    const answerer = app.acp.nameOf(answererOf(book?.meta))
    return [
      stepped(
        'model',
        t`Model…`,
        Cpu,
        answerer || (choice?.model ? modelName(choice.model) : ''),
        off,
        () => modelStep(app, page, book!),
        t`change llm provider agent who answers ACP`,
      ),
      stepped('kind', t`Kind of agent…`, Boxes, book ? book.meta!.agentType || usualKind : '', off, kindsStep, t`change role`),
      stepped('fork', t`Fork into…`, GitFork, '', off, forkStep, t`branch new agent copy`),
      stepped('run', t`Run command…`, SquareSlash, '', off, commandStep, t`slash prompt template`),
      stepped('move', t`Move agent to…`, CornerDownRight, '', off, moveStep, t`parent child under tree`),

      stepped(
        'beside',
        t`Open at the side…`,
        Columns2,
        '',
        tabs.active ? undefined : t`nothing is on view`,
        besideStep,
        t`split group right`,
      ),
      stepped('theme', t`Theme…`, Palette, valueOf('theme'), undefined, themeStep, t`dark light colours`),
    ]
  }

  const dotted = (node: Node): Pick<Entry, 'dot' | 'aside' | 'waits'> => ({
    dot: dotOf(node),
    aside:
      node.status === 'running' && node.action && !node.marks.includes('needsYou')
        ? `${ofProgram(node.action)}${node.startedMs ? ` · ${elapsed(now - node.startedMs)}` : ''}`
        : asideOf(node, now),
    waits: node.marks.includes('needsYou'),
  })
  function agent(node: Node): Entry {
    const parent = node.parentId ? agents.byUuid(node.parentId) : undefined
    const label = agentName(node.name, node.file)
    return {
      id: `agent ${node.file}`,
      kind: 'agent',
      label,
      detail: agents.apart(node.file) || (parent ? agentName(parent.name, parent.file) : ''),
      words: node.file,
      ...dotted(node),
      run: () => navigation.enter(node.file),
      look: async () => {
        const facts = [node.kind ?? usualKind, usedOf(node.own)].filter(Boolean).join(' · ')
        if (node.problem) return { title: label, of: node.file, parts: [{ text: ofProgram(node.problem) }] }
        const last = await backend.call.Glimpse(node.file, '').catch(() => undefined)
        return {
          title: label,
          of: asideOf(node, now),
          parts: last ? shown(last) : [{ text: t`Nothing was asked yet.` }],
          about: facts,
        }
      },
    }
  }

  const shown = ({ number, prompt, answer }: { number: number; prompt: string; answer: string }) => [
    { label: number ? t`Prompt ${number}` : t`Summary`, text: linesOf(prompt, 8) || t`empty` },
    ...(answer ? [{ label: t`Last words`, text: linesOf(answer, 14) }] : []),
  ]

  function cell(path: string, id: string, number: number, words: string): Entry {
    const name = app.names.of(path)
    return {
      id: `cell ${path} ${id}`,
      kind: 'cell',
      label: words,
      detail: name,
      aside: number ? `[${number}]` : t`summary`,
      icon: MessageSquareText as Component,
      run: () => void navigation.show(path, id),
      look: async () => ({
        title: `${number ? t`Cell ${number}` : t`Summary`}`,
        of: name,
        parts: shown(await backend.call.Glimpse(path, id)),
      }),
    }
  }

  function file(path: string): Entry {
    return {
      id: `file ${path}`,
      kind: 'file',
      label: path,
      icon: FileCode as Component,
      run: () => app.files.openFile(reader!, path),
      look: async () => {
        const view = await backend.file(reader!, path)
        return {
          title: path,
          parts: [{ text: view.note || linesOf(view.text, 40), mono: !view.note }],
          about: view.text ? plural(view.text.replace(/\n$/, '').split('\n').length, 'line') : '',
        }
      },
    }
  }

  const setting = ({ section, title, words, sets }: (typeof settingsList)[number]): Entry => ({
    id: `setting ${section} ${title}`,
    kind: 'setting',
    label: title,
    detail: sectionNames[section],
    aside: valueOf(sets?.[0]),
    words: `${sectionNames[section]} ${words ?? ''}`,
    icon: Settings as Component,
    run: () => page.openSettings(section, title),
    look: () => ({
      title,
      of: t`Settings, ${sectionNames[section]}`,
      parts: valueOf(sets?.[0]) ? [{ label: t`Now`, text: valueOf(sets?.[0]) }] : [],
    }),
  })

  /** The present value of a preference; "" for those that are not shown. */
  function valueOf(name: keyof model.Preferences | undefined): string {
    const p = settings.view?.preferences
    switch (p && name) {
      case 'theme':
        return themes[p!.theme || 'system'] ?? p!.theme
      case 'zoom':
        return `${p!.zoom} %`
      case 'fontSize':
        return p!.fontSize ? t`${p!.fontSize} px` : t`usual`
      case 'stepLimit':
        return String(p!.stepLimit)
      case 'parallelAgents':
        return String(p!.parallelAgents)
      case 'quiet':
        return p!.quiet ? t`off` : t`on`
      case 'remoteImages':
        return p!.remoteImages ? t`on` : t`off`
      default:
        return ''
    }
  }

  const here: readonly Entry[] = [
    ...steps(),
    ...registry
      .list()
      .filter((action) => !left.has(`${action.place}.${action.id}`))
      .map(command),
    ...agents
      .pick(() => true)
      .toSorted((a, b) => b.modifiedMs - a.modifiedMs)
      .map(agent),
    ...settingsList.map(setting),
  ]

  const filesOf = async (query: string, signal: AbortSignal): Promise<FoundEntries> => {
    if (!reader) return { entries: [], total: 0 }
    const items = await backend.complete(reader, 'file', query, signal)
    const entries = items.filter((item) => item.kind === 'file').map((item) => file(item.label))
    return { entries, total: entries.length }
  }

  /** An entry that was chosen before; null if its subject is gone. */
  function again(id: string): Entry | null | Promise<Entry | null> {
    const known = here.find((entry) => entry.id === id)
    if (known) return known
    const [kind, path = '', ...rest] = id.split(' ')
    if (kind === 'file' && reader) {
      const name = id.slice(5)
      return backend.complete(reader, 'file', name).then((items) => (items.some((item) => item.label === name) ? file(name) : null))
    }
    const at = id.lastIndexOf(' ')
    const notebook = rest.length > 1 ? id.slice(5, at) : path
    if (kind !== 'cell' || !agents.node(notebook)) return null
    const cellID = id.slice(at + 1)
    return backend.call.Glimpse(notebook, cellID).then(
      ({ number, prompt }) => cell(notebook, cellID, number, prompt.replace(/\s+/g, ' ').trim().slice(0, 80) || t`empty`),
      () => null,
    )
  }

  return {
    here: () => here,
    cells: async (query) => {
      const { cells, total, reading } = await backend.call.FindCells(query)
      return { entries: cells.map((c) => cell(c.path, c.id, c.number, c.words)), total, reading }
    },
    files: filesOf,
    recent: () => recent.list.slice(0, 20).flatMap((id) => again(id) ?? []),
    chosen: (entry) => recent.add(entry.id),
  }
}
