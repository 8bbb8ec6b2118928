import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ageOf, refuseOld } from '../../../src/ops/replication/commands/standby-age.ts'

// What "dealbox promote" says of the copy that it is about to make the primary.

const AT = Date.UTC(2026, 10, 20, 8, 36)
const age = (lagMs: number | undefined, beat_at: number | null = AT) =>
  ageOf({ replication: () => ({ beat_at }), lagMs: () => lagMs } as never)

test('the age of a copy is that of its heartbeat, in tenths of a second', () => {
  assert.deepEqual(age(1234), { copy_at: '2026-11-20T08:36:00.000Z', copy_age_s: 1.2 })
  assert.deepEqual(age(undefined, null), { copy_at: null, copy_age_s: null })
})

test('a copy of the last ten seconds is promoted without a question, and an older one only with --yes', () => {
  for (const ms of [0, 5000, 10_000]) refuseOld(age(ms))
  for (const [ms, said] of [
    [10_100, /of 2026-11-20T08:36:00\.000Z, 10\.1 s ago: .* add --yes\.$/],
    [300_000, /, 5 minutes ago: whatever the primary has acknowledged since then is not in it/],
    [8 * 3_600_000, /, 8 hours ago/],
    [undefined, /no heartbeat into this copy, so nobody can say how old it is/],
  ] as const)
    assert.throws(
      () => refuseOld(age(ms, ms === undefined ? null : AT)),
      (error: { code: string; message: string }) => error.code === 'copy_old' && said.test(error.message),
      String(ms),
    )
})
