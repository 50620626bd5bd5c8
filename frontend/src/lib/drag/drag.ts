/** The drag type of a notebook of the folder; its data is the file, relative to the folder. */
export const notebookType = 'application/x-mutsumi-notebook'
