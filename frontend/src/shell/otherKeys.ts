/* What stands in the sheet of keys and is no action: what is typed into a
   prompt, and what the pointer does. */
export const otherKeys = {
  prompt: [
    { keys: '@', name: 'Refer to a file, a tool or an agent' },
    { keys: '{{', name: 'Put in a macro' },
    { keys: 'Ctrl+V', name: 'Paste text, files or an image' },
    { keys: 'Ctrl+Click', name: 'Open a reference' },
  ],
} as const
