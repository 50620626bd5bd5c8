import Archive from '@lucide/svelte/icons/archive'
import ArchiveRestore from '@lucide/svelte/icons/archive-restore'
import AtSign from '@lucide/svelte/icons/at-sign'
import ChevronsDownUp from '@lucide/svelte/icons/chevrons-down-up'
import ChevronsUpDown from '@lucide/svelte/icons/chevrons-up-down'
import Copy from '@lucide/svelte/icons/copy'
import CornerDownRight from '@lucide/svelte/icons/corner-down-right'
import FolderOpen from '@lucide/svelte/icons/folder-open'
import Pause from '@lucide/svelte/icons/pause'
import Pencil from '@lucide/svelte/icons/pencil'
import Pin from '@lucide/svelte/icons/pin'
import PinOff from '@lucide/svelte/icons/pin-off'
import Play from '@lucide/svelte/icons/play'
import Square from '@lucide/svelte/icons/square'
import Trash2 from '@lucide/svelte/icons/trash-2'
import { entryOf } from '$lib/actions/actions'
import type { MenuEntry } from '$lib/ui/menu'
import { plural } from '$lib/format/number'
import type { AgentsState } from './agents.svelte'
import { onlyNames, type Only } from './filter'
import { isLive } from './sign'
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
  return [
    { ...entryOf('agents', 'open'), run: () => agents.open(node.file) },
    ...(live || others
      ? [
          {
            label: live ? (others ? 'Stop…' : 'Stop') : `Stop its ${plural(others, 'agent')}`,
            icon: Square,
            run: () => actions.stop(node.file),
          },
        ]
      : []),
    ...(node.marks.includes('interrupted') && !live ? [{ label: 'Resume', icon: Play, run: () => actions.resume(node.file) }] : []),
    {
      ...entryOf('agents', 'refer'),
      icon: AtSign,
      disabled: Boolean(readOnly) || !actions.prompt || same,
      title: readOnly ?? (same ? 'It is the notebook on view.' : actions.prompt ? undefined : 'No notebook is open to put it into.'),
      run: () => agents.refer(node.file),
    },
    'line',
    {
      ...entryOf('agents', 'pin'),
      ...(pinned ? { label: 'Unpin' } : {}),
      icon: pinned ? PinOff : Pin,
      disabled: !node.uuid,
      title: readOnly,
      run: () => agents.pin(node, !pinned),
    },
    {
      ...entryOf('agents', 'archive'),
      ...(archived || withParent ? { label: 'Take out of the archive' } : {}),
      icon: archived || withParent ? ArchiveRestore : Archive,
      disabled: !node.uuid || withParent,
      title: withParent ? 'It is in the archive with the agent above it.' : 'The file stays where it is.',
      run: () => actions.archive(node),
    },
    'line',
    {
      label: 'New agent under this',
      icon: CornerDownRight,
      disabled: Boolean(readOnly),
      title: readOnly,
      run: () => void agents.create(node),
    },
    {
      ...entryOf('agents', 'rename'),
      icon: Pencil,
      disabled: Boolean(readOnly),
      title: readOnly,
      run: () => actions.rename(node),
    },
    { label: 'Duplicate', icon: Copy, disabled: Boolean(readOnly), title: readOnly, run: () => void agents.duplicate(node) },
    ...(actions.desktop ? [{ label: 'Show in file manager', icon: FolderOpen, run: () => void agents.reveal(node) }] : []),
    'line',
    { ...entryOf('agents', 'remove'), icon: Trash2, danger: true, run: () => actions.remove(node) },
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
    { ...entryOf('agents', 'foldAll'), icon: ChevronsDownUp, run: () => agents.foldAll(true) },
    { ...entryOf('agents', 'unfoldAll'), icon: ChevronsUpDown, run: () => agents.foldAll(false) },
    'line',
    paused.on
      ? { label: 'Continue all', icon: Play, run: () => void paused.set(false) }
      : { label: 'Pause all', icon: Pause, title: 'Every agent is held before its next request.', run: () => void paused.set(true) },
  ]
}
