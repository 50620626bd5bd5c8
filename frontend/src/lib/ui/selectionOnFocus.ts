import { EditorView } from '@codemirror/view'

/**
 * Keeps the selection of an editor when it gets the focus. WebKit puts a caret in its place and tells so later;
 * CodeMirror takes that for the person's own selection if 200 ms have passed meanwhile. WebKit leaves a selection alone that is
 * in the editor already.
 */
export const selectionOnFocus = EditorView.domEventObservers({
  focus: (_, view) => {
    const { anchor, head } = view.state.selection.main
    const [from, to] = [view.domAtPos(anchor), view.domAtPos(head)]
    getSelection()?.setBaseAndExtent(from.node, from.offset, to.node, to.offset)
  },
})
