import { entryOf } from '$lib/actions/actions'
import type { MenuEntry } from '$lib/ui/menu'
import { plural } from '$lib/format/number'
import type { AgentsState } from './agents.svelte'
import { onlyNames, type Only } from './filter'
import { isLive } from './statusDot'
import type { Node } from './tree'

/** The window's actions on an agent, for its menu and keys. */
export interface RowActions {
  stop(file: string): void
  resume(file: string): void
  remove(node: Node): void
  /** Whether the file manager can be asked to show a file. */
  desktop: boolean
  /** Whether there is a prompt on view that a reference can go into. */
  prompt: boolean
}

/** The menu of an agent. */
export function menuOf(
  node: Node,
  agents: AgentsState,
  active: string,
  actions: RowActions & { rename(node: Node): void; archive(node: Node): void },
): MenuEntry[] {
  const readOnly = node.problem ? 'The file is not a notebook; open it to see why.' : undefined
  const others = agents.liveBelow(node).length
  const live = isLive(node)
  const pinned = agents.isPinned(node)
  const archived = agents.isArchived(node)
  const withParent = !archived && agents.isAway(node)
  const same = node.file === active
  const stop = entryOf('agents', 'stop')
  return [
    { ...entryOf('agents', 'open'), run: () => agents.open(node.file) },
    ...(live || others
      ? [
          {
            ...stop,
            label: live ? (others ? `${stop.label}…` : stop.label) : `${stop.label} its ${plural(others, 'agent')}`,
            run: () => actions.stop(node.file),
          },
        ]
      : []),
    ...(node.marks.includes('interrupted') && !live ? [{ ...entryOf('agents', 'resume'), run: () => actions.resume(node.file) }] : []),
    {
      ...entryOf('agents', 'refer'),
      disabled: Boolean(readOnly) || !actions.prompt || same,
      title: readOnly ?? (same ? 'It is the notebook on view.' : actions.prompt ? undefined : 'No notebook is open to put it into.'),
      run: () => agents.refer(node.file),
    },
    'line',
    {
      ...entryOf('agents', 'pin', pinned),
      disabled: !node.uuid,
      title: readOnly,
      run: () => agents.pin(node, !pinned),
    },
    {
      ...entryOf('agents', 'archive', archived || withParent),
      disabled: !node.uuid || withParent,
      title: withParent ? 'It is in the archive with the agent above it.' : 'The file stays where it is.',
      run: () => actions.archive(node),
    },
    'line',
    {
      ...entryOf('agents', 'create'),
      disabled: Boolean(readOnly),
      title: readOnly,
      run: () => void agents.create(node),
    },
    {
      ...entryOf('agents', 'rename'),
      disabled: Boolean(readOnly),
      title: readOnly,
      run: () => actions.rename(node),
    },
    { ...entryOf('agents', 'duplicate'), disabled: Boolean(readOnly), title: readOnly, run: () => void agents.duplicate(node) },
    ...(actions.desktop ? [{ ...entryOf('agents', 'reveal'), run: () => void agents.reveal(node) }] : []),
    'line',
    { ...entryOf('agents', 'remove'), danger: true, run: () => actions.remove(node) },
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

/** The actions on all agents. */
export function allMenu(agents: AgentsState, paused: { on: boolean; set(paused: boolean): unknown }): MenuEntry[] {
  return [
    { ...entryOf('agents', 'foldAll'), run: () => agents.foldAll(true) },
    { ...entryOf('agents', 'unfoldAll'), run: () => agents.foldAll(false) },
    'line',
    {
      ...entryOf('agents', 'pauseAll', paused.on),
      title: paused.on ? undefined : 'Every agent is held before its next request.',
      run: () => void paused.set(!paused.on),
    },
  ]
}
