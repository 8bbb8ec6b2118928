import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeExport } from '../../src/exports/write.ts'
import { openStore } from '../../src/store/open.ts'
import { allOrgsEver } from '../../src/store/orgs/orgs.ts'
import type { Received } from './receiver.ts'

// Load on an organisation that moves, and what has to be true afterwards.

/** What clients were told: the newest version of each deal, and which deal each Idempotency-Key made. */
export type Told = { versions: Map<string, number>; made: Map<string, string> }

type LoadOptions = {
  /** The addresses of both servers. */
  bases: readonly string[]
  token: string
  writers: number
  /** A name for the keys of this load. */
  name: string
  told: Told
}

/**
 * Writers that create and change deals, and repeat what was not answered, until they are stopped. A server that says that
 * the organisation has moved, or does not know it, sends them to the other one. Two of three writes make a deal.
 */
export function startLoad({ bases, token, writers, name, told }: LoadOptions) {
  const isStopping = new AbortController()
  let [at, count, longestMs] = [0, 0, 0]
  const refused: string[] = []

  async function writer(number: number): Promise<void> {
    const own: string[] = []
    for (let n = 0; !isStopping.signal.aborted; n++) {
      const key = `${name}-${number}-${n}`
      const id = n % 3 === 2 ? own[n % Math.max(1, own.length)] : undefined
      const body = JSON.stringify({ title: `${key} ${'x'.repeat(n % 50)}` })
      const began = performance.now()
      const record = await write(key, id, body)
      if (!record) return
      longestMs = Math.max(longestMs, performance.now() - began)
      count++
      told.versions.set(record.id, Math.max(record.version, told.versions.get(record.id) ?? 0))
      if (id === undefined) {
        own.push(record.id)
        assert.equal(told.made.get(key) ?? record.id, record.id, `${key} made two deals`)
        told.made.set(key, record.id)
      }
    }
  }

  /** Undefined if it was stopped before an answer; the next load repeats nothing of it. */
  async function write(
    key: string,
    id: string | undefined,
    body: string,
  ): Promise<{ id: string; version: number } | undefined> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key }
    for (;;) {
      const base = bases[at % bases.length] as string
      const place = at
      try {
        const url = `${base}/api/v1/deals${id === undefined ? '' : `/${id}`}`
        const answer = await fetch(url, { method: id === undefined ? 'POST' : 'PATCH', headers, body })
        const text = await answer.text()
        if (answer.ok) return JSON.parse(text)
        if (answer.status !== 503) refused.push(`${answer.status} ${JSON.parse(text).code}`)
        if (answer.status === 421 || answer.status === 401) at = Math.max(at, place + 1)
        else if (answer.status !== 503) throw new Error(`${answer.status} ${text}`)
      } catch (error) {
        if (!(error instanceof TypeError)) throw error // of fetch: the server is gone
      }
      if (isStopping.signal.aborted) return undefined
      await sleep(5)
    }
  }

  const ends = Promise.all(Array.from({ length: writers }, (_, number) => writer(number)))
  return {
    count: () => count,
    longestMs: () => longestMs,
    forget: () => void (longestMs = 0),
    refused,
    stop: async () => {
      isStopping.abort()
      await ends
    },
  }
}

/** The lines of all files of an export of an organisation, also of one that has moved, by file. */
function exported(dataDir: string, publicId: string): { lastSeq: number; files: Map<string, string[]> } {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-export-'))
  const store = openStore(dataDir)
  try {
    const org = allOrgsEver(store.db).find(({ public_id }) => public_id === publicId)
    assert.ok(org, `${publicId} is not in ${dataDir}`)
    const place = join(folder, 'export')
    writeExport(store, org.id, place)
    const names = readdirSync(place).filter(
      (name) => /\.ndjson$|settings\.json$/.test(name) && name !== 'audit_log.ndjson',
    )
    const read = (name: string) => readFileSync(join(place, name), 'utf8').split('\n')
    return { lastSeq: org.last_seq, files: new Map(names.map((name) => [name, read(name)])) }
  } finally {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Compares the export of what an organisation left with that of where it is. Only records with an event of the new server,
 * which its work has changed since, may differ. Returns how many lines were compared.
 */
export function compareExports(from: string, to: string, publicId: string): number {
  const [before, after] = [exported(from, publicId), exported(to, publicId)]
  const newer = (after.files.get('events.ndjson') ?? []).filter((line) => line && JSON.parse(line).seq > before.lastSeq)
  const changed = newer.map((line) => JSON.parse(line).object_id as string)
  const isChanged = (line: string) => newer.includes(line) || changed.some((id) => line.includes(id))
  let lines = 0
  assert.deepEqual([...after.files.keys()].sort(), [...before.files.keys()].sort())
  for (const [name, own] of before.files) {
    const there = new Set(after.files.get(name))
    const here = new Set(own)
    const lost = own.filter((line) => !there.has(line) && !isChanged(line))
    const added = [...there].filter((line) => !here.has(line) && !isChanged(line))
    assert.deepEqual([name, lost.slice(0, 3), added.slice(0, 3)], [name, [], []])
    lines += own.length
  }
  return lines
}

/** Each write that was answered is there once, at least in the version that was told. */
export function checkTold(dataDir: string, publicId: string, { versions, made }: Told): void {
  const store = openStore(dataDir)
  try {
    const org = allOrgsEver(store.db).find(({ public_id }) => public_id === publicId)?.id
    const stored = new Map(
      store.db.prepare('SELECT id, version FROM deals WHERE org_id = ?').raw().all(org) as [string, number][],
    )
    for (const [id, version] of versions)
      assert.ok(
        (stored.get(id) ?? 0) >= version,
        `deal ${id} was told in version ${version} and is in ${stored.get(id)}`,
      )
    const deals = store.db.prepare(
      "SELECT request_key, count(*) FROM events WHERE org_id = ? AND type = 'deal.created' GROUP BY request_key",
    )
    const times = new Map(deals.raw().all(org) as [string | null, number][])
    for (const key of made.keys()) assert.equal(times.get(key), 1, `${key} made its deal once`)
    const seqs = store.db
      .prepare('SELECT count(*) AS count, max(seq) - min(seq) + 1 AS span FROM events WHERE org_id = ?')
      .get(org) as {
      count: number
      span: number
    }
    assert.equal(seqs.count, seqs.span, 'the numbers of the events have no gap')
  } finally {
    store.close()
  }
}

/**
 * Each event came, those of a record in their order, and none more often than its delivery was tried, as after an answer that
 * took too long. With `mayRepeat`, after a server was killed, an attempt that was not written down may have come again.
 */
export function checkDelivered(
  requests: readonly Received[],
  { from, to, tries }: { from: number; to: number; tries: ReadonlyMap<number, number> },
  mayRepeat = false,
): void {
  const seen = new Map<number, number>()
  const lastOf = new Map<string, number>()
  for (const { event } of requests) {
    const { seq } = event
    const record = event.data.object.id
    const [last, times] = [lastOf.get(record) ?? 0, (seen.get(seq) ?? 0) + 1]
    if (times === 1) assert.ok(seq > last, `event ${seq} of ${record} came after ${last}`)
    else if (!mayRepeat) assert.ok(times <= (tries.get(seq) ?? 0), `event ${seq} came ${times} times`)
    lastOf.set(record, Math.max(last, seq))
    seen.set(seq, times)
  }
  for (let seq = from; seq <= to; seq++) assert.ok(seen.has(seq), `event ${seq} did not come`)
}

/** How often each event was sent to webhooks, as it is written down. */
export function triesIn(dataDir: string, publicId: string): Map<number, number> {
  const store = openStore(dataDir)
  try {
    const org = allOrgsEver(store.db).find(({ public_id }) => public_id === publicId)?.id
    const rows = store.db.prepare(
      'SELECT seq, json_array_length(tries) FROM deliveries WHERE org_id = ? AND seq IS NOT NULL',
    )
    return new Map(rows.raw().all(org) as [number, number][])
  } finally {
    store.close()
  }
}
