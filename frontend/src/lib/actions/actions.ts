/* Every action that has a key, by the place where the key works. What a key
   does, what tooltips and menus say of it and the sheet of keys come from here.
   The owner of a place carries its actions out, and must know each of them. */

export interface Action {
  name: string
  /** What a menu calls it, where that is not its name. */
  menu?: string
  /** As written for a person: "Ctrl+Shift+P"; "D D" is pressed one after the other. */
  keys: readonly string[]
  /** Keys that do the same but are not listed: other layouts, the numeric pad. */
  also?: readonly string[]
  /** A key that is held down does it again and again. */
  repeats?: boolean
  /** Not while text is edited, where the keys have a meaning of their own. Of keys without Ctrl or Alt only F1 to F12 are heard there. */
  outside?: boolean
}

export const actions = {
  window: {
    new: { name: 'New agent', keys: ['Ctrl+N'] },
    open: { name: 'Open a folder', menu: 'Open folder…', keys: ['Ctrl+O'] },
    find: { name: 'Search agents', keys: ['Ctrl+K'] },
    stop: { name: 'Stop the agent', keys: ['Ctrl+.', 'Esc Esc'] },
    inbox: { name: 'Go to what waits for you', keys: ['Ctrl+J'] },
    preview: { name: 'Show what will be sent', keys: ['Ctrl+Shift+P'] },
    deck: { name: 'Show the flight deck', keys: ['Ctrl+Shift+D'] },
    sidebar: { name: 'Show or hide the agents', keys: ['Ctrl+B'] },
    inspector: { name: 'Show or hide the context', keys: ['Ctrl+Alt+B'] },
    nextTab: { name: 'Next tab', keys: ['Ctrl+Tab'], repeats: true },
    previousTab: { name: 'Previous tab', keys: ['Ctrl+Shift+Tab'], repeats: true },
    close: { name: 'Close tab', menu: 'Close', keys: ['Ctrl+W'] },
    rename: { name: 'Rename the agent on view', keys: ['F2'] },
    undo: { name: 'Undo in the notebook', keys: ['Ctrl+Z'], repeats: true, outside: true },
    redo: { name: 'Redo in the notebook', keys: ['Ctrl+Shift+Z'], repeats: true, outside: true },
    zoomIn: { name: 'Larger', keys: ['Ctrl++'], also: ['Ctrl+='], repeats: true },
    zoomOut: { name: 'Smaller', keys: ['Ctrl+−'], also: ['Ctrl+_'], repeats: true },
    zoomReset: { name: 'Usual size', keys: ['Ctrl+0'] },
    settings: { name: 'Settings', keys: ['Ctrl+,'] },
    keys: { name: 'All keys', keys: ['?'] },
  },
  prompt: {
    run: { name: 'Run', keys: ['Shift+Enter'] },
    runAndInsert: { name: 'Run and add a prompt below', keys: ['Ctrl+Enter'] },
    leave: { name: 'Leave the text, for commands', keys: ['Esc'] },
  },
  cell: {
    edit: { name: 'Edit the prompt', keys: ['Enter'] },
    run: { name: 'Run', keys: ['Shift+Enter'] },
    runAndInsert: { name: 'Run and add a prompt below', keys: ['Ctrl+Enter'] },
    previous: { name: 'Cell above', keys: ['↑', 'K'], repeats: true },
    next: { name: 'Cell below', keys: ['↓', 'J'], repeats: true },
    first: { name: 'First cell', keys: ['Home'] },
    last: { name: 'Last cell', keys: ['End'] },
    insertAbove: { name: 'Insert above', keys: ['A'] },
    insertBelow: { name: 'Insert below', keys: ['B'] },
    moveUp: { name: 'Move up', keys: ['Ctrl+Shift+↑'], repeats: true },
    moveDown: { name: 'Move down', keys: ['Ctrl+Shift+↓'], repeats: true },
    remove: { name: 'Delete', keys: ['D D'] },
    undo: { name: 'Undo', keys: ['Z'], also: ['Ctrl+Z'], repeats: true },
    redo: { name: 'Redo', keys: ['Shift+Z'], also: ['Ctrl+Shift+Z'], repeats: true },
  },
  agents: {
    move: { name: 'Move', keys: ['↑', '↓'], also: ['Home', 'End', 'PageUp', 'PageDown'], repeats: true },
    fold: { name: 'Fold, or go to the agent above', keys: ['←'], repeats: true },
    unfold: { name: 'Unfold, or go to the agent below', keys: ['→'], repeats: true },
    open: { name: 'Open', keys: ['Enter'], also: ['Space'] },
    rename: { name: 'Rename', keys: ['F2'] },
    about: { name: 'What is known of it', keys: ['Alt+I'] },
    refer: { name: 'Reference in the prompt', menu: 'Reference in prompt', keys: ['Alt+R'] },
    pin: { name: 'Pin to the top', keys: ['Alt+P'] },
    archive: { name: 'Archive', keys: ['Alt+A'] },
    foldAll: { name: 'Collapse all', keys: ['−'] },
    unfoldAll: { name: 'Expand all', keys: ['*'] },
    remove: { name: 'Move to trash', menu: 'Move to trash…', keys: ['Del'] },
    menu: { name: 'Everything else', keys: ['Shift+F10'], also: ['ContextMenu'] },
    back: { name: 'Show all agents again', keys: ['Esc'] },
  },
  tabs: {
    step: { name: 'Next and previous', keys: ['←', '→'], repeats: true },
    open: { name: 'Go to the notebook', keys: ['Enter'], also: ['Space'] },
    rename: { name: 'Rename', keys: ['F2'] },
    close: { name: 'Close', keys: ['Del'] },
    menu: { name: 'Everything else', keys: ['Shift+F10'], also: ['ContextMenu'] },
  },
  deck: {
    move: { name: 'Move', keys: ['↑', '↓', '←', '→'], also: ['Home', 'End', 'PageUp', 'PageDown'], repeats: true },
    open: { name: 'Open the agent', keys: ['Enter'], also: ['Space'] },
    zoomIn: { name: 'Zoom in', keys: ['+'], also: ['='], repeats: true },
    zoomOut: { name: 'Zoom out', keys: ['−'], also: ['_'], repeats: true },
    fit: { name: 'Show all of it', keys: ['0'] },
  },
  image: {
    step: { name: 'Previous and next', keys: ['←', '→'], repeats: true },
    zoomIn: { name: 'Zoom in', keys: ['+'], also: ['='], repeats: true },
    zoomOut: { name: 'Zoom out', keys: ['−'], also: ['_'], repeats: true },
    fit: { name: 'Fit the window', keys: ['0'] },
    original: { name: 'Original size', keys: ['1'] },
    remove: { name: 'Remove from the prompt', keys: ['Del'] },
  },
  /** Cards that wait for the person. */
  review: {
    move: { name: 'Move', keys: ['↑', '↓'], also: ['Home', 'End'], repeats: true },
    approve: { name: 'Approve', keys: ['Enter'] },
    reject: { name: 'Reject with a reason', keys: ['R'], also: ['Shift+R'] },
    edit: { name: 'Edit before approving', keys: ['E'], also: ['Shift+E'] },
    scope: { name: 'Once, agent, notebook, always', keys: ['1', '2', '3', '4'] },
    answer: { name: 'Answer, start agents', keys: ['Ctrl+Enter'] },
    whole: { name: 'All of it', keys: ['Space'] },
    back: { name: 'Back to where you were', keys: ['Esc'] },
  },
  question: {
    choose: { name: 'Take a choice of a question', keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'] },
  },
} as const satisfies Record<string, Record<string, Action>>

/** Where keys are heard. */
export type Place = keyof typeof actions
/** The actions of a place. */
export type ActionOf<P extends Place> = keyof (typeof actions)[P]

/** The first key of an action, as tooltips and menus write it. */
export function keysOf<P extends Place>(place: P, id: ActionOf<P>): string {
  return (actions[place] as Record<ActionOf<P>, Action>)[id].keys[0]!
}

/** An action as an entry of a menu begins: its words and its first key. */
export function entryOf<P extends Place>(place: P, id: ActionOf<P>): { label: string; keys: string } {
  const { name, menu = name }: Action = (actions[place] as Record<ActionOf<P>, Action>)[id]
  return { label: menu, keys: keysOf(place, id) }
}

/** All keys of an action: "Ctrl+. or Esc Esc", "↑ ↓", "1–4". */
export function allKeysOf({ keys }: Pick<Action, 'keys'>): string {
  if (keys.length > 1 && keys.every((k) => /^\d$/.test(k))) return `${keys[0]}–${keys.at(-1)}`
  return keys.join(keys.every((k) => [...k].length === 1 && /[←→↑↓]/.test(k)) ? ' ' : ' or ')
}
