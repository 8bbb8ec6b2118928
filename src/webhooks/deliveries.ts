import * as v from 'valibot'
import type { Scope } from '../auth/scopes.ts'
import { type Deps, once } from '../deps.ts'
import { eventJson } from '../events/body.ts'
import { EVENT_NAMES } from '../events/names.ts'
import { changeRoute, type Listed, type Route } from '../http/route.ts'
import type { Caller } from '../lib/caller.ts'
import * as f from '../lib/fields.ts'
import { timeOfId } from '../lib/id.ts'
import { conflict, notFound } from '../lib/problem.ts'
import { type Condition, type Filter, isComparison } from '../store/list/conditions.ts'
import { listing } from '../store/list/page.ts'
import type { Sort } from '../store/list/query.ts'
import * as c from '../store/rows/columns.ts'
import { finder } from '../store/rows/find.ts'
import { type Webhook, columns as webhookColumns, webhookStore } from './webhooks.ts'

// 1. The wire form.

const STATUSES = ['pending', 'delivered', 'failed'] as const
/**
 * The type of event that POST /webhooks/{id}/test sends. It is not an event of the organisation, so it has no `seq`.
 */
export const TEST = 'webhook.test'
const TYPES = [...EVENT_NAMES, TEST]

const time = f.recordFields.created_at

const Try = f.named(
  'DeliveryTry',
  f.object({
    at: f.doc(time, 'Start of the attempt.'),
    duration_ms: f.doc(f.count(), 'Duration of the attempt.'),
    response_status: f.doc(f.nullable(f.count()), 'Status of the response; null if there was none.'),
    response_body: f.doc(v.nullable(v.string()), 'The first 2 KiB of the response.'),
    error: f.doc(v.nullable(v.string()), 'Why the attempt failed; null if it succeeded.'),
  }),
)
export type Try = v.InferOutput<typeof Try>

export const Delivery = f.doc(
  f.object({
    id: f.id,
    webhook_id: f.id,
    event_id: f.doc(f.id, 'Id of the event, and the `webhook-id` of each attempt.'),
    seq: f.doc(f.nullable(f.count()), 'Sequence number of the event; null for a test.'),
    type: f.doc(v.string(), 'Type of the event, for example "deal.created", or `webhook.test`.'),
    status: f.doc(
      f.oneOf(STATUSES),
      '`pending` until an attempt succeeds or the last one fails, after about three days. Later events of the same record wait for it.',
    ),
    tries: f.doc(v.array(Try), 'The attempts, oldest first.'),
    next_try_at: f.doc(
      v.nullable(time),
      'When the next attempt is due; null if the delivery is done or in progress, or waits for an earlier event of the same record.',
    ),
    ...f.recordFields,
  }),
  'A delivery is one event for one webhook, with all attempts. Deliveries are stored as long as events.',
)
export type Delivery = v.InferOutput<typeof Delivery>

const filters: Record<string, Filter> = {
  status: { type: 'choice', choices: STATUSES },
  type: { type: 'choice', choices: TYPES },
}
const sorts: Record<string, Sort> = { created_at: { column: 'id' } }

// 2. The row.

export const columns = c.columns<Delivery>({
  id: c.plain('id'),
  webhook_id: c.plain('webhook_id'),
  event_id: c.plain('event_id'),
  seq: c.integer('seq'),
  type: c.plain('type'),
  status: c.plain('status'),
  tries: c.json('tries'),
  next_try_at: c.time('due_at'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

// 3. The statements and the rules.

export const deliveryStore = once((deps: Deps) => {
  const { db, clock } = deps
  const findWebhook = webhookStore(deps).find
  const { list } = listing(db, {
    table: 'deliveries',
    columns,
    filters: { webhook_id: { type: 'id' }, webhook_status: { type: 'text' }, webhook_type: { type: 'text' } },
    sorts,
  })
  const findAny = finder(db, 'deliveries', columns)
  const event = db.prepare('SELECT 1 FROM events WHERE org_id = ? AND seq = ?').pluck()
  const firstDue = db
    .prepare(
      `SELECT min(due_at) FROM deliveries INDEXED BY deliveries_due
       WHERE org_id = ? AND webhook_id = ? AND due_at IS NOT NULL AND id <> ?`,
    )
    .pluck()
  const retry = db.prepare(
    `UPDATE deliveries SET due_at = +@due, updated_at = @now, version = version + 1
     WHERE org_id = @org AND id = @id AND due_at > @due`,
  )
  const repeat = db.prepare(
    `UPDATE deliveries SET status = 'pending', is_ordered = 0, failures = 0, due_at = +@due,
       updated_at = @now, version = version + 1
     WHERE org_id = @org AND id = @id AND status <> 'pending'`,
  )
  const lift = db.prepare(
    'UPDATE webhook_states SET held_until = +@now WHERE org_id = @org AND webhook_id = @id AND held_until > @now',
  )
  const insertTest = db.prepare(
    `INSERT INTO deliveries (org_id, id, webhook_id, event_id, type, object_id, status, tries, failures, is_ordered,
       due_at, body, created_at, updated_at, version)
     VALUES (@org, @id, @webhook, @event, '${TEST}', @webhook, 'pending', '[]', 0, 0, @now, @body, @now, @now, 1)`,
  )

  /** Throws 404 if the webhook does not exist, or the delivery belongs to another one. */
  function find(who: Caller, webhookId: string, id: string): c.RawRow {
    const row = findAny(who, id)
    if (columns.present(row).webhook_id !== webhookId) throw notFound()
    findWebhook(who, webhookId)
    return row
  }

  /**
   * Makes a pending delivery due now; sends a finished one again, without waiting for other deliveries of its record.
   */
  function redeliver(who: Caller, before: Delivery): Delivery {
    const webhook = webhookColumns.present(findWebhook(who, before.webhook_id))
    if (before.type !== TEST) requireActive(webhook)
    if (before.seq !== null && !event.get(who.org, before.seq))
      throw conflict('event_expired', 'The event is no longer stored and cannot be sent again.')
    const now = clock.now()
    // Before all others: a receiver that is down gets one delivery at a time, and this has to be the one.
    const other = firstDue.get(who.org, before.webhook_id, before.id) as number | null
    const due = other !== null && other <= now ? other - 1 : now
    const params = { now, due, org: who.org, id: before.id }
    retry.run(params)
    repeat.run(params)
    lift.run({ now, org: who.org, id: before.webhook_id })
    return columns.present(findAny(who, before.id))
  }

  /** Also works for a paused or disabled webhook, so that it can be tested before it is set to active. */
  function test(who: Caller, { id: webhook, ...rest }: Webhook): Delivery {
    const [id, event, now] = [clock.id(), clock.id(), clock.now()]
    const data = JSON.stringify({ object: { id: webhook, ...rest }, changed_fields: [], previous: {} })
    const actor = { actor_type: who.member ? 'member' : 'system', actor_id: who.member }
    const body = eventJson({ id: event, seq: null, type: TEST, at: now, ...actor, data })
    insertTest.run({ org: who.org, id, webhook, event, now: timeOfId(id), body })
    return columns.present(findAny(who, id))
  }

  function open(who: Caller, webhookId: string): Listed & { scope: Scope } {
    findWebhook(who, webhookId)
    const ofWebhook: Condition = { column: 'webhook_id', operator: 'eq', values: [webhookId], indexed: true }
    /** Rewrites a condition for the column that combines webhook and value, whose index skips other webhooks. */
    const narrowed = (each: Condition): Condition => {
      const choices = isComparison(each) ? filters[each.column]?.choices : undefined
      if (!isComparison(each) || !choices) return each
      const { column, operator, values } = each
      const wanted = operator === 'ne' ? choices.filter((choice) => !values.includes(choice)) : values
      const among = operator === 'ne' ? 'in' : operator
      const own = wanted.map((value) => `${webhookId} ${value}`)
      return { column: `webhook_${column}`, operator: among, values: own, indexed: true }
    }
    return {
      columns,
      filters,
      sorts,
      scope: READ,
      list: (org, ask) => list(org, { ...ask, conditions: [...ask.conditions.map(narrowed), ofWebhook] }),
    }
  }

  /** Returns the delivery of any webhook. Throws 404. */
  const ofAny = (who: Caller, id: string): Delivery => columns.present(findAny(who, id))

  return { open, find, ofAny, redeliver, test }
})

function requireActive({ status }: Webhook): void {
  if (status === 'active') return
  throw conflict('webhook_not_active', `The webhook is ${status}. Set its status to active first.`)
}

// 4. The routes.

const READ = 'rest.crm.webhooks.read'
const WRITE = 'rest.crm.webhooks.write'

export const deliveries = (deps: Deps): Route[] => {
  const { open, find, redeliver, test } = deliveryStore(deps)
  return [
    {
      kind: 'list',
      method: 'get',
      path: '/webhooks/:id/deliveries',
      scope: READ,
      name: 'delivery',
      operation: 'listDeliveriesOfWebhook',
      summary: 'List the deliveries of a webhook',
      description: 'Each delivery has its attempts, with time, duration, status and the start of the response.',
      item: Delivery,
      open,
      filters,
      sorts,
    },
    changeRoute({
      method: 'post',
      path: '/webhooks/:id/deliveries/:delivery_id/redeliver',
      scope: WRITE,
      name: 'delivery',
      operation: 'redeliver',
      summary: 'Send a delivery again',
      description:
        'A pending delivery is attempted at once, unless it waits for an earlier event of its record. A delivered or failed one is sent again, with the whole retry schedule, and regardless of other events of its record. Errors are 409 `webhook_not_active` and `event_expired`.',
      find,
      columns,
      returns: Delivery,
      status: 200,
      audit: { action: 'webhook.redelivered' },
      run: ({ who, record }) => redeliver(who, record),
    }),
    changeRoute({
      method: 'post',
      path: '/webhooks/:id/test',
      scope: WRITE,
      name: 'delivery',
      operation: 'testWebhook',
      summary: 'Send a test event to a webhook',
      description:
        'Sends an event of the type `webhook.test` with the webhook as its `object`. It is sent once, immediately, even if the webhook is paused or disabled. The list of deliveries shows the result.',
      find: webhookStore(deps).find,
      columns: webhookColumns,
      returns: Delivery,
      status: 200,
      run: ({ who, record }) => test(who, record),
    }),
  ]
}
