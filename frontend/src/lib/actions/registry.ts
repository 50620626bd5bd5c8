import { actions, type Action, type ActionOf, type Place } from './actions'

/** What an action does, and when it can be done: always, unless it says. */
export interface Meaning {
  when?: () => boolean
  run: () => void
}

/** An action with all that shortcuts, menus, tooltips and the sheet of keys are made of. */
export interface BoundAction<P extends Place> extends Action {
  readonly id: ActionOf<P>
  /** Whether it can be done now. */
  when(): boolean
  /** Does it, if it can be done now. */
  run(): void
}

/** Gives the actions of a place their meanings. Each has one, or it does not compile. */
export function bind<P extends Place>(place: P, meanings: Record<ActionOf<P>, Meaning>): Record<ActionOf<P>, BoundAction<P>> {
  const bound = (Object.entries(actions[place]) as [ActionOf<P>, Action][]).map(([id, action]): [ActionOf<P>, BoundAction<P>] => {
    const { when = () => true, run } = meanings[id]
    return [
      id,
      {
        ...action,
        id,
        when,
        run: () => {
          if (when()) run()
        },
      },
    ]
  })
  return Object.fromEntries(bound) as Record<ActionOf<P>, BoundAction<P>>
}
