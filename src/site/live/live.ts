import type { Deps } from '../../deps.ts'
import type { Bodies } from '../../http/body/bodies.ts'
import { type Every, everyMs } from '../../lib/every.ts'
import type { Log } from '../../lib/log.ts'
import type { Store } from '../../store/open.ts'
import type { WebFiles } from '../page/files.ts'
import { streamHub } from './hub.ts'
import { presence as presences } from './presence.ts'
import { presenceNotices } from './presence-notices.ts'

export type Live = ReturnType<typeof liveParts>

/** What the handlers of pages that stay open are made from. */
export type LiveParts = Live & { store: Store; bodies: Bodies; web: WebFiles; stopping: AbortSignal; log: Log }

/** The open pages of all members, and what they show. */
export function liveParts(parts: {
  store: Store
  deps: Deps
  stopping: AbortSignal
  log: Log
  every?: Every | undefined
}) {
  const hub = streamHub(parts)
  const { note } = presenceNotices(hub, parts.every ?? everyMs)
  const presence = presences(parts.store.clock.now, note)
  hub.onTick(presence.sweep)
  return { hub, presence }
}
