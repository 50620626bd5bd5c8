import type { BindableOf } from '$lib/actions/actions'
import { bind, itemOf, type Bound } from '$lib/actions/registry'
import type { MenuEntry } from '$lib/ui/menu'
import { plural } from '$lib/format/number'
import type { AgentsState } from './agents.svelte'
import { onlyNames, type Only } from './filter'
import { isLive } from './statusDot'
import type { Node } from './node'
import { t } from '$lib/language/language'

/** What actions on agents need from their pane and the window. */
export interface AgentHost {
  stop(file: string): void
  resume(file: string): void
  /** Asks whether to move an agent to the trash. */
  remove(node: Node): void
  /** Whether the file manager can show a file. */
  desktop: boolean
  /** Whether a prompt is on view that can take a reference. */
  prompt: boolean
  /** The notebook on view. */
  active: string
  paused: { on: boolean; set(paused: boolean): unknown }
}

/** What the list itself does with an agent. */
export interface InList {
  /** Opens the field for the agent's name. */
  rename(node: Node): void
  /** Archives or restores an agent, and keeps the cursor in the list. */
  archive(node: Node): void
  about(node: Node): void
  menu(node: Node): void
  fold(node: Node): void
  unfold(node: Node): void
  /** Moves the cursor according to a key. */
  move(key: string): void
  /** Undoes what narrows the list. */
  back(): void
}

/** The functions of the actions on all agents. */
export const allActions = (agents: AgentsState, { paused }: Pick<AgentHost, 'paused'>) =>
  bind('agents', {
    foldAll: { run: () => agents.foldAll(true) },
    unfoldAll: { run: () => agents.foldAll(false) },
    pauseAll: { reversed: () => paused.on, run: () => void paused.set(!paused.on) },
  })

/** The functions of the actions on an agent, for its keys and its menu. */
export function agentActions(node: Node, agents: AgentsState, host: AgentHost, list: InList): Bound<'agents'> {
  const readable = () => !node.problem
  const withParent = () => !agents.isArchived(node) && agents.isAway(node)
  return {
    ...allActions(agents, host),
    ...bind('agents', {
      open: { run: () => agents.open(node.file) },
      openBeside: { run: () => agents.openBeside(node.file) },
      stop: { when: () => isLive(node) || agents.liveBelow(node).length > 0, run: () => host.stop(node.file) },
      resume: { when: () => node.marks.includes('interrupted') && !isLive(node), run: () => host.resume(node.file) },
      refer: { when: () => readable() && host.prompt && node.file !== host.active, run: () => agents.refer(node.file) },
      pin: { when: () => Boolean(node.uuid), reversed: () => agents.isPinned(node), run: () => agents.pin(node, !agents.isPinned(node)) },
      archive: {
        when: () => Boolean(node.uuid) && !withParent(),
        reversed: () => agents.isAway(node),
        run: () => list.archive(node),
      },
      create: { when: readable, run: () => void agents.create(node) },
      rename: { when: readable, run: () => list.rename(node) },
      duplicate: { when: readable, run: () => void agents.duplicate(node) },
      reveal: { when: () => host.desktop, run: () => void agents.reveal(node) },
      remove: { run: () => host.remove(node) },
      about: { run: () => list.about(node) },
      menu: { run: () => list.menu(node) },
      fold: { run: () => list.fold(node) },
      unfold: { run: () => list.unfold(node) },
      move: { run: (key = '') => list.move(key) },
      back: { run: () => list.back() },
    }),
  }
}

/** The menu of an agent. */
export function menuOf(node: Node, agents: AgentsState, host: Pick<AgentHost, 'prompt' | 'active'>, acts: Bound<'agents'>): MenuEntry[] {
  const readOnly = node.problem ? t`The file is not a notebook; open it to see why.` : undefined
  const others = agents.liveBelow(node).length
  const live = isLive(node)
  const withParent = !agents.isArchived(node) && agents.isAway(node)
  const stop = itemOf(acts.stop)
  const item = (id: BindableOf<'agents'>, title = readOnly): MenuEntry => ({ ...itemOf(acts[id]), title })
  const possible = (id: BindableOf<'agents'>): MenuEntry[] => (acts[id].when() ? [itemOf(acts[id])] : [])
  return [
    itemOf(acts.open),
    itemOf(acts.openBeside),
    ...(acts.stop.when()
      ? [{ ...stop, label: live ? (others ? `${stop.label}…` : stop.label) : t`${stop.label} its ${plural(others, 'agent')}` }]
      : []),
    ...possible('resume'),
    item(
      'refer',
      readOnly ??
        (node.file === host.active ? t`It is the notebook on view.` : host.prompt ? undefined : t`No notebook is open to put it into.`),
    ),
    'line',
    item('pin'),
    item('archive', withParent ? t`It is in the archive with the agent above it.` : t`The file stays where it is.`),
    'line',
    item('create'),
    item('rename'),
    item('duplicate'),
    ...possible('reveal'),
    'line',
    { ...itemOf(acts.remove), danger: true },
  ]
}

/** The filters of the list, each with its count. */
export function onlyMenu(agents: AgentsState): MenuEntry[] {
  return (Object.keys(onlyNames) as Only[]).flatMap((only): MenuEntry[] => {
    const entry = {
      label: onlyNames[only],
      detail: String(agents.count(only)),
      checked: agents.only === only,
      run: () => (agents.only = only),
    }
    return only === 'archived' ? ['line', entry] : [entry]
  })
}

/** The menu of all agents. */
export function allMenu(agents: AgentsState, paused: AgentHost['paused']): MenuEntry[] {
  const { foldAll, unfoldAll, pauseAll } = allActions(agents, { paused })
  return [
    itemOf(foldAll),
    itemOf(unfoldAll),
    'line',
    { ...itemOf(pauseAll), title: paused.on ? undefined : t`Every agent is held before its next request.` },
  ]
}
