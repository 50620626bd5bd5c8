/** A lane's row in pixels: its height (--bar-l of tokens.css), and the top and height of its bars. */
export const laneRow = { height: 44, barTop: 13, bar: 18 } as const
