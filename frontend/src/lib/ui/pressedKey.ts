/** The key of a press, as KeyboardEvent.key names it. WebKitGTK has no name for Tab with Shift, which is a key of its own on Linux. */
export const pressedKey = ({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string =>
  key === 'Unidentified' && code === 'Tab' ? 'Tab' : key
