import type { Component } from 'svelte'
import AppWindow from '@lucide/svelte/icons/app-window'
import Archive from '@lucide/svelte/icons/archive'
import ArchiveRestore from '@lucide/svelte/icons/archive-restore'
import ArrowDown from '@lucide/svelte/icons/arrow-down'
import ArrowLeft from '@lucide/svelte/icons/arrow-left'
import ArrowRight from '@lucide/svelte/icons/arrow-right'
import ArrowRightLeft from '@lucide/svelte/icons/arrow-right-left'
import ArrowUp from '@lucide/svelte/icons/arrow-up'
import AtSign from '@lucide/svelte/icons/at-sign'
import BetweenHorizontalEnd from '@lucide/svelte/icons/between-horizontal-end'
import BetweenHorizontalStart from '@lucide/svelte/icons/between-horizontal-start'
import ChartGantt from '@lucide/svelte/icons/chart-gantt'
import ChevronLeft from '@lucide/svelte/icons/chevron-left'
import ChevronRight from '@lucide/svelte/icons/chevron-right'
import ChevronsDownUp from '@lucide/svelte/icons/chevrons-down-up'
import ChevronsUpDown from '@lucide/svelte/icons/chevrons-up-down'
import CircleQuestionMark from '@lucide/svelte/icons/circle-question-mark'
import ClipboardPaste from '@lucide/svelte/icons/clipboard-paste'
import Copy from '@lucide/svelte/icons/copy'
import Columns2 from '@lucide/svelte/icons/columns-2'
import CopyX from '@lucide/svelte/icons/copy-x'
import CornerDownRight from '@lucide/svelte/icons/corner-down-right'
import Eraser from '@lucide/svelte/icons/eraser'
import Eye from '@lucide/svelte/icons/eye'
import EyeOff from '@lucide/svelte/icons/eye-off'
import FastForward from '@lucide/svelte/icons/fast-forward'
import FileClock from '@lucide/svelte/icons/file-clock'
import FoldVertical from '@lucide/svelte/icons/fold-vertical'
import Footprints from '@lucide/svelte/icons/footprints'
import FolderOpen from '@lucide/svelte/icons/folder-open'
import GitBranch from '@lucide/svelte/icons/git-branch'
import GitCompare from '@lucide/svelte/icons/git-compare'
import GitFork from '@lucide/svelte/icons/git-fork'
import History from '@lucide/svelte/icons/history'
import ListX from '@lucide/svelte/icons/list-x'
import Maximize2 from '@lucide/svelte/icons/maximize-2'
import Minus from '@lucide/svelte/icons/minus'
import NotebookText from '@lucide/svelte/icons/notebook-text'
import PanelLeft from '@lucide/svelte/icons/panel-left'
import PanelRight from '@lucide/svelte/icons/panel-right'
import Pause from '@lucide/svelte/icons/pause'
import Pencil from '@lucide/svelte/icons/pencil'
import Pin from '@lucide/svelte/icons/pin'
import PinOff from '@lucide/svelte/icons/pin-off'
import Play from '@lucide/svelte/icons/play'
import Plus from '@lucide/svelte/icons/plus'
import RotateCcw from '@lucide/svelte/icons/rotate-ccw'
import Scissors from '@lucide/svelte/icons/scissors'
import Search from '@lucide/svelte/icons/search'
import Settings from '@lucide/svelte/icons/settings'
import Square from '@lucide/svelte/icons/square'
import TextSelect from '@lucide/svelte/icons/text-select'
import SquareX from '@lucide/svelte/icons/square-x'
import Trash2 from '@lucide/svelte/icons/trash-2'
import Undo2 from '@lucide/svelte/icons/undo-2'
import X from '@lucide/svelte/icons/x'
import ZoomIn from '@lucide/svelte/icons/zoom-in'
import ZoomOut from '@lucide/svelte/icons/zoom-out'
import { changedKeys } from './chosenKeys.svelte'
import { t } from '$lib/language/language'

/* Every action that has a key or is in a menu, by the place that it belongs to.
   The keys, and the words, icons and keys shown in menus, buttons, tooltips
   and the sheet of keys, come from here. The owner of a place binds each of
   its actions to a function (registry.ts). */

export interface Action {
  /** Its name in the sheet of keys. */
  name: string
  /** Its name in menus, buttons and hints, if different. */
  menu?: string
  /** Its icon in menus and on buttons. */
  icon?: Component
  /** Its opposite, under the same entry and key while it is in effect: "Unpin" for "Pin to the top". */
  reverse?: { name: string; icon?: Component }
  /** In readable form: "Ctrl+Shift+P"; "D D" is one after the other. Without keys it is only in menus. */
  keys?: readonly string[]
  /** Other keys that do the same but are not listed: other layouts, the numeric pad. */
  also?: readonly string[]
  /** A held key repeats it. */
  repeats?: boolean
  /** Not while text is edited, where the keys have a meaning of their own. Of keys without Ctrl or Alt, only F1 to F12 work there. */
  outside?: boolean
  /** The browser or a field implements it; no Keyboard listens for it. */
  native?: boolean
  /** It only moves within the focused part, or depends on which of its keys is pressed: a list of all actions leaves it out. */
  local?: boolean
}

export const actions = {
  window: {
    new: { name: t`New agent`, icon: Plus, keys: ['Ctrl+N'] },
    open: { name: t`Open a folder`, menu: t`Open folder…`, icon: FolderOpen, keys: ['Ctrl+O'] },
    another: { name: t`Another window of this folder`, icon: AppWindow },
    tour: { name: t`Take the tour of two minutes`, menu: t`Tour`, icon: Footprints },
    find: { name: t`Find anything`, keys: ['Ctrl+K'] },
    search: { name: t`Search agents`, keys: ['Ctrl+Shift+L'] },
    findText: { name: t`Find in the notebook`, menu: t`Find…`, icon: Search, keys: ['Ctrl+F'] },
    findNext: { name: t`Next match`, keys: ['F3'], also: ['Ctrl+G'], repeats: true },
    findPrevious: { name: t`Previous match`, keys: ['Shift+F3'], also: ['Ctrl+Shift+G'], repeats: true },
    replaceText: { name: t`Replace in prompts`, menu: t`Replace…`, keys: ['Ctrl+H'], also: ['Ctrl+Alt+F'] },
    stop: { name: t`Stop the agent`, menu: t`Stop`, icon: Square, keys: ['Ctrl+.', 'Esc Esc'] },
    inbox: { name: t`Go to what waits for you`, keys: ['Ctrl+J'] },
    preview: { name: t`Show what will be sent`, menu: t`Preview what is sent`, keys: ['Ctrl+Shift+P'] },
    branches: { name: t`Show branches and forks`, menu: t`Branch lab`, icon: GitCompare, keys: ['Ctrl+Shift+B'] },
    deck: { name: t`Show the flight deck`, menu: t`Flight deck`, icon: ChartGantt, keys: ['Ctrl+Shift+D'] },
    sidebar: {
      name: t`Show or hide the agents`,
      menu: t`Show the agents`,
      icon: PanelLeft,
      reverse: { name: t`Hide the agents` },
      keys: ['Ctrl+B'],
    },
    inspector: {
      name: t`Show or hide the context`,
      menu: t`Show the context`,
      icon: PanelRight,
      reverse: { name: t`Hide this pane`, icon: X },
      keys: ['Ctrl+Alt+B'],
    },
    nextTab: { name: t`Next tab`, keys: ['Ctrl+Tab'], repeats: true },
    previousTab: { name: t`Previous tab`, keys: ['Ctrl+Shift+Tab'], repeats: true },
    close: { name: t`Close tab`, menu: t`Close`, icon: X, keys: ['Ctrl+W'] },
    tab: {
      name: t`Go to a tab, the last one`,
      keys: ['Ctrl+1', 'Ctrl+2', 'Ctrl+3', 'Ctrl+4', 'Ctrl+5', 'Ctrl+6', 'Ctrl+7', 'Ctrl+8', 'Ctrl+9'],
      local: true,
    },
    reopen: { name: t`Open the closed tab again`, menu: t`Reopen closed tab`, icon: Undo2, keys: ['Ctrl+Shift+T'] },
    split: { name: t`Split: show it at the side too`, menu: t`Split right`, icon: Columns2, keys: ['Ctrl+\\'] },
    otherGroup: { name: t`Go to the other group of tabs`, menu: t`Other group`, icon: Columns2, keys: ['F6'] },
    moveToOther: { name: t`Move the tab to the other side`, icon: ArrowRightLeft, keys: ['Shift+F6'] },
    closeGroup: { name: t`Close the group of tabs`, menu: t`Close the group`, icon: SquareX },
    rename: { name: t`Rename the agent on view`, menu: t`Rename`, icon: Pencil, keys: ['F2'] },
    undo: { name: t`Undo in the notebook`, keys: ['Ctrl+Z'], repeats: true, outside: true },
    redo: { name: t`Redo in the notebook`, keys: ['Ctrl+Shift+Z'], repeats: true, outside: true },
    zoomIn: { name: t`Larger`, keys: ['Ctrl++'], also: ['Ctrl+='], repeats: true },
    zoomOut: { name: t`Smaller`, keys: ['Ctrl+−'], also: ['Ctrl+_'], repeats: true },
    zoomReset: { name: t`Usual size`, keys: ['Ctrl+0'] },
    settings: { name: t`Settings`, icon: Settings, keys: ['Ctrl+,'] },
    keys: { name: t`All keys`, icon: CircleQuestionMark, keys: ['?'] },
  },
  prompt: {
    run: { name: t`Run`, keys: ['Shift+Enter'] },
    runAndInsert: { name: t`Run and add a prompt below`, keys: ['Ctrl+Enter'] },
    leave: { name: t`Leave the text, for commands`, menu: t`Commands`, keys: ['Esc'] },
    refer: { name: t`Refer to a file, a tool or an agent`, menu: t`Reference`, keys: ['@'], native: true },
    macro: { name: t`Put in a macro`, keys: ['{{'], native: true },
    paste: { name: t`Paste text, files or an image`, keys: ['Ctrl+V'], native: true },
    undo: { name: t`Undo what you typed, then the step before it`, keys: ['Ctrl+Z'], native: true },
    follow: { name: t`Open a reference`, keys: ['Ctrl+Click'], native: true },
  },
  cell: {
    edit: { name: t`Edit the prompt`, menu: t`Edit`, keys: ['Enter'] },
    run: { name: t`Run`, icon: Play, keys: ['Shift+Enter'] },
    runAndInsert: { name: t`Run and add a prompt below`, keys: ['Ctrl+Enter'] },
    runAll: { name: t`Run this and each below`, icon: FastForward },
    runFrom: { name: t`Run this, put the rest aside`, icon: RotateCcw },
    restore: { name: t`Restore to before this…`, icon: History },
    history: { name: t`Earlier versions of the prompt…`, icon: FileClock },
    previous: { name: t`Cell above`, keys: ['↑', 'K'], repeats: true },
    next: { name: t`Cell below`, keys: ['↓', 'J'], repeats: true },
    first: { name: t`First cell`, keys: ['Home'] },
    last: { name: t`Last cell`, keys: ['End'] },
    insertAbove: { name: t`Insert above`, icon: BetweenHorizontalEnd, keys: ['A'] },
    insertBelow: { name: t`Insert below`, icon: BetweenHorizontalStart, keys: ['B'] },
    moveUp: { name: t`Move up`, icon: ArrowUp, keys: ['Ctrl+Shift+↑'], repeats: true },
    moveDown: { name: t`Move down`, icon: ArrowDown, keys: ['Ctrl+Shift+↓'], repeats: true },
    split: { name: t`Split at the caret`, icon: Scissors },
    copyAnswer: { name: t`Copy answer`, icon: Copy },
    copyMarkdown: { name: t`Copy as Markdown`, icon: Copy },
    clear: { name: t`Clear answer`, icon: Eraser },
    pin: {
      name: t`Pin or unpin for summaries`,
      menu: t`Keep out of summaries`,
      icon: Pin,
      reverse: { name: t`Let summaries cover it`, icon: PinOff },
      keys: ['P'],
    },
    mute: { name: t`Mute for models`, icon: EyeOff, reverse: { name: t`Send to models again`, icon: Eye } },
    internal: {
      name: t`Show or hide what Mutsumi told the model`,
      menu: t`Show what Mutsumi told it`,
      icon: Eye,
      reverse: { name: t`Hide what Mutsumi told it`, icon: EyeOff },
    },
    unfold: { name: t`Show or hide the cells of a summary`, menu: t`Show the cells`, keys: ['Space'] },
    compactAbove: { name: t`Summarise the cells above`, icon: FoldVertical },
    forkNotebook: { name: t`Fork into a new agent`, icon: GitFork },
    forkBranch: { name: t`Put the cells below aside`, icon: GitBranch },
    unqueue: { name: t`Remove from the queue`, icon: Square },
    remove: { name: t`Delete`, icon: Trash2, keys: ['D D'] },
    undo: { name: t`Undo`, keys: ['Z'], also: ['Ctrl+Z'], repeats: true },
    redo: { name: t`Redo`, keys: ['Shift+Z'], also: ['Ctrl+Shift+Z'], repeats: true },
  },
  agents: {
    move: { name: t`Move`, keys: ['↑', '↓'], also: ['Home', 'End', 'PageUp', 'PageDown'], repeats: true, local: true },
    fold: { name: t`Fold, or go to the agent above`, keys: ['←'], repeats: true, local: true },
    unfold: { name: t`Unfold, or go to the agent below`, keys: ['→'], repeats: true, local: true },
    open: { name: t`Open`, icon: NotebookText, keys: ['Enter'], also: ['Space'] },
    openBeside: { name: t`Open at the side`, icon: Columns2, keys: ['Alt+Enter'] },
    stop: { name: t`Stop`, icon: Square },
    resume: { name: t`Resume`, icon: Play },
    create: { name: t`New agent under this`, icon: CornerDownRight },
    rename: { name: t`Rename`, icon: Pencil, keys: ['F2'] },
    duplicate: { name: t`Duplicate`, icon: Copy },
    reveal: { name: t`Show in file manager`, icon: FolderOpen },
    about: { name: t`Show its details`, keys: ['Alt+I'] },
    refer: { name: t`Reference in the prompt`, menu: t`Reference in prompt`, icon: AtSign, keys: ['Alt+R'] },
    pin: { name: t`Pin to the top`, icon: Pin, reverse: { name: t`Unpin`, icon: PinOff }, keys: ['Alt+P'] },
    archive: {
      name: t`Archive`,
      icon: Archive,
      reverse: { name: t`Take out of the archive`, icon: ArchiveRestore },
      keys: ['Alt+A'],
    },
    foldAll: { name: t`Collapse all`, icon: ChevronsDownUp, keys: ['−'] },
    unfoldAll: { name: t`Expand all`, icon: ChevronsUpDown, keys: ['*'] },
    pauseAll: { name: t`Pause all`, icon: Pause, reverse: { name: t`Continue all`, icon: Play } },
    remove: { name: t`Move to trash`, menu: t`Move to trash…`, icon: Trash2, keys: ['Del'] },
    menu: { name: t`Everything else`, keys: ['Shift+F10'], also: ['ContextMenu'], local: true },
    back: { name: t`Show all agents again`, keys: ['Esc'], local: true },
  },
  tabs: {
    step: { name: t`Next and previous`, keys: ['←', '→'], repeats: true, local: true },
    open: { name: t`Go to the notebook`, keys: ['Enter'], also: ['Space'], local: true },
    rename: { name: t`Rename`, icon: Pencil, keys: ['F2'] },
    close: { name: t`Close`, icon: X, keys: ['Del'] },
    closeOthers: { name: t`Close others`, icon: CopyX },
    reload: { name: t`Load from the disk again`, icon: RotateCcw },
    closeRight: { name: t`Close to the right`, icon: ListX },
    moveLeft: { name: t`Move left`, icon: ArrowLeft },
    moveRight: { name: t`Move right`, icon: ArrowRight },
    menu: { name: t`Everything else`, keys: ['Shift+F10'], also: ['ContextMenu'], local: true },
  },
  /** The search bar of a notebook. */
  find: {
    next: { name: t`Next match`, keys: ['Enter'], repeats: true, local: true },
    previous: { name: t`Previous match`, keys: ['Shift+Enter'], repeats: true, local: true },
    matchCase: { name: t`Match case`, keys: ['Alt+C'], local: true },
    word: { name: t`Whole words`, keys: ['Alt+W'], local: true },
    regexp: { name: t`Regular expression`, keys: ['Alt+R'], local: true },
    replaceAll: { name: t`Replace all`, keys: ['Ctrl+Enter'], local: true },
    close: { name: t`Close`, keys: ['Esc'], local: true },
  },
  branches: {
    column: { name: t`Go to the column at the left or right`, menu: t`Column`, keys: ['←', '→'], repeats: true, local: true },
    cell: { name: t`Go to the cell above or below`, menu: t`Cell`, keys: ['↑', '↓'], repeats: true, local: true },
    take: {
      name: t`Take the answer of a column`,
      menu: t`Take`,
      keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
      local: true,
    },
    carry: { name: t`Carry the cell over`, menu: t`Carry a cell over`, icon: CornerDownRight, keys: ['C'] },
    difference: { name: t`Show or hide the difference of two answers`, menu: t`Difference of two`, icon: GitCompare, keys: ['D'] },
    open: { name: t`Open the notebook of the column`, menu: t`Open`, icon: NotebookText, keys: ['Enter'] },
  },
  deck: {
    move: { name: t`Move`, keys: ['↑', '↓', '←', '→'], also: ['Home', 'End', 'PageUp', 'PageDown'], repeats: true, local: true },
    open: { name: t`Open the agent`, keys: ['Enter'], also: ['Space'], local: true },
    zoomIn: { name: t`Zoom in`, icon: Plus, keys: ['+'], also: ['='], repeats: true },
    zoomOut: { name: t`Zoom out`, icon: Minus, keys: ['−'], also: ['_'], repeats: true },
    wheel: { name: t`Zoom at the pointer`, keys: ['Ctrl+Wheel'], native: true },
    fit: { name: t`Show all of it`, icon: Maximize2, keys: ['0'] },
  },
  image: {
    previous: { name: t`Previous image`, icon: ChevronLeft, keys: ['←'], repeats: true },
    next: { name: t`Next image`, icon: ChevronRight, keys: ['→'], repeats: true },
    zoomIn: { name: t`Zoom in`, icon: ZoomIn, keys: ['+'], also: ['='], repeats: true },
    zoomOut: { name: t`Zoom out`, icon: ZoomOut, keys: ['−'], also: ['_'], repeats: true },
    fit: { name: t`Fit the window`, keys: ['0'] },
    original: { name: t`Original size`, keys: ['1'] },
    remove: { name: t`Remove from the prompt`, icon: Trash2, keys: ['Del'] },
    close: { name: t`Close`, icon: X, keys: ['Esc'], native: true },
  },
  /** The palette: its field handles them. */
  palette: {
    choose: { name: t`Choose`, keys: ['↑', '↓'], native: true },
    run: { name: t`Run`, keys: ['Enter'], native: true },
    step: { name: t`Next step`, keys: ['Tab'], native: true },
    back: { name: t`Back`, keys: ['Backspace'], native: true },
    leave: { name: t`Close`, keys: ['Esc'], native: true },
  },
  /** Cards of waiting requests. */
  review: {
    move: { name: t`Move`, keys: ['↑', '↓'], also: ['Home', 'End'], repeats: true, local: true },
    approve: { name: t`Approve`, keys: ['Enter'] },
    reject: { name: t`Reject with a reason`, menu: t`Reject`, keys: ['R'], also: ['Shift+R'] },
    edit: { name: t`Edit before approving`, menu: t`Edit`, keys: ['E'], also: ['Shift+E'] },
    scope: { name: t`Once, agent, notebook, always`, menu: t`Scope`, keys: ['1', '2', '3', '4'], local: true },
    answer: { name: t`Answer, start agents`, keys: ['Ctrl+Enter'] },
    whole: { name: t`Show all of it`, keys: ['Space'] },
    back: { name: t`Back to where you were`, menu: t`Back`, keys: ['Esc'], local: true },
  },
  /** The dialog of one card. */
  reviewDialog: {
    previous: { name: t`The one before`, icon: ChevronLeft, keys: ['←'], repeats: true, local: true },
    next: { name: t`The next one`, icon: ChevronRight, keys: ['→'], repeats: true, local: true },
  },
  question: {
    choose: { name: t`Take a choice of a question`, menu: t`Choose`, keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'], local: true },
  },
  /** Text to read or type. */
  text: {
    cut: { name: t`Cut`, icon: Scissors, keys: ['Ctrl+X'], native: true },
    copy: { name: t`Copy`, icon: Copy, keys: ['Ctrl+C'], native: true },
    paste: { name: t`Paste`, icon: ClipboardPaste, keys: ['Ctrl+V'], native: true },
    selectAll: { name: t`Select all`, icon: TextSelect, keys: ['Ctrl+A'], native: true },
    take: { name: t`Take what is typed`, keys: ['Enter'], native: true },
    breakLine: { name: t`Break the line`, keys: ['Shift+Enter'], native: true },
  },
} as const satisfies Record<string, Record<string, Action>>

type Actions = typeof actions
/** The places to which actions belong and where their keys work. */
export type Place = keyof Actions
/** The actions of a place. */
export type ActionOf<P extends Place> = keyof Actions[P]
type Having<P extends Place, Field> = { [I in keyof Actions[P]]: Actions[P][I] extends Field ? I : never }[keyof Actions[P]]
/** The actions of a place that have a key. */
export type KeyedOf<P extends Place> = Having<P, { keys: readonly string[] }>
/** The actions of a place that a Keyboard listens for. */
export type HeardOf<P extends Place> = Exclude<KeyedOf<P>, Having<P, { native: true }>>
/** The actions of a place that its owner implements. */
export type BindableOf<P extends Place> = Exclude<ActionOf<P>, Having<P, { native: true }>>
/** The actions of a place that have an icon, as menus require. */
export type IconOf<P extends Place> = Having<P, { icon: unknown }>

/** An action with its current keys: those that the person chose, or else the default ones. */
export function find<P extends Place>(place: P, id: ActionOf<P>): Action {
  const action = (actions[place] as Record<ActionOf<P>, Action>)[id]
  const keys = changedKeys()[`${place}.${String(id)}`]
  return keys ? { ...action, keys, also: [] } : action
}

/** The actions of a place that a Keyboard listens for. */
export const heardIn = <P extends Place>(place: P): HeardOf<P>[] =>
  Object.keys(actions[place]).filter((id) => {
    const { keys, native } = find(place, id as ActionOf<P> & string)
    return keys?.length && !native
  }) as unknown as HeardOf<P>[]

/** The first key of an action as shown in tooltips and menus; "" if the person removed it. */
export function keysOf<P extends Place>(place: P, id: KeyedOf<P>): string {
  return find(place, id).keys![0] ?? ''
}

/** The name of an action in menus, buttons and tooltips. */
export function wordsOf<P extends Place>(place: P, id: ActionOf<P>): string {
  const { name, menu = name } = find(place, id)
  return menu
}

/** The beginning of a menu entry or an IconButton for an action. reversed: for its opposite. */
export function entryOf<P extends Place>(place: P, id: IconOf<P>, reversed = false): { label: string; icon: Component; keys?: string } {
  const { icon, reverse, keys } = find(place, id)
  const opposite = reversed ? reverse : undefined
  return { label: opposite?.name ?? wordsOf(place, id), icon: opposite?.icon ?? icon!, keys: keys?.[0] }
}

/** An action in a line of hints. */
export interface Hint {
  keys: string
  name: string
}

/** The hint for an action: its keys and its name within a sentence. */
export function hintOf<P extends Place>(place: P, id: KeyedOf<P>): Hint {
  const words = wordsOf(place, id)
  return { keys: allKeysOf(find(place, id)), name: words[0]!.toLowerCase() + words.slice(1) }
}

/** All keys of an action: "Ctrl+. or Esc Esc", "↑ ↓", "1–4". */
export function allKeysOf({ keys = [] }: Pick<Action, 'keys'>): string {
  if (keys.length > 1 && keys.every((k) => /^(?:Ctrl\+)?\d$/.test(k))) return `${keys[0]}–${keys.at(-1)!.at(-1)}`
  return keys.join(keys.every((k) => [...k].length === 1 && /[←→↑↓]/.test(k)) ? ' ' : ' or ')
}

/** The keys of actions in the notation of aria-keyshortcuts, without sequences of two: "Control+.", "Enter R E". */
export function ariaKeysOf<P extends Place>(place: P, ...ids: KeyedOf<P>[]): string {
  return ids
    .flatMap((id) => find(place, id).keys!)
    .filter((keys) => !keys.includes(' '))
    .map((keys) => keys.replace('Ctrl', 'Control').replace(/Esc$/, 'Escape').replace(/Del$/, 'Delete'))
    .join(' ')
}
