import * as v from 'valibot'
import { type Deps, once } from '../deps.ts'
import { EVENT_PATTERNS } from '../events/names.ts'
import { newSecret } from '../events/signature.ts'
import { changeRoute, createRoute, type Route } from '../http/route.ts'
import { standardRoutes } from '../http/standard.ts'
import type { Caller } from '../lib/caller.ts'
import * as f from '../lib/fields.ts'
import { change } from '../lib/merge.ts'
import { conflict } from '../lib/problem.ts'
import type { Filter } from '../store/list/conditions.ts'
import { listing } from '../store/list/page.ts'
import type { Sort } from '../store/list/query.ts'
import * as c from '../store/rows/columns.ts'
import { finder } from '../store/rows/find.ts'
import { rows } from '../store/rows/rows.ts'
import { newRow, nextRow } from '../store/rows/versions.ts'
import { requireEvents } from './access.ts'
import { positions } from './position.ts'
import { signingSecrets } from './signing-secrets.ts'
import { notAllowed, refusalOf } from './targets.ts'

// 1. The wire form.

const MAX_WEBHOOKS = 50
const STATUSES = ['active', 'paused', 'disabled'] as const

const pattern = v.picklist(
  EVENT_PATTERNS,
  'unknown_event|must be an event type such as "deal.created", all events of a resource such as "deal.*", or "*"',
)

const fields = {
  url: f.doc(
    f.url,
    'URL that receives the events by POST, for example "https://hooks.example.com/dealbox". It must not contain a user name or password. Private, loopback, link-local and metadata addresses are not allowed, unless the server was started with `--webhook-allow`: 422 `url_not_allowed`.',
  ),
  event_types: f.doc(
    v.pipe(
      f.arrayOf(pattern, 100),
      v.minLength(1, 'empty|must name at least one event type'),
      v.transform((all) => [...new Set(all)]),
    ),
    'Events to send: event types, `deal.*` for all events of a resource, or `*` for all events. `deal.updated` includes `deal.stage_changed` and `deal.closed`, and `task.updated` includes `task.completed`. Setting them, or the `url`, needs a token with the scope to read the records of each event type: `rest.crm.deals.read` for `deal.*`, and all read scopes for `*`; otherwise 403. A webhook keeps sending these events, whatever happens to the token.',
  ),
  description: f.doc(f.nullable(f.longText()), 'Purpose of the webhook.'),
  status: f.doc(
    f.oneOf(STATUSES),
    'Only `active` webhooks receive events. The server sets `disabled` if the receiver answers 410 or fails for five days. When set to `active` again, the webhook continues with the events since then that are still stored (30 days, unless the server is configured otherwise).',
  ),
}

const readOnly = {
  disabled_reason: f.doc(v.nullable(v.string()), 'Why the webhook is disabled; null if it is not.'),
  last_success_at: f.doc(v.nullable(f.recordFields.created_at), 'When the last successful attempt was made.'),
  last_failure_at: f.doc(v.nullable(f.recordFields.created_at), 'When the last failed attempt was made.'),
}

const shape = { id: f.id, ...fields, event_types: f.arrayOf(v.string()), ...readOnly }
const ABOUT =
  'A webhook sends events to a URL, signed according to [Standard Webhooks](https://www.standardwebhooks.com): at least once, and the events of one record in order.'

export const Webhook = f.doc(f.object({ ...shape, ...f.recordFields }), ABOUT)
export type Webhook = v.InferOutput<typeof Webhook>

const WebhookWithSecret = f.named(
  'WebhookWithSecret',
  f.object({
    ...shape,
    secret: f.doc(
      v.string(),
      'Secret that signs the deliveries, for example "whsec_...". Only this response shows it.',
    ),
    ...f.recordFields,
  }),
)
type WebhookWithSecret = v.InferOutput<typeof WebhookWithSecret>

const WebhookPatch = f.patchOf(fields)
type WebhookPatch = v.InferOutput<typeof WebhookPatch>

const WebhookCreate = f.object({ ...WebhookPatch.entries, url: fields.url, event_types: fields.event_types })
type WebhookCreate = v.InferOutput<typeof WebhookCreate>

const filters: Record<string, Filter> = { status: { type: 'choice', choices: STATUSES, indexed: false } }
const sorts: Record<string, Sort> = { created_at: { column: 'id' } }

// 2. The row.

/** A column of webhook_states, which delivery writes without a new version of the record. */
const stateTime = (name: string) => ({ ...c.time(name), isComputed: true })
const FROM = `webhooks JOIN webhook_states ON webhook_states.org_id = webhooks.org_id AND webhook_id = id`

export const columns = c.columns<Webhook>({
  id: c.plain('id'),
  url: c.text('url'),
  event_types: c.json('event_types'),
  description: c.text('description'),
  status: c.plain('status'),
  disabled_reason: c.text('disabled_reason'),
  last_success_at: stateTime('last_success_at'),
  last_failure_at: stateTime('last_failure_at'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

/** The columns of an export. */
export const exported = c.only<Exported>(columns, columns.stored.fields)
type Exported = Omit<Webhook, 'last_success_at' | 'last_failure_at'>

// 3. The statements and the rules.

const RESTORED =
  'The webhook was restored from an export, without its secret. Rotate the secret, then set the status to active.'

export const webhookStore = once(({ db, clock, vault }: Deps) => {
  const { list } = listing(db, { table: 'webhooks', from: FROM, columns, filters, sorts })
  const { insert, update, remove: removeRow } = rows(db, 'webhooks', columns)
  const find = finder(db, 'webhooks', columns, FROM)
  const secrets = signingSecrets({ db, clock, vault })
  const { passUnwanted } = positions({ db })
  const howMany = db.prepare('SELECT count(*) FROM webhooks WHERE org_id = ?').pluck()
  const insertState = db.prepare(
    `INSERT INTO webhook_states (org_id, webhook_id, secrets, planned_seq, failures)
     VALUES (?, ?, ?, (SELECT last_seq FROM orgs WHERE id = ?), 0)`,
  )
  const forgetFailures = db.prepare(
    `UPDATE webhook_states SET failures = 0, failing_since = NULL, held_until = NULL
     WHERE org_id = ? AND webhook_id = ? AND failures > 0`,
  )
  const hurry = db.prepare(
    'UPDATE deliveries SET due_at = +@now WHERE org_id = @org AND webhook_id = @id AND due_at > @now',
  )

  /**
   * Creates a webhook that receives events from now on. `refusal` is the egress guard's objection to the URL, if any.
   */
  function create(who: Caller, body: WebhookCreate, refusal: string | undefined): WebhookWithSecret {
    requireEvents(who, body.event_types)
    if (refusal !== undefined) throw notAllowed(refusal)
    if ((howMany.get(who.org) as number) >= MAX_WEBHOOKS) {
      throw conflict('too_many_webhooks', `There are already ${MAX_WEBHOOKS} webhooks. Delete one first.`)
    }
    const status = body.status ?? 'active'
    const made: Webhook = newRow(clock, {
      url: body.url,
      event_types: body.event_types,
      description: body.description ?? null,
      status,
      disabled_reason: reasonOf(status),
      last_success_at: null,
      last_failure_at: null,
    })
    return { ...made, secret: store(who.org, made) }
  }

  /** Inserts the webhook with a new secret, which is returned, and a position after all existing events. */
  function store(org: number, made: Webhook): string {
    const secret = newSecret()
    insert(org, made)
    insertState.run(org, made.id, secrets.sealed(made.id, [{ secret, until: null }]), org)
    return secret
  }

  /** Inserts an exported webhook as disabled; its new secret is shown to nobody. */
  function restore(org: number, exported: Exported): void {
    const unset = { last_success_at: null, last_failure_at: null }
    store(org, { ...exported, ...unset, status: 'disabled', disabled_reason: RESTORED })
  }

  function patch(who: Caller, before: Webhook, body: WebhookPatch, refusal: string | undefined): Webhook {
    const { after, changed } = change(before, body)
    if (changed.length === 0) return before
    // A new URL shows the events to another receiver, so it needs the same scopes as naming the events.
    if (changed.includes('url') || changed.includes('event_types')) requireEvents(who, after.event_types)
    if (changed.includes('url') && refusal !== undefined) throw notAllowed(refusal)
    if (changed.includes('event_types')) passUnwanted(who.org, before.id, before.event_types)
    if (changed.includes('status')) after.disabled_reason = reasonOf(after.status)
    // The change may have fixed the receiver: retry at once.
    if (changed.includes('url') || changed.includes('status')) retryNow(who.org, after.id)
    return save(who, before, after)
  }

  function retryNow(org: number, id: string): void {
    forgetFailures.run(org, id)
    hurry.run({ now: clock.now(), org, id })
  }

  /** A job deletes its deliveries, since they may be many. */
  function remove(who: Caller, gone: Webhook): void {
    removeRow(who.org, gone.id)
  }

  /** Creates a new secret; the previous one also signs for a day, so that the receiver has time to change. */
  function rotateSecret(who: Caller, before: Webhook): WebhookWithSecret {
    const secret = newSecret()
    secrets.rotate(who.org, before.id, secret)
    return { ...save(who, before, before), secret }
  }

  /** Disables the webhook on behalf of the server. */
  function disable(org: number, id: string, reason: string): void {
    const who = { org, member: null }
    const before = columns.present(find(who, id))
    if (before.status !== 'disabled') save(who, before, { ...before, status: 'disabled', disabled_reason: reason })
  }

  function save(who: Caller, before: Webhook, given: Webhook): Webhook {
    const after = nextRow(clock, given)
    update(who.org, before, after)
    return after
  }

  return { list, find, create, restore, patch, remove, rotateSecret, disable }
})

const reasonOf = (status: Webhook['status']): string | null =>
  status === 'disabled' ? 'A member set the status to disabled.' : null

// 4. The routes.

const ABOUT_ROTATION =
  'For 24 hours, each delivery has two signatures, one with the new secret and one with the old, so that no delivery is rejected while the receiver changes over.'

export const webhooks = (deps: Deps): Route[] => {
  const { create, patch, rotateSecret, ...store } = webhookStore(deps)
  const checkUrl = (body: unknown): Promise<string | undefined> => refusalOf(deps, body)
  const write = 'rest.crm.webhooks.write'
  return [
    ...standardRoutes({
      path: '/webhooks',
      scope: 'rest.crm.webhooks',
      name: 'webhook',
      Shape: Webhook,
      columns,
      filters,
      sorts,
      timeDependent: true,
      audited: 'webhook',
      ...store,
    }),
    createRoute({
      path: '/webhooks',
      scope: write,
      name: 'webhook',
      operation: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'Only this response contains the secret. An organisation can have at most 50 webhooks: 409 `too_many_webhooks`.',
      body: WebhookCreate,
      returns: WebhookWithSecret,
      isSecret: true,
      audit: { action: 'webhook.created' },
      prefetch: checkUrl,
      run: ({ who, body, known }) => create(who, body, known as string | undefined),
    }),
    changeRoute({
      method: 'patch',
      path: '/webhooks/:id',
      scope: write,
      name: 'webhook',
      summary: 'Change a webhook',
      find: store.find,
      columns,
      body: WebhookPatch,
      returns: Webhook,
      status: 200,
      audit: { action: 'webhook.changed' },
      prefetch: checkUrl,
      run: ({ who, record, body, known }) => patch(who, record, body, known as string | undefined),
    }),
    changeRoute({
      method: 'post',
      path: '/webhooks/:id/rotate-secret',
      scope: write,
      name: 'webhook',
      operation: 'rotateWebhookSecret',
      summary: 'Rotate the secret of a webhook',
      description: ABOUT_ROTATION,
      find: store.find,
      columns,
      returns: WebhookWithSecret,
      status: 200,
      isSecret: true,
      audit: { action: 'webhook.secret_rotated' },
      run: ({ who, record }) => rotateSecret(who, record),
    }),
  ]
}
