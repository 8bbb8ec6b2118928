import { LIVE } from '../../src/sequences/enrollments/enrollment.ts'
import type { Store } from '../../src/store/open.ts'
import type { Org } from './org.ts'
import type { TestServer } from './server.ts'

export type Row = Record<string, string | number | null>

/** Inserts a row unchanged. */
export function insertRow({ db }: Pick<Store, 'db'>, table: string, row: Row): void {
  const names = Object.keys(row)
  db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`).run(
    row,
  )
}

export const EMAIL_STEP = { type: 'email', delay_s: 0, business_days_only: false, subject: 'Hello', body: 'Hello' }

/** Inserts the rows of a sequence with one version of steps. */
export function makeSequence(
  { store }: TestServer,
  { org }: Org,
  {
    steps = [EMAIL_STEP],
    stopOn = ['reply', 'unsubscribe', 'bounce'],
  }: { steps?: Record<string, unknown>[]; stopOn?: string[] } = {},
): { id: string; steps: string[] } {
  const id = store.clock.id()
  const now = store.clock.now()
  const kept = steps.map((step, position) => ({ id: store.clock.id(), position, ...step }))
  const [json, stop_on] = [JSON.stringify(kept), JSON.stringify(stopOn)]
  insertRow(store, 'sequences', {
    org_id: org,
    id,
    key: id,
    name: 'Welcome',
    status: 'active',
    position: store.db.prepare('SELECT count(*) FROM sequences').pluck().get() as number,
    current_version: 1,
    steps: json,
    stop_on,
    created_at: now,
    updated_at: now,
    version: 1,
  })
  insertRow(store, 'sequence_versions', {
    org_id: org,
    sequence_id: id,
    number: 1,
    steps: json,
    stop_on,
    created_at: now,
  })
  return { id, steps: kept.map((step) => step.id) }
}

/** Inserts the row of an enrollment in the sequence. */
export function enroll({ store }: TestServer, { org }: Org, sequenceId: string, given: Row = {}): string {
  const id = (given.id as string | undefined) ?? store.clock.id()
  const now = store.clock.now()
  const status = (given.status as string | undefined) ?? 'active'
  const isOver = !LIVE.some((live) => live === status)
  insertRow(store, 'enrollments', {
    org_id: org,
    id,
    sequence_id: sequenceId,
    sequence_version: 1,
    status,
    stop_reason: { stopped: 'manual', failed: 'error' }[status] ?? null,
    due_at: isOver ? null : now,
    finished_at: isOver ? now : null,
    current_step: 0,
    created_at: now,
    updated_at: now,
    version: 1,
    ...given,
  })
  return id
}
