import { ViewPlugin, type DecorationSet, type EditorView, type ViewUpdate } from '@codemirror/view'

/** decorated gives an editor decorations that depend only on its visible text; draw makes them. */
export const decorated = (draw: (view: EditorView) => DecorationSet) =>
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet
      constructor(view: EditorView) {
        this.decorations = draw(view)
      }
      update(u: ViewUpdate): void {
        if (u.docChanged || u.viewportChanged) this.decorations = draw(u.view)
      }
    },
    { decorations: (plugin) => plugin.decorations },
  )
