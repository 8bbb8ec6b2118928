import Koa, { type Middleware } from 'koa'
import { accessCache } from '../auth/access.ts'
import { bearer } from '../auth/bearer.ts'
import { cursorSecret, keyring } from '../auth/keys.ts'
import { tokens } from '../auth/tokens.ts'
import { closeReasons } from '../crm/close-reasons/close-reasons.ts'
import { companies } from '../crm/companies.ts'
import { contacts } from '../crm/contacts.ts'
import { deals } from '../crm/deals/deals.ts'
import { lists } from '../crm/lists/lists.ts'
import { me } from '../crm/members/me.ts'
import { members } from '../crm/members/members.ts'
import { notes } from '../crm/notes.ts'
import { stages } from '../crm/stages/stages.ts'
import { tags } from '../crm/tags.ts'
import { tasks } from '../crm/tasks.ts'
import type { Deps } from '../deps.ts'
import { auditLog } from '../events/audit/log.ts'
import { eventSeqs } from '../events/epochs.ts'
import { type Bodies, bodies } from '../http/body/bodies.ts'
import { cursors } from '../http/cursor.ts'
import type { Kernel } from '../http/exchange.ts'
import { idempotency } from '../http/idempotency.ts'
import { kernel } from '../http/kernel.ts'
import type { Measure } from '../http/measure.ts'
import { type Rate, rateLimit } from '../http/ratelimit.ts'
import type { Route } from '../http/route.ts'
import { commitWaiters } from '../http/waiting.ts'
import { conversations } from '../inbox/conversations/routes.ts'
import { hours } from '../inbox/hours/hours.ts'
import { invitingMeetings } from '../inbox/invitations/inviting.ts'
import { messages } from '../inbox/messages/routes.ts'
import { slaPolicies } from '../inbox/sla/policies.ts'
import type { Log } from '../lib/log.ts'
import { transcripts } from '../meetings/transcripts.ts'
import { customFields } from '../records/custom-fields/custom-fields.ts'
import { enrollments } from '../sequences/enrollments/enrollments.ts'
import { sequences } from '../sequences/sequences/sequences.ts'
import type { Store } from '../store/open.ts'
import { deliveries } from '../webhooks/deliveries.ts'
import { events } from '../webhooks/events.ts'
import { webhooks } from '../webhooks/webhooks.ts'
import { resourceDeps } from './deps.ts'

/** Every resource of the API. */
const RESOURCES: ((deps: Deps) => Route[])[] = [
  deals,
  closeReasons,
  contacts,
  companies,
  stages,
  members,
  me,
  notes,
  tasks,
  tags,
  lists,
  customFields,
  webhooks,
  deliveries,
  events,
  invitingMeetings,
  transcripts,
  conversations,
  messages,
  hours,
  slaPolicies,
  sequences,
  enrollments,
]

/** The prefix of the API. */
export const PREFIX = '/api/v1'

const catalogs = new WeakMap<Deps, readonly Route[]>()

/** The catalog: every method and path under the prefix. No other route is public. Both listeners share it. */
export function catalog(deps: Deps): readonly Route[] {
  const routes = catalogs.get(deps) ?? RESOURCES.flatMap((resource) => resource(deps))
  catalogs.set(deps, routes)
  return routes
}

export type AppOptions = {
  dataDir: string
  log: Log
  rate: Rate | null
  corsOrigins: readonly string[]
  measure?: Measure | undefined
  checkHost?: Kernel['checkHost']
  /** If the caller has them already. */
  deps?: Deps
  bodies?: Bodies
  /** Aborted when the server starts to stop: new requests are refused, and waiting ones return. */
  stopping: AbortSignal
  /** Answers before the catalog: what receives organisations from other servers. */
  first?: Middleware | undefined
  reader?: Kernel['reader']
}

/** The API as a Koa application, without a listener. */
export function api(store: Store, { dataDir, rate, deps = resourceDeps(store), first, ...options }: AppOptions): Koa {
  const app = new Koa()
  const keys = keyring(dataDir, store)
  if (!options.reader) keys.check() // fails now instead of refusing every token signed by such a key
  app.silent = true // the kernel logs failures; a client that disconnects is not a failure
  const read = options.bodies ?? bodies()
  if (first) app.use(first)
  app.use(
    kernel(catalog(deps), {
      ...options,
      bodies: read,
      dataDir,
      ...bearer(accessCache(tokens(keys, store), store)),
      prefix: PREFIX,
      write: store.write,
      health: store.health,
      changes: store.changes,
      cursors: cursors(cursorSecret(dataDir)),
      answers: idempotency(store),
      audit: auditLog(store).record,
      waiters: commitWaiters(store.committed.subscribe, options.stopping),
      ...eventSeqs(store.db),
      rate: rate && rateLimit(rate, store.clock.now),
    }),
  )
  return app
}
