import { Screen } from './screen'

/** TerminalOutput is the output of a command, as far as it is loaded. */
export interface TerminalOutput {
  readonly screen: Screen
  /** Grows whenever the screen changed. */
  readonly version: number
  readonly loaded: boolean
}

/** printed makes the screen of output that is complete. */
export function printed(raw: string): TerminalOutput {
  const screen = new Screen()
  screen.write(raw)
  return { screen, version: 0, loaded: true }
}
