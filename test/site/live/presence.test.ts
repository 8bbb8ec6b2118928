import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Caller } from '../../../src/lib/caller.ts'
import { TICK_MS } from '../../../src/site/live/hub.ts'
import { type Present, presentFor } from '../../../src/site/live/presence.ts'
import { GATHER_MS, presenceNotices } from '../../../src/site/live/presence-notices.ts'
import type { Stream } from '../../../src/site/live/stream.ts'
import { errorsOf, UNKNOWN } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { type Reader, readStream } from '../../support/stream.ts'

let server: TestServer
let screens: Screens
/** The jobs of timers, by their milliseconds. */
const timers = new Map<number, () => void>()
const tick = () => timers.get(TICK_MS)?.()
/** A moment has passed: what was gathered is sent. */
const gather = () => timers.get(GATHER_MS)?.()
let open: Reader[] = []

before(async () => {
  server = await startServer()
  screens = await startScreens(server, {
    every: (ms, job) => {
      timers.set(ms, job)
      return () => timers.delete(ms)
    },
  })
})
after(async () => {
  await screens.stop()
  await server.stop()
})
afterEach(async () => {
  for (const reader of open) reader.close()
  open = []
  server.advance(60_000) // nobody is present any more
  await tell(await screens.signedIn('viewer'), 't', { viewing: null })
  gather()
})

/** The rows of each table; but of the clock and of the uses of sessions, which are written when their minute is over. */
function allRows(): Record<string, unknown[]> {
  const { db } = server.store
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
    .pluck()
    .all()
  const kept = (tables as string[]).filter((name) => name !== 'wall_clock' && name !== 'sessions')
  return Object.fromEntries(kept.map((name) => [name, db.prepare(`SELECT * FROM ${name}`).all()]))
}

const deal = { kind: 'deals', id: UNKNOWN }
const tell = (who: SignedIn, tab: string, body: object = { viewing: deal }) =>
  who.call('POST', '/app/presence', { tab, ...body })
const shown = (who: SignedIn, tab: string, more: object = {}) => ({
  ...{ member_id: who.id, tab, viewing: deal, editing: null, typing: false },
  ...more,
})

async function streamOf(who: SignedIn): Promise<Reader> {
  const reader = await readStream(`${screens.url}/app/stream`, { cookie: who.cookie })
  open.push(reader)
  await reader.until(() => reader.notices('presence').length > 0)
  return reader
}

describe('presence', () => {
  test('tells everyone what a tab shows, and a newcomer what all show', async () => {
    const [ana, bea] = [await screens.signedIn('member'), await screens.signedIn('viewer')]
    const watching = await streamOf(bea)
    const editing = { ...deal, field: 'amount' }
    assert.deepEqual((await tell(ana, 't1')).body, { present: [] })
    gather()
    await tell(ana, 't1', { viewing: deal, editing, typing: true })
    gather()
    await watching.until(() => watching.notices('presence').length === 3)
    assert.deepEqual(watching.notices('presence').slice(1), [
      { kind: 'presence', changed: [shown(ana, 't1')], gone: [] },
      { kind: 'presence', changed: [shown(ana, 't1', { editing, typing: true })], gone: [] },
    ])
    const [now] = (await streamOf(bea)).notices('presence')
    assert.deepEqual(now, { kind: 'presence', present: [shown(ana, 't1', { editing, typing: true })] })
    assert.deepEqual((await tell(bea, 't9')).body.present, [shown(ana, 't1', { editing, typing: true })])
  })

  test('says nothing twice, and ends when the tab shows nothing or says nothing for 45 s', async () => {
    const [ana, bea] = [await screens.signedIn('member'), await screens.signedIn('member')]
    const watching = await streamOf(bea)
    await tell(ana, 't1')
    gather()
    await tell(ana, 't1')
    assert.equal(timers.has(GATHER_MS), false)
    await tell(ana, 't2')
    gather()
    await tell(ana, 't1', { viewing: null })
    gather()
    server.advance(44_000)
    tick()
    assert.deepEqual((await tell(bea, 't0', { viewing: null })).body.present, [shown(ana, 't2')])
    server.advance(1_000)
    tick()
    gather()
    assert.deepEqual((await tell(bea, 't0', { viewing: null })).body.present, [])
    await watching.until(() => watching.notices('presence').length === 5)
    const gone = (tab: string) => ({ kind: 'presence', changed: [], gone: [{ member_id: ana.id, tab }] })
    assert.deepEqual(watching.notices('presence').slice(1), [
      ...['t1', 't2'].map((tab) => ({ kind: 'presence', changed: [shown(ana, tab)], gone: [] })),
      gone('t1'),
      gone('t2'),
    ])
  })

  test('is gathered: many changes within a moment are one notice, with the newest of each tab', async () => {
    const [ana, bea] = [await screens.signedIn('member'), await screens.signedIn('member')]
    const watching = await streamOf(bea)
    for (let turn = 0; turn < 20; turn++) {
      await tell(ana, 't1', { viewing: deal, typing: turn % 2 === 1 })
      await tell(ana, 't2')
    }
    await tell(ana, 't2', { viewing: null })
    gather()
    await watching.until(() => watching.notices('presence').length >= 2)
    assert.deepEqual(watching.notices('presence')[1], {
      kind: 'presence',
      changed: [shown(ana, 't1', { typing: true })],
      gone: [{ member_id: ana.id, tab: 't2' }],
    })
    assert.equal(timers.has(GATHER_MS), false, 'nothing runs while nothing changes')
  })

  test('is not sent to a stream whose session has ended', async () => {
    const [ana, bea, cem] = [
      await screens.signedIn('member'),
      await screens.signedIn('member'),
      await screens.signedIn('admin'),
    ]
    const [ended, demoted, watching] = [await streamOf(bea), await streamOf(cem), await streamOf(ana)]
    await tell(ana, 't1')
    await bea.call('DELETE', `/app/sessions/${bea.session}`)
    server.store.db.prepare("UPDATE members SET role = 'viewer' WHERE org_id = ? AND id = ?").run(server.a.org, cem.id)
    gather()
    await watching.until(() => watching.notices('presence').length === 2)
    for (const reader of [ended, demoted]) {
      const [given, out] = [() => reader.notices('presence').length, () => reader.notices('signed_out').length]
      await reader.until(() => given() > 1 || out() > 0)
      assert.deepEqual([given(), out()], [1, 1], 'only that of its beginning')
      await reader.ended()
    }
  })

  test('stays within the organisation', async () => {
    const [ana, stranger] = [await screens.signedIn('member'), await screens.signedIn('owner', server.b)]
    const foreign = await streamOf(stranger)
    await tell(ana, 't1')
    assert.deepEqual((await tell(stranger, 't1')).body, { present: [] })
    gather()
    await foreign.until(() => foreign.notices('presence').length === 2)
    assert.equal(foreign.notices('presence')[1].changed[0].member_id, stranger.id)
  })

  test('of one session is at most 20 tabs', async () => {
    const [ana, bea] = [await screens.signedIn('member'), await screens.signedIn('member')]
    for (let index = 0; index < 25; index++) await tell(ana, `t${index}`)
    assert.equal((await tell(bea, 't0')).body.present.length, 20)
  })

  test('refuses what is no record, and writes nothing', async () => {
    const ana = await screens.signedIn('viewer')
    const before = allRows()
    for (const [body, error] of [
      [{ viewing: deal }, '/tab required'],
      [{ tab: 't', viewing: { kind: 'tokens', id: UNKNOWN } }, '/viewing/kind'],
      [{ tab: 't', viewing: { kind: 'deals', id: 'x' } }, '/viewing/id'],
      [{ tab: 't', viewing: deal, where: 1 }, '/where'],
    ] as const) {
      const answer = await ana.call('POST', '/app/presence', body)
      assert.equal(answer.status, 422)
      assert.ok(errorsOf(answer.body)[0]?.startsWith(error), answer.text)
    }
    await tell(ana, 't1')
    assert.deepEqual(allRows(), before)
  })
})

test('a notice is written once for all streams that may see the same', () => {
  let written = 0
  const noted = { kind: 'deals', id: UNKNOWN, toJSON: () => ({ at: ++written }) } as unknown as Present['viewing']
  const stream = (scopes: string[]) =>
    ({ who: { org: 1, member: null, scopes: new Set(scopes) }, scopeKey: scopes.join() }) as unknown as Stream
  const [some, none] = [['rest.crm.deals.read'], ['rest.crm.contacts.read']]
  const texts: string[] = []
  const tell = (_org: number, textOf: (stream: Stream) => string) => {
    for (const each of [some, none, some, none, some]) texts.push(textOf(stream(each)))
  }
  let run: () => void = () => undefined
  const { note } = presenceNotices({ tell }, (_ms, job) => {
    run = job
    return () => undefined
  })
  note(1, [{ member_id: 'm', tab: 't', typing: false, viewing: noted, editing: null }], [])
  run()
  assert.equal(written, 1)
  assert.deepEqual(
    texts.map((text) => text !== ''),
    [true, false, true, false, true],
  )
})

test('nobody sees a record of a kind that they may not read', () => {
  const who = { org: 1, member: null, scopes: new Set(['rest.crm.contacts.read']) } satisfies Caller
  const present = (kind: 'deals' | 'contacts'): Present => ({
    ...{ member_id: 'm', tab: 't', typing: false },
    viewing: { kind, id: UNKNOWN },
    editing: { kind, id: UNKNOWN, field: 'name' },
  })
  assert.deepEqual(presentFor([present('deals'), present('contacts')], who), [present('contacts')])
  const mixed: Present = { ...present('deals'), editing: present('contacts').editing }
  assert.deepEqual(presentFor([mixed], who), [{ ...mixed, viewing: null }])
})
