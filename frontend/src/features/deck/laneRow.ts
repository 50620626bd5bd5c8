/** A lane's row, in pixels: its height (--bar-l of tokens.css), and from where its bars go how far down. */
export const laneRow = { height: 44, barTop: 13, bar: 18 } as const
