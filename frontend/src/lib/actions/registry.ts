import { getContext, setContext } from 'svelte'
import { find, wordsOf, type Action, type ActionOf, type BindableOf, type Place } from './actions'

/** What an action does, and when it is available: always, unless given. */
export interface Meaning {
  when?: () => boolean
  /** Whether it now means its opposite: "Unpin". */
  reversed?: () => boolean
  /** key: KeyboardEvent.key of the pressed key, if any. */
  run: (key?: string) => void
}

/** An action with everything that shortcuts, menus, tooltips, the sheet of keys and a list of all actions need. */
export interface BoundAction<P extends Place = Place> extends Action {
  readonly place: P
  readonly id: BindableOf<P>
  /** Whether it is available now. */
  when(): boolean
  /** Whether it now means its opposite. */
  reversed(): boolean
  /** Runs it if it is available. */
  run(): void
  /** Runs it in any case, for a key: its target says why it is not possible. key: KeyboardEvent.key. */
  press(key: string): void
}

/** All actions of a place, bound. */
export type Bound<P extends Place> = Record<BindableOf<P>, BoundAction<P>>

/** Implements actions of a place. If all of them are needed, the type is Bound: a missing one does not compile. */
export function bind<P extends Place, I extends BindableOf<P>>(place: P, meanings: Record<I, Meaning>): Record<I, BoundAction<P>> {
  const bound = Object.entries<Meaning>(meanings).map(([id, { when = () => true, reversed = () => false, run }]) => [
    id,
    {
      ...find(place, id as never),
      // The person may change them while the page is open.
      get keys() {
        return find(place, id as never).keys
      },
      place,
      id,
      when,
      reversed,
      run: () => {
        if (when()) run()
      },
      press: run,
    },
  ])
  return Object.fromEntries(bound) as Record<I, BoundAction<P>>
}

/** The menu item for a bound action. */
export function itemOf<P extends Place>(action: BoundAction<P>) {
  const { place, id, icon, keys, reverse, when, run } = action
  const opposite = action.reversed() ? reverse : undefined
  return {
    label: opposite?.name ?? wordsOf(place, id as ActionOf<P>),
    icon: opposite?.icon ?? icon,
    keys: keys?.[0],
    disabled: !when(),
    run,
  }
}

type Offer = () => Partial<Record<string, BoundAction>> | undefined

/**
 * ActionRegistry lists the actions available on the page. The owner of a place offers its actions
 * while it exists; they act on what is current in it.
 */
export class ActionRegistry {
  readonly #offers = new Map<Place, Offer>()

  /** Offers the actions of a place, until the returned function is called. Of two offers the later one counts. */
  offer<P extends Place>(place: P, bound: () => Bound<P> | undefined): () => void {
    const offer = bound as unknown as Offer
    this.#offers.set(place, offer)
    return () => {
      if (this.#offers.get(place) === offer) this.#offers.delete(place)
    }
  }

  /** The actions of the existing places, for a list of all actions. when() says whether an action is available now. */
  list(): BoundAction[] {
    return [...this.#offers.values()]
      .flatMap((offer) => Object.values(offer() ?? {}))
      .filter((action) => action !== undefined && !action.local) as BoundAction[]
  }
}

const key = Symbol('actions')
/** Sets the registry of the page. The shell does this, above all owners of places. */
export const setActionRegistry = (registry: ActionRegistry): ActionRegistry => setContext(key, registry)
/** The registry of the page. A component without a page gets one that nobody reads. */
export const actionRegistry = (): ActionRegistry => getContext<ActionRegistry | undefined>(key) ?? new ActionRegistry()
