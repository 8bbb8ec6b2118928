import { type Outbox, outbox } from '../events/outbox.ts'
import type { Store } from '../store/open.ts'
import { type References, references } from '../store/references.ts'

/** What the stores of the resources stand on. */
export type Deps = Pick<Store, 'db' | 'clock'> & { outbox: Outbox; references: References }

/** The seed gives a clock of its own, so that its records have a past. */
export function resourceDeps({ db, clock }: Pick<Store, 'db' | 'clock'>): Deps {
  return { db, clock, outbox: outbox({ db, clock }), references: references(db) }
}

/** A store that several resources ask for is made once, so that its statements are prepared once. */
export function once<Made extends object>(make: (deps: Deps) => Made): (deps: Deps) => Made {
  const made = new WeakMap<Deps, Made>()

  return (deps) => {
    const known = made.get(deps) ?? make(deps)
    made.set(deps, known)
    return known
  }
}
