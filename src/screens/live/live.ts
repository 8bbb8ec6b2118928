import type { Deps } from '../../deps.ts'
import type { Log } from '../../http/log.ts'
import type { Every } from '../../lib/every.ts'
import type { Store } from '../../store/open.ts'
import { namedFrame } from './frames.ts'
import { streamHub } from './hub.ts'
import { presence as presences, presentFor } from './presence.ts'

export type Live = ReturnType<typeof liveParts>

/** The open pages of all members, and what they show. */
export function liveParts(parts: {
  store: Store
  deps: Deps
  stopping: AbortSignal
  log: Log
  every?: Every | undefined
}) {
  const hub = streamHub(parts)
  const presence = presences(parts.store.clock.now, (org, changed, gone) => {
    const left = gone.map(({ member_id, tab }) => ({ member_id, tab }))
    for (const stream of hub.of(org)) {
      const seen = presentFor(changed, stream.who)
      if (seen.length > 0 || left.length > 0)
        stream.send(namedFrame('notice', { kind: 'presence', changed: seen, gone: left }))
    }
  })
  hub.onTick(presence.sweep)
  return { hub, presence }
}
