import { Screen } from './screen'

/** TerminalOutput is the loaded output of a command. */
export interface TerminalOutput {
  readonly screen: Screen
  /** Grows whenever the screen changes. */
  readonly version: number
  readonly loaded: boolean
}

/** printed makes the screen of complete output. */
export function printed(raw: string): TerminalOutput {
  const screen = new Screen()
  screen.write(raw)
  return { screen, version: 0, loaded: true }
}
