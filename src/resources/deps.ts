import { type Outbox, outbox } from '../events/outbox.ts'
import type { Store } from '../store/open.ts'
import { type References, references } from '../store/references.ts'

/** What the stores of the resources stand on. */
export type Deps = Pick<Store, 'db' | 'clock'> & { outbox: Outbox; references: References }

/** The seed gives a clock of its own, so that its records have a past. */
export function resourceDeps({ db, clock }: Pick<Store, 'db' | 'clock'>): Deps {
  return { db, clock, outbox: outbox({ db, clock }), references: references(db) }
}
