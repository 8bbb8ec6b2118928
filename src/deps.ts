import type { Outbox } from './events/outbox.ts'
import type { Announce, ClearReferences, React } from './events/react.ts'
import type { Guard } from './lib/net/guard.ts'
import type { Store } from './store/open.ts'
import type { References } from './store/rows/references.ts'

/** The dependencies of the resource stores; `resourceDeps` makes them. */
export type Deps = Pick<Store, 'db' | 'clock' | 'vault'> & {
  outbox: Outbox
  references: References
  guard: Guard
  /** The path below which the server is, such as /crm: what goes out has it in its links. */
  basePath: string
  react: React
  announce: Announce
  clearReferences: ClearReferences
}

/** Makes a store shared by several resources only once, so that its statements are prepared once. */
export function once<Made extends object>(make: (deps: Deps) => Made): (deps: Deps) => Made {
  const made = new WeakMap<Deps, Made>()

  return (deps) => {
    const store = made.get(deps) ?? make(deps)
    made.set(deps, store)
    return store
  }
}
