import { actions, heardIn, type Action, type HeardOf, type Place } from './actions'

/** What an action does, and when it can be done: always, unless it says. */
export interface Meaning {
  when?: () => boolean
  run: () => void
}

/** An action with all that shortcuts, menus, tooltips and the sheet of keys are made of. */
export interface BoundAction<P extends Place> extends Action {
  readonly id: HeardOf<P>
  /** Whether it can be done now. */
  when(): boolean
  /** Does it, if it can be done now. */
  run(): void
}

/** Gives the actions of a place that have keys their meanings. Each has one, or it does not compile. */
export function bind<P extends Place>(place: P, meanings: Record<HeardOf<P>, Meaning>): Record<HeardOf<P>, BoundAction<P>> {
  const bound = heardIn(place).map((id): [HeardOf<P>, BoundAction<P>] => {
    const { when = () => true, run } = meanings[id]
    const action = (actions[place] as unknown as Record<HeardOf<P>, Action>)[id]
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
  return Object.fromEntries(bound) as Record<HeardOf<P>, BoundAction<P>>
}
