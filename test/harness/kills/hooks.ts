import assert from 'node:assert/strict'
import { EVENT_COLUMNS, eventJson, type StoredEvent } from '../../../src/events/body.ts'
import type { Database } from '../../../src/store/sqlite/driver.ts'
import { startReceiver } from '../../support/receiver.ts'
import { intake } from '../../webhooks/intake.ts'
import type { Place } from './place.ts'
import { call, type Server } from './server.ts'

/** Subscribes a receiver to all events. */
export async function hookOf({ org }: Place, server: Server) {
  const receiver = await startReceiver()
  const { status, body } = await call(server, 'POST', '/webhooks', { url: receiver.url, event_types: ['*'] })
  assert.equal(status, 201, JSON.stringify(body))
  const { take, texts, taken, wrongs, repeats } = intake(body.secret, () => false)
  receiver.answer(take)

  return {
    stop: receiver.stop,
    left: (db: Database): number =>
      (db.prepare('SELECT count(*) FROM events WHERE org_id = ?').pluck().get(org.org) as number) - taken.size,
    /** What was committed arrived with its bytes, in the order of each record, and nothing else. */
    check(db: Database) {
      const stored = db
        .prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE org_id = ? ORDER BY commit_seq`)
        .all(org.org) as StoredEvent[]
      assert.deepEqual(wrongs, [])
      const told = stored.map((event) => [event.id, eventJson(event)])
      assert.deepEqual([...texts].sort(), told.sort(), 'webhooks')
      return { delivered: texts.size, delivered_twice: repeats() }
    },
  }
}
export type Hook = Awaited<ReturnType<typeof hookOf>>
