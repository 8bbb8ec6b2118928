import type { Deps } from '../deps.ts'
import { outbox } from '../events/outbox.ts'
import { announcing, type React, type Reactions, type Referrers } from '../events/react.ts'
import { parseAllow } from '../lib/net/allow.ts'
import { type Guard, guard } from '../lib/net/guard.ts'
import type { Store } from '../store/open.ts'
import { references } from '../store/rows/references.ts'
import { reactions, referrers } from './reactions.ts'

/**
 * The demo passes a separate clock, so that its records have a past, and a time before which its events are not kept; a
 * server passes the guard of its options, and the path below which it is.
 */
export function resourceDeps(
  { db, clock, vault }: Pick<Store, 'db' | 'clock' | 'vault'>,
  targets: Guard = guard({ allow: parseAllow(''), ownPorts: () => [] }),
  { writesEventsFrom, basePath = '' }: { writesEventsFrom?: number | undefined; basePath?: string } = {},
): Deps {
  // Made at the first use: they need stores, which are made from the result of this function.
  let tables: { reactions: Reactions; referrers: Referrers } | undefined
  const tablesOf = () => (tables ??= { reactions: reactions(deps), referrers: referrers(deps) })

  const events = outbox({ db, clock }, writesEventsFrom)
  const react: React = (who, event, after, before) => {
    for (const act of tablesOf().reactions[event] ?? []) act(who, after, before)
  }

  const deps: Deps = {
    db,
    clock,
    vault,
    outbox: events,
    references: references(db),
    guard: targets,
    basePath,
    react,
    announce: announcing(events, react),
    clearReferences: (who, kind, id) => {
      for (const clear of tablesOf().referrers[kind]) clear(who, id)
    },
  }
  return deps
}
