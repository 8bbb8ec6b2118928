import assert from 'node:assert/strict'
import { join } from 'node:path'
import { verifier } from '../../../src/events/audit/verify.ts'
import { DATABASE, openStore } from '../../../src/store/open.ts'
import { allOrgs } from '../../../src/store/orgs/orgs.ts'
import { connection, type Database, openSqlite } from '../../../src/store/sqlite/driver.ts'
import { checkIndex } from '../../store/searched.ts'
import type { Place } from './place.ts'
import { call, get, type Server } from './server.ts'
import { type Acknowledged, KEYS, type Kind, type Writers } from './writers.ts'

/** Of the records that were acknowledged last, so many are searched for. */
const SEARCHED = 6

/** Reads the database beside the server. */
export function reading<T>({ dataDir }: Place, job: (db: ReturnType<typeof connection>) => T): T {
  const db = connection(openSqlite(join(dataDir, DATABASE), { readonly: true }))
  try {
    return job(db)
  } finally {
    db.close()
  }
}

/** What has to be right after each start: the structure of the database, and all that was acknowledged since the last one. */
export function checkStarted(place: Place, db: ReturnType<typeof connection>, since: readonly Acknowledged[]): void {
  assert.deepEqual(db.pragma('quick_check'), [{ quick_check: 'ok' }])
  checkSeqs(place, db)
  for (const { key, kind, id, version } of since) {
    const stored = db.prepare(`SELECT version FROM ${kind} WHERE org_id = ? AND id = ?`).pluck().get(place.org.org, id)
    assert.ok(
      (stored as number) >= version,
      `${key}, acknowledged as version ${version} of ${kind} ${id}, has ${stored}`,
    )
  }
}

function checkSeqs({ org }: Place, db: Database): void {
  const seqs = db.prepare('SELECT min(seq) AS first, max(seq) AS last, count(*) AS n FROM events WHERE org_id = ?')
  const { first, last, n } = seqs.get(org.org) as Record<'first' | 'last' | 'n', number | null>
  if (n) assert.deepEqual([first, last], [1, n], 'the numbers of events have gaps')
}

/** What was acknowledged right before a kill is found after it by its newest words, and by no older ones. */
export async function checkSearch(server: Server, { acknowledged, isPending }: Writers): Promise<void> {
  const newest = new Map(acknowledged.map(({ id, key }) => [id, key]))
  const searched = acknowledged.filter(({ kind, id }) => kind !== 'messages' && !isPending(id)).slice(-SEARCHED)
  for (const { id, key, path } of searched) {
    const list = path.split('/')[1]
    const { data } = await get(server, `/${list}?q=${key.split('-')[1]}`)
    assert.equal(
      (data as { id: string }[]).some((each) => each.id === id),
      newest.get(id) === key,
      `the search for ${key}`,
    )
  }
}

/** Compares the index with all records, while the server runs. */
export async function checkWholeIndex(place: Place, server: Server): Promise<void> {
  const store = openStore(place.dataDir)
  try {
    await checkIndex({ store, call: (method, path) => call(server, method, path) }, [place.org])
  } finally {
    store.close()
  }
}

/** Everything that can be checked without a server. */
export function checkAll<T>(place: Place, writers: Writers, more: (db: Database) => T): T {
  const store = openStore(place.dataDir)
  const { db } = store
  try {
    const opened = connection(db)
    assert.deepEqual(opened.pragma('integrity_check'), [{ integrity_check: 'ok' }])
    assert.deepEqual(opened.pragma('foreign_key_check'), [])
    checkSeqs(place, db)
    for (const kind of Object.keys(KEYS) as Kind[]) checkRecords(place, db, kind, writers.acknowledged)
    checkChanges(place, db, writers.acknowledged)
    const check = verifier(store)
    for (const chain of ['', ...allOrgs(db).map(({ public_id }) => public_id)]) {
      const { fault, org } = check(chain)
      assert.equal(fault, null, `audit log of "${org}"`)
    }
    return more(db)
  } finally {
    store.close()
  }
}

/** Each record that was acknowledged is there once, was made once, and none is there that nobody asked for. */
function checkRecords({ org }: Place, db: Database, kind: Kind, acknowledged: readonly Acknowledged[]): void {
  const own = acknowledged.filter((each) => each.kind === kind)
  const keys = new Map(own.map(({ id, key }) => [id, key])) // of a changed record, the newest one
  const found = db
    .prepare(`SELECT id, ${KEYS[kind]} AS key FROM ${kind} WHERE org_id = ? AND ${KEYS[kind]} LIKE 'work-%'`)
    .all(org.org) as { id: string; key: string }[]
  assert.deepEqual(found.map(({ id, key }) => [id, key]).sort(), [...keys].sort(), `${kind} by id and key`)
  const made =
    { companies: 'company.created', messages: 'message.sent' }[kind as string] ?? `${kind.slice(0, -1)}.created`
  const events = db
    .prepare(
      `SELECT object_id FROM events WHERE org_id = ? AND type = ? AND object_id IN (SELECT value FROM json_each(?))`,
    )
    .pluck()
  const told = events.all(org.org, made, JSON.stringify([...keys.keys()])) as string[]
  if (kind !== 'messages') assert.deepEqual(told.sort(), [...keys.keys()].sort(), `events ${made}`)
}

/** Each acknowledged change of a deal is in one event, and the moves in the history. */
function checkChanges({ org }: Place, db: Database, acknowledged: readonly Acknowledged[]): void {
  const changes = db
    .prepare(
      `SELECT data -> '$.object' ->> 'title' AS key, object_id AS id, data -> '$.object' ->> 'version' AS version
       FROM events WHERE org_id = ? AND type LIKE 'deal.%' AND data -> '$.object' ->> 'title' LIKE 'work-%'
         AND (type = 'deal.created' OR data ->> 'changed_fields' LIKE '%"title"%')`,
    )
    .all(org.org) as Pick<Acknowledged, 'key' | 'id' | 'version'>[]
  const text = ({ key, id, version }: Pick<Acknowledged, 'key' | 'id' | 'version'>) => `${key} ${id} ${version}`
  const wanted = acknowledged.filter(({ kind }) => kind === 'deals')
  assert.deepEqual(changes.map(text).sort(), wanted.map(text).sort(), 'changes of deals')
  const count = (sql: string) => db.prepare(sql).pluck().get(org.org)
  const moves = count("SELECT count(*) FROM events WHERE org_id = ? AND type = 'deal.stage_changed'")
  assert.equal(count('SELECT count(*) FROM deal_stage_history WHERE org_id = ?'), moves, 'moves')
}
