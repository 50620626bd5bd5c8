/** The kind of what is dragged when it is a notebook of the folder: its file, relative to the folder. */
export const notebookType = 'application/x-mutsumi-notebook'
