import { Screen } from './screen'

/** Printed is the output of a command, as far as it is loaded. */
export interface Printed {
  readonly screen: Screen
  /** Grows whenever the screen changed. */
  readonly version: number
  readonly loaded: boolean
}

/** printed makes the screen of output that is complete. */
export function printed(raw: string): Printed {
  const screen = new Screen()
  screen.write(raw)
  return { screen, version: 0, loaded: true }
}
