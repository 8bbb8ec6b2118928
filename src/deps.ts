import { type Outbox, outbox } from './events/outbox.ts'
import type { Store } from './store/open.ts'
import { type References, references } from './store/references.ts'
import { parseAllow } from './webhooks/egress/allow.ts'
import { type Guard, guard } from './webhooks/egress/guard.ts'

/** What the stores of the resources stand on. */
export type Deps = Pick<Store, 'db' | 'clock' | 'vault'> & { outbox: Outbox; references: References; guard: Guard }

/** The seed gives a clock of its own, so that its records have a past; a server gives the guard of its options. */
export function resourceDeps(
  { db, clock, vault }: Pick<Store, 'db' | 'clock' | 'vault'>,
  targets: Guard = guard({ allow: parseAllow(''), ownPorts: () => [] }),
): Deps {
  return { db, clock, vault, outbox: outbox({ db, clock }), references: references(db), guard: targets }
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
