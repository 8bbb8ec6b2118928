import type * as v from 'valibot'
import { type Deps, once } from '../../deps.ts'
import { type Filter, ListFilter } from '../../filters/filter.ts'
import { CUSTOM, smartLists } from '../../filters/smart.ts'
import type { Route } from '../../http/route.ts'
import * as f from '../../lib/fields.ts'
import { conditionSql } from '../../store/list/condition-sql.ts'
import type { SqlPart } from '../../store/list/conditions.ts'
import { isTimeDependent, type Filter as QueryFilter } from '../../store/list/conditions.ts'
import { listing } from '../../store/list/page.ts'
import * as c from '../../store/rows/columns.ts'
import { finder } from '../../store/rows/find.ts'
import type { Stored } from '../../store/settings/table.ts'
import { statements } from '../../store/sqlite/statements.ts'

// SLA policies are settings: the API reads them, and the settings document writes them (settings.ts).

// 1. The wire form.

export const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const
export type Priority = (typeof PRIORITIES)[number]

/** Statuses of a conversation in which its clocks may pause. */
export const PAUSES = ['pending', 'snoozed'] as const

const seconds = (what: string) => f.doc(f.nullable(f.count()), `${what}, in seconds; null for no target.`)

const Target = f.named(
  'SlaTarget',
  f.object({
    first_response_s: seconds('Time until the first answer'),
    next_response_s: seconds('Time until each later answer'),
    resolution_s: seconds('Time until the conversation is closed'),
  }),
)
export type Target = v.InferOutput<typeof Target>

export const SlaPolicy = f.doc(
  f.object({
    id: f.id,
    name: f.doc(f.title, 'Display name, for example "Key accounts".'),
    is_default: f.doc(
      f.flag,
      'Whether the policy applies to conversations that no other policy matches; at most one can be the default.',
    ),
    is_active: f.doc(f.flag, 'Whether the policy can apply to conversations; false for one that was removed.'),
    position: f.doc(f.count(), 'Position in the order in which policies are matched, starting at 0.'),
    match: f.doc(f.nullable(ListFilter), 'Filter for conversations, as for smart lists; null matches all.'),
    hours_id: f.doc(f.nullable(f.id), 'The business hours that count; null if all time counts.'),
    targets: f.doc(
      f.named('SlaTargets', f.object({ low: Target, normal: Target, high: Target, urgent: Target })),
      'Targets for each priority of a conversation.',
    ),
    pause_on: f.doc(f.arrayOf(f.oneOf(PAUSES)), 'Statuses of a conversation during which no time counts.'),
    ...f.recordFields,
  }),
  'An SLA policy defines how soon conversations are answered and resolved. The first policy that matches a conversation applies.',
)
export type SlaPolicy = v.InferOutput<typeof SlaPolicy>

const filters: Record<string, QueryFilter> = {
  include_inactive: {
    type: 'flag',
    disablesDefault: 'is_active',
    description: 'With `true`, includes inactive policies.',
  },
}

// 2. The row.

/** With the columns that the API does not show. */
export type PolicyRow = Stored & {
  key: string
  name: string
  is_default: boolean
  is_active: boolean
  position: number
  match: object | null
  hours_id: string | null
  targets: Record<Priority, Target>
  pause_on: string[]
}

export const rowColumns = c.columns<PolicyRow>({
  id: c.plain('id'),
  key: c.plain('key'),
  name: c.text('name'),
  is_default: c.bool('is_default'),
  is_active: c.bool('is_active'),
  position: c.integer('position'),
  match: c.json('match'),
  hours_id: c.plain('hours_id'),
  targets: c.json('targets'),
  pause_on: c.json('pause_on'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

const columns = c.only<SlaPolicy>(rowColumns, Object.keys(SlaPolicy.entries))

// 3. The statements and the rules.

/** The SLA targets of a conversation. */
export type Policy = {
  id: string
  /** Null for around the clock. */
  hours_id: string | null
  targets: Record<Priority, Target>
  pause_on: string[]
}

type Row = Record<'id' | 'targets' | 'pause_on', string> & Record<'match' | 'hours_id', string | null>

const FIELDS = c.only<PolicyRow>(rowColumns, ['id', 'match', 'hours_id', 'targets', 'pause_on']).select

/** The most filters that are cached as SQL. */
const MAX_TESTS = 500

const order = { sort: { column: 'position' }, descending: false }
const spec = { columns, filters, sorts: {}, order }

export const slaStore = once((deps: Deps) => {
  const { db } = deps
  const { list } = listing(db, { table: 'sla_policies', ...spec })
  const find = finder(db, 'sla_policies', columns)
  const smart = smartLists(deps)
  const conditions = conditionSql(db, 'conversations')
  const prepare = statements(db)
  const tests = new Map<string, SqlPart>()
  const inOrder = db.prepare(
    `SELECT ${FIELDS} FROM sla_policies WHERE org_id = ? AND is_active = 1 ORDER BY is_default, position`,
  )
  const byId = db.prepare(`SELECT ${FIELDS} FROM sla_policies WHERE org_id = ? AND id = ?`)

  /** Returns the policy for a conversation as it is stored: the first that matches, with the default one last. */
  function matching(org: number, conversationId: string): Policy | undefined {
    const found = (inOrder.all(org) as Row[]).find(({ match }) => match === null || meets(org, conversationId, match))
    return found && policyOf(found)
  }

  function meets(org: number, conversationId: string, match: string): boolean {
    const { sql, values } = testOf(org, match)
    return prepare(sql).get(org, conversationId, ...values) !== undefined
  }

  /** Caches a filter if it is the same for everyone at any time: without custom fields and relative days. */
  function testOf(org: number, match: string): SqlPart {
    const known = tests.get(match)
    if (known) return known
    const all = smart.conditions(org, 'conversation', JSON.parse(match) as Filter)
    const { sql, values } = conditions.test(org, { all }, true)
    const test = { sql: `SELECT 1 FROM conversations WHERE org_id = ? AND id = ? AND ${sql}`, values }
    if (match.includes(CUSTOM) || all.some(isTimeDependent)) return test
    if (tests.size >= MAX_TESTS) tests.clear()
    tests.set(match, test)
    return test
  }

  /** Includes inactive policies; undefined if there is none. */
  function policyById(org: number, id: string): Policy | undefined {
    const row = byId.get(org, id) as Row | undefined
    return row && policyOf(row)
  }

  return { list, find, matching, policyById }
})

const policyOf = ({ id, hours_id, targets, pause_on }: Row): Policy => ({
  id,
  hours_id,
  targets: JSON.parse(targets),
  pause_on: JSON.parse(pause_on),
})

// 4. The routes.

export const slaPolicies = (deps: Deps): Route[] => {
  const { list, find } = slaStore(deps)
  const common = { method: 'get', scope: 'rest.inbox.sla.read', name: 'sla policy' } as const
  return [
    {
      ...common,
      kind: 'list',
      path: '/sla',
      operation: 'listSlaPolicies',
      summary: 'List SLA policies',
      description: 'In the order in which they are matched; the default policy is matched last, whatever its position.',
      item: SlaPolicy,
      list,
      ...spec,
    },
    {
      ...common,
      kind: 'read',
      path: '/sla/:id',
      summary: 'Get one SLA policy',
      description: 'Includes inactive policies, as long as conversations refer to them.',
      columns,
      returns: SlaPolicy,
      find,
    },
  ]
}
