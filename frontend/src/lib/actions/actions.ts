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

/* Every action that has a key or stands in a menu, by the place that it belongs
   to. What a key does, and the words, icons and keys in menus, buttons,
   tooltips and the sheet of keys, come from here. The owner of a place binds
   each of its actions to what it does (registry.ts). */

export interface Action {
  /** What the sheet of keys calls it. */
  name: string
  /** What a menu, a button or a hint calls it, where that is not its name. */
  menu?: string
  /** Its icon in menus and on buttons. */
  icon?: Component
  /** The opposite that the same entry and the same key stand for while it is done: "Unpin" of "Pin to the top". */
  reverse?: { name: string; icon?: Component }
  /** As written for a person: "Ctrl+Shift+P"; "D D" is pressed one after the other. None: it is only in menus. */
  keys?: readonly string[]
  /** Keys that do the same but are not listed: other layouts, the numeric pad. */
  also?: readonly string[]
  /** A key that is held down does it again and again. */
  repeats?: boolean
  /** Not while text is edited, where the keys have a meaning of their own. Of keys without Ctrl or Alt only F1 to F12 are heard there. */
  outside?: boolean
  /** The browser or a field does it by itself; no Keyboard listens for it. */
  native?: boolean
  /** It only moves within what has the focus, or depends on which of its keys is pressed: a list of all actions leaves it out. */
  local?: boolean
}

export const actions = {
  window: {
    new: { name: 'New agent', icon: Plus, keys: ['Ctrl+N'] },
    open: { name: 'Open a folder', menu: 'Open folder…', icon: FolderOpen, keys: ['Ctrl+O'] },
    another: { name: 'Another window of this folder', icon: AppWindow },
    find: { name: 'Find anything', keys: ['Ctrl+K'] },
    search: { name: 'Search agents', keys: ['Ctrl+Shift+L'] },
    findText: { name: 'Find in the notebook', menu: 'Find…', icon: Search, keys: ['Ctrl+F'] },
    findNext: { name: 'Next match', keys: ['F3'], also: ['Ctrl+G'], repeats: true },
    findPrevious: { name: 'Previous match', keys: ['Shift+F3'], also: ['Ctrl+Shift+G'], repeats: true },
    replaceText: { name: 'Replace in prompts', menu: 'Replace…', keys: ['Ctrl+H'], also: ['Ctrl+Alt+F'] },
    stop: { name: 'Stop the agent', menu: 'Stop', icon: Square, keys: ['Ctrl+.', 'Esc Esc'] },
    inbox: { name: 'Go to what waits for you', keys: ['Ctrl+J'] },
    preview: { name: 'Show what will be sent', menu: 'Preview what is sent', keys: ['Ctrl+Shift+P'] },
    branches: { name: 'Show branches and forks', menu: 'Branch lab', icon: GitCompare, keys: ['Ctrl+Shift+B'] },
    deck: { name: 'Show the flight deck', menu: 'Flight deck', icon: ChartGantt, keys: ['Ctrl+Shift+D'] },
    sidebar: {
      name: 'Show or hide the agents',
      menu: 'Show the agents',
      icon: PanelLeft,
      reverse: { name: 'Hide the agents' },
      keys: ['Ctrl+B'],
    },
    inspector: {
      name: 'Show or hide the context',
      menu: 'Show the context',
      icon: PanelRight,
      reverse: { name: 'Hide this pane', icon: X },
      keys: ['Ctrl+Alt+B'],
    },
    nextTab: { name: 'Next tab', keys: ['Ctrl+Tab'], repeats: true },
    previousTab: { name: 'Previous tab', keys: ['Ctrl+Shift+Tab'], repeats: true },
    close: { name: 'Close tab', menu: 'Close', icon: X, keys: ['Ctrl+W'] },
    tab: {
      name: 'Go to a tab, the last one',
      keys: ['Ctrl+1', 'Ctrl+2', 'Ctrl+3', 'Ctrl+4', 'Ctrl+5', 'Ctrl+6', 'Ctrl+7', 'Ctrl+8', 'Ctrl+9'],
      local: true,
    },
    reopen: { name: 'Open the closed tab again', menu: 'Reopen closed tab', icon: Undo2, keys: ['Ctrl+Shift+T'] },
    split: { name: 'Split: show it at the side too', menu: 'Split right', icon: Columns2, keys: ['Ctrl+\\'] },
    otherGroup: { name: 'Go to the other group of tabs', menu: 'Other group', icon: Columns2, keys: ['F6'] },
    moveToOther: { name: 'Move the tab to the other side', icon: ArrowRightLeft, keys: ['Shift+F6'] },
    closeGroup: { name: 'Close the group of tabs', menu: 'Close the group', icon: SquareX },
    rename: { name: 'Rename the agent on view', menu: 'Rename', icon: Pencil, keys: ['F2'] },
    undo: { name: 'Undo in the notebook', keys: ['Ctrl+Z'], repeats: true, outside: true },
    redo: { name: 'Redo in the notebook', keys: ['Ctrl+Shift+Z'], repeats: true, outside: true },
    zoomIn: { name: 'Larger', keys: ['Ctrl++'], also: ['Ctrl+='], repeats: true },
    zoomOut: { name: 'Smaller', keys: ['Ctrl+−'], also: ['Ctrl+_'], repeats: true },
    zoomReset: { name: 'Usual size', keys: ['Ctrl+0'] },
    settings: { name: 'Settings', icon: Settings, keys: ['Ctrl+,'] },
    keys: { name: 'All keys', icon: CircleQuestionMark, keys: ['?'] },
  },
  prompt: {
    run: { name: 'Run', keys: ['Shift+Enter'] },
    runAndInsert: { name: 'Run and add a prompt below', keys: ['Ctrl+Enter'] },
    leave: { name: 'Leave the text, for commands', menu: 'Commands', keys: ['Esc'] },
    refer: { name: 'Refer to a file, a tool or an agent', menu: 'Reference', keys: ['@'], native: true },
    macro: { name: 'Put in a macro', keys: ['{{'], native: true },
    paste: { name: 'Paste text, files or an image', keys: ['Ctrl+V'], native: true },
    undo: { name: 'Undo what you typed, then the step before it', keys: ['Ctrl+Z'], native: true },
    follow: { name: 'Open a reference', keys: ['Ctrl+Click'], native: true },
  },
  cell: {
    edit: { name: 'Edit the prompt', menu: 'Edit', keys: ['Enter'] },
    run: { name: 'Run', icon: Play, keys: ['Shift+Enter'] },
    runAndInsert: { name: 'Run and add a prompt below', keys: ['Ctrl+Enter'] },
    runAll: { name: 'Run this and each below', icon: FastForward },
    runFrom: { name: 'Run this, put the rest aside', icon: RotateCcw },
    restore: { name: 'Restore to before this…', icon: History },
    history: { name: 'Earlier versions of the prompt…', icon: FileClock },
    previous: { name: 'Cell above', keys: ['↑', 'K'], repeats: true },
    next: { name: 'Cell below', keys: ['↓', 'J'], repeats: true },
    first: { name: 'First cell', keys: ['Home'] },
    last: { name: 'Last cell', keys: ['End'] },
    insertAbove: { name: 'Insert above', icon: BetweenHorizontalEnd, keys: ['A'] },
    insertBelow: { name: 'Insert below', icon: BetweenHorizontalStart, keys: ['B'] },
    moveUp: { name: 'Move up', icon: ArrowUp, keys: ['Ctrl+Shift+↑'], repeats: true },
    moveDown: { name: 'Move down', icon: ArrowDown, keys: ['Ctrl+Shift+↓'], repeats: true },
    split: { name: 'Split at the caret', icon: Scissors },
    copyAnswer: { name: 'Copy answer', icon: Copy },
    copyMarkdown: { name: 'Copy as Markdown', icon: Copy },
    clear: { name: 'Clear answer', icon: Eraser },
    pin: {
      name: 'Pin or unpin for summaries',
      menu: 'Keep out of summaries',
      icon: Pin,
      reverse: { name: 'Let summaries cover it', icon: PinOff },
      keys: ['P'],
    },
    mute: { name: 'Mute for models', icon: EyeOff, reverse: { name: 'Send to models again', icon: Eye } },
    internal: {
      name: 'Show or hide what Mutsumi told the model',
      menu: 'Show what Mutsumi told it',
      icon: Eye,
      reverse: { name: 'Hide what Mutsumi told it', icon: EyeOff },
    },
    unfold: { name: 'Show or hide the cells of a summary', menu: 'Show the cells', keys: ['Space'] },
    compactAbove: { name: 'Summarise the cells above', icon: FoldVertical },
    forkNotebook: { name: 'Fork into a new agent', icon: GitFork },
    forkBranch: { name: 'Put the cells below aside', icon: GitBranch },
    unqueue: { name: 'Remove from the queue', icon: Square },
    remove: { name: 'Delete', icon: Trash2, keys: ['D D'] },
    undo: { name: 'Undo', keys: ['Z'], also: ['Ctrl+Z'], repeats: true },
    redo: { name: 'Redo', keys: ['Shift+Z'], also: ['Ctrl+Shift+Z'], repeats: true },
  },
  agents: {
    move: { name: 'Move', keys: ['↑', '↓'], also: ['Home', 'End', 'PageUp', 'PageDown'], repeats: true, local: true },
    fold: { name: 'Fold, or go to the agent above', keys: ['←'], repeats: true, local: true },
    unfold: { name: 'Unfold, or go to the agent below', keys: ['→'], repeats: true, local: true },
    open: { name: 'Open', icon: NotebookText, keys: ['Enter'], also: ['Space'] },
    openBeside: { name: 'Open at the side', icon: Columns2, keys: ['Alt+Enter'] },
    stop: { name: 'Stop', icon: Square },
    resume: { name: 'Resume', icon: Play },
    create: { name: 'New agent under this', icon: CornerDownRight },
    rename: { name: 'Rename', icon: Pencil, keys: ['F2'] },
    duplicate: { name: 'Duplicate', icon: Copy },
    reveal: { name: 'Show in file manager', icon: FolderOpen },
    about: { name: 'Show its details', keys: ['Alt+I'] },
    refer: { name: 'Reference in the prompt', menu: 'Reference in prompt', icon: AtSign, keys: ['Alt+R'] },
    pin: { name: 'Pin to the top', icon: Pin, reverse: { name: 'Unpin', icon: PinOff }, keys: ['Alt+P'] },
    archive: {
      name: 'Archive',
      icon: Archive,
      reverse: { name: 'Take out of the archive', icon: ArchiveRestore },
      keys: ['Alt+A'],
    },
    foldAll: { name: 'Collapse all', icon: ChevronsDownUp, keys: ['−'] },
    unfoldAll: { name: 'Expand all', icon: ChevronsUpDown, keys: ['*'] },
    pauseAll: { name: 'Pause all', icon: Pause, reverse: { name: 'Continue all', icon: Play } },
    remove: { name: 'Move to trash', menu: 'Move to trash…', icon: Trash2, keys: ['Del'] },
    menu: { name: 'Everything else', keys: ['Shift+F10'], also: ['ContextMenu'], local: true },
    back: { name: 'Show all agents again', keys: ['Esc'], local: true },
  },
  tabs: {
    step: { name: 'Next and previous', keys: ['←', '→'], repeats: true, local: true },
    open: { name: 'Go to the notebook', keys: ['Enter'], also: ['Space'], local: true },
    rename: { name: 'Rename', icon: Pencil, keys: ['F2'] },
    close: { name: 'Close', icon: X, keys: ['Del'] },
    closeOthers: { name: 'Close others', icon: CopyX },
    reload: { name: 'Load from the disk again', icon: RotateCcw },
    closeRight: { name: 'Close to the right', icon: ListX },
    moveLeft: { name: 'Move left', icon: ArrowLeft },
    moveRight: { name: 'Move right', icon: ArrowRight },
    menu: { name: 'Everything else', keys: ['Shift+F10'], also: ['ContextMenu'], local: true },
  },
  /** The bar that finds text in a notebook. */
  find: {
    next: { name: 'Next match', keys: ['Enter'], repeats: true, local: true },
    previous: { name: 'Previous match', keys: ['Shift+Enter'], repeats: true, local: true },
    matchCase: { name: 'Match case', keys: ['Alt+C'], local: true },
    word: { name: 'Whole words', keys: ['Alt+W'], local: true },
    regexp: { name: 'Regular expression', keys: ['Alt+R'], local: true },
    replaceAll: { name: 'Replace all', keys: ['Ctrl+Enter'], local: true },
    close: { name: 'Close', keys: ['Esc'], local: true },
  },
  branches: {
    column: { name: 'Go to the column at the left or right', menu: 'Column', keys: ['←', '→'], repeats: true, local: true },
    cell: { name: 'Go to the cell above or below', menu: 'Cell', keys: ['↑', '↓'], repeats: true, local: true },
    take: {
      name: 'Take the answer of a column',
      menu: 'Take',
      keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
      local: true,
    },
    carry: { name: 'Carry the cell over', menu: 'Carry a cell over', icon: CornerDownRight, keys: ['C'] },
    difference: { name: 'Show or hide the difference of two answers', menu: 'Difference of two', icon: GitCompare, keys: ['D'] },
    open: { name: 'Open the notebook of the column', menu: 'Open', icon: NotebookText, keys: ['Enter'] },
  },
  deck: {
    move: { name: 'Move', keys: ['↑', '↓', '←', '→'], also: ['Home', 'End', 'PageUp', 'PageDown'], repeats: true, local: true },
    open: { name: 'Open the agent', keys: ['Enter'], also: ['Space'], local: true },
    zoomIn: { name: 'Zoom in', icon: Plus, keys: ['+'], also: ['='], repeats: true },
    zoomOut: { name: 'Zoom out', icon: Minus, keys: ['−'], also: ['_'], repeats: true },
    wheel: { name: 'Zoom at the pointer', keys: ['Ctrl+Wheel'], native: true },
    fit: { name: 'Show all of it', icon: Maximize2, keys: ['0'] },
  },
  image: {
    previous: { name: 'Previous image', icon: ChevronLeft, keys: ['←'], repeats: true },
    next: { name: 'Next image', icon: ChevronRight, keys: ['→'], repeats: true },
    zoomIn: { name: 'Zoom in', icon: ZoomIn, keys: ['+'], also: ['='], repeats: true },
    zoomOut: { name: 'Zoom out', icon: ZoomOut, keys: ['−'], also: ['_'], repeats: true },
    fit: { name: 'Fit the window', keys: ['0'] },
    original: { name: 'Original size', keys: ['1'] },
    remove: { name: 'Remove from the prompt', icon: Trash2, keys: ['Del'] },
    close: { name: 'Close', icon: X, keys: ['Esc'], native: true },
  },
  /** The palette: its field hears them. */
  palette: {
    choose: { name: 'Choose', keys: ['↑', '↓'], native: true },
    run: { name: 'Run', keys: ['Enter'], native: true },
    step: { name: 'Next step', keys: ['Tab'], native: true },
    back: { name: 'Back', keys: ['Backspace'], native: true },
    leave: { name: 'Close', keys: ['Esc'], native: true },
  },
  /** Cards that wait for the person. */
  review: {
    move: { name: 'Move', keys: ['↑', '↓'], also: ['Home', 'End'], repeats: true, local: true },
    approve: { name: 'Approve', keys: ['Enter'] },
    reject: { name: 'Reject with a reason', menu: 'Reject', keys: ['R'], also: ['Shift+R'] },
    edit: { name: 'Edit before approving', menu: 'Edit', keys: ['E'], also: ['Shift+E'] },
    scope: { name: 'Once, agent, notebook, always', menu: 'Scope', keys: ['1', '2', '3', '4'], local: true },
    answer: { name: 'Answer, start agents', keys: ['Ctrl+Enter'] },
    whole: { name: 'Show all of it', keys: ['Space'] },
    back: { name: 'Back to where you were', menu: 'Back', keys: ['Esc'], local: true },
  },
  /** The dialog of one card. */
  reviewDialog: {
    previous: { name: 'The one before', icon: ChevronLeft, keys: ['←'], repeats: true, local: true },
    next: { name: 'The next one', icon: ChevronRight, keys: ['→'], repeats: true, local: true },
  },
  question: {
    choose: { name: 'Take a choice of a question', menu: 'Choose', keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'], local: true },
  },
  /** Text that is read or typed. */
  text: {
    cut: { name: 'Cut', icon: Scissors, keys: ['Ctrl+X'], native: true },
    copy: { name: 'Copy', icon: Copy, keys: ['Ctrl+C'], native: true },
    paste: { name: 'Paste', icon: ClipboardPaste, keys: ['Ctrl+V'], native: true },
    selectAll: { name: 'Select all', icon: TextSelect, keys: ['Ctrl+A'], native: true },
    take: { name: 'Take what is typed', keys: ['Enter'], native: true },
    breakLine: { name: 'Break the line', keys: ['Shift+Enter'], native: true },
  },
} as const satisfies Record<string, Record<string, Action>>

type Actions = typeof actions
/** Where actions belong, and their keys are heard. */
export type Place = keyof Actions
/** The actions of a place. */
export type ActionOf<P extends Place> = keyof Actions[P]
type Having<P extends Place, Field> = { [I in keyof Actions[P]]: Actions[P][I] extends Field ? I : never }[keyof Actions[P]]
/** The actions of a place that have a key. */
export type KeyedOf<P extends Place> = Having<P, { keys: readonly string[] }>
/** The actions of a place that a Keyboard listens for. */
export type HeardOf<P extends Place> = Exclude<KeyedOf<P>, Having<P, { native: true }>>
/** The actions of a place that its owner carries out. */
export type BindableOf<P extends Place> = Exclude<ActionOf<P>, Having<P, { native: true }>>
/** The actions of a place that have an icon, as menus want. */
export type IconOf<P extends Place> = Having<P, { icon: unknown }>

/** An action with the keys that it has now: those that the person chose, else those above. */
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

/** The first key of an action, as tooltips and menus write it; "" when the person left it without one. */
export function keysOf<P extends Place>(place: P, id: KeyedOf<P>): string {
  return find(place, id).keys![0] ?? ''
}

/** What menus, buttons and tooltips call an action. */
export function wordsOf<P extends Place>(place: P, id: ActionOf<P>): string {
  const { name, menu = name } = find(place, id)
  return menu
}

/** An action as an entry of a menu or an IconButton begins. reversed: as its opposite. */
export function entryOf<P extends Place>(place: P, id: IconOf<P>, reversed = false): { label: string; icon: Component; keys?: string } {
  const { icon, reverse, keys } = find(place, id)
  const opposite = reversed ? reverse : undefined
  return { label: opposite?.name ?? wordsOf(place, id), icon: opposite?.icon ?? icon!, keys: keys?.[0] }
}

/** What a line of hints says of an action. */
export interface Hint {
  keys: string
  name: string
}

/** An action in a line of hints: its keys and its words within a sentence. */
export function hintOf<P extends Place>(place: P, id: KeyedOf<P>): Hint {
  const words = wordsOf(place, id)
  return { keys: allKeysOf(find(place, id)), name: words[0]!.toLowerCase() + words.slice(1) }
}

/** All keys of an action: "Ctrl+. or Esc Esc", "↑ ↓", "1–4". */
export function allKeysOf({ keys = [] }: Pick<Action, 'keys'>): string {
  if (keys.length > 1 && keys.every((k) => /^(?:Ctrl\+)?\d$/.test(k))) return `${keys[0]}–${keys.at(-1)!.at(-1)}`
  return keys.join(keys.every((k) => [...k].length === 1 && /[←→↑↓]/.test(k)) ? ' ' : ' or ')
}

/** The keys of actions as aria-keyshortcuts writes them, without those that are two presses: "Control+.", "Enter R E". */
export function ariaKeysOf<P extends Place>(place: P, ...ids: KeyedOf<P>[]): string {
  return ids
    .flatMap((id) => find(place, id).keys!)
    .filter((keys) => !keys.includes(' '))
    .map((keys) => keys.replace('Ctrl', 'Control').replace(/Esc$/, 'Escape').replace(/Del$/, 'Delete'))
    .join(' ')
}
