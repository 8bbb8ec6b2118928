import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { endingTokens } from '../../src/auth/ending-tokens.ts'
import { DAY_MS, HOUR_MS, rfc3339 } from '../../src/lib/time.ts'
import { noticeEndingTokens } from '../../src/personal/ending-tokens.ts'
import { noticeQueue } from '../../src/personal/notices.ts'
import { type AppServer, type Person, startApp } from '../support/app-data.ts'
import { tokenFor } from '../support/org.ts'
import type { Row } from '../support/records.ts'

let app: AppServer
beforeEach(async () => {
  app = await startApp()
})
afterEach(() => app.stop())

const SCOPES = ['rest.crm.tags.read'] as const
const emailOf = (person: Person): string => app.people[person].email as string
/** A token of a member of organisation A that ends after so many days. */
const tokenOf = (person: Person, days: number | null) =>
  tokenFor(app.store, app.dataDir, app.a.org, emailOf(person), SCOPES, days === null ? null : app.now() + days * DAY_MS)

/** As a server that has just started does. */
function giveNotice(): void {
  const run = noticeEndingTokens(app.deps)
  app.store.transaction(() => {
    while (run() === 'more');
  })
}

/** Sessions end sooner than tokens. */
const staySignedIn = () =>
  app.store.db.prepare('UPDATE sessions SET seen_at = @now, expires_at = @now + 1000').run({ now: app.now() })
async function unread(person: Person): Promise<Row[]> {
  staySignedIn()
  const { data } = await app.ok(person, 'GET', '/notifications?limit=100')
  return data.filter(({ read_at }: Row) => read_at === null)
}
const readAll = (person: Person) => app.ok(person, 'POST', '/notifications/read', { all: true })
/** How many notices each gets now; all are read then. */
async function noticesOf(...people: Person[]): Promise<number[]> {
  giveNotice()
  const counts: number[] = []
  for (const person of people) {
    counts.push((await unread(person)).length)
    await readAll(person)
  }
  return counts
}

describe('a token that ends', () => {
  test('is noticed by its owner and the owners of the organisation, 14 and 2 days before, once each', async () => {
    const { id, expires_at } = await tokenOf('member', 90)
    app.advance(76 * DAY_MS - 1)
    assert.deepEqual(await noticesOf('member', 'owner'), [0, 0])
    app.advance(1)
    giveNotice()
    const notice = (await unread('member'))[0]
    assert.deepEqual([notice.kind, notice.at, notice.actor_id], ['ending', expires_at, null])
    assert.deepEqual(notice.record, { kind: 'tokens', id, title: `${emailOf('member')} (${id})` })
    const everyone = ['member', 'owner', 'other', 'admin', 'viewer', 'stranger'] as const
    assert.deepEqual(await noticesOf(...everyone), [1, 1, 0, 0, 0, 0])
    for (let hours = 0; hours < 24; hours += 8) {
      app.advance(8 * HOUR_MS)
      assert.deepEqual(await noticesOf('member', 'owner'), [0, 0])
    }
    app.advance(11 * DAY_MS - 1)
    assert.deepEqual(await noticesOf('member', 'owner'), [0, 0])
    app.advance(1)
    assert.deepEqual(await noticesOf(...everyone), [1, 1, 0, 0, 0, 0])
    app.advance(3 * DAY_MS)
    assert.deepEqual(await noticesOf(...everyone), [0, 0, 0, 0, 0, 0])
  })

  test('is one new notice at most: the later one takes the place of an earlier one that was not read', async () => {
    await tokenOf('member', 20)
    app.advance(7 * DAY_MS)
    giveNotice()
    app.advance(11 * DAY_MS)
    giveNotice()
    assert.equal((await unread('member')).length, 1)
  })

  test('of the owner of the organisation is one notice, and not two', async () => {
    app.store.db
      .prepare('UPDATE members SET email = ? WHERE org_id = ? AND id = ?')
      .run('ana@acme.example', app.a.org, app.a.owner)
    await app.tokenWith([...SCOPES], app.now() + 20 * DAY_MS)
    app.advance(7 * DAY_MS)
    assert.deepEqual(await noticesOf('owner', 'member'), [1, 0])
  })

  test('is not noticed so many days before its end if it was made for no longer', async () => {
    await tokenOf('member', 1)
    await tokenOf('admin', 2)
    await tokenOf('other', 10)
    await tokenOf('viewer', 14)
    const people = ['member', 'admin', 'other', 'viewer'] as const
    assert.deepEqual(await noticesOf(...people), [0, 0, 0, 0])
    app.advance(HOUR_MS)
    assert.deepEqual(await noticesOf(...people), [0, 0, 0, 0])
    app.advance(8 * DAY_MS - HOUR_MS)
    assert.deepEqual(await noticesOf(...people), [0, 0, 1, 0])
    app.advance(4 * DAY_MS)
    assert.deepEqual(await noticesOf(...people), [0, 0, 0, 1])
  })

  test('is not noticed if it never ends, was revoked, or if its owner or its organisation cannot use it', async () => {
    const { db } = app.store
    await tokenOf('member', null)
    const revoked = await tokenOf('member', 20)
    db.prepare('UPDATE tokens SET revoked_at = ? WHERE id = ?').run(app.now(), revoked.id)
    await tokenOf('other', 20)
    db.prepare("UPDATE members SET status = 'deactivated' WHERE id = ?").run(app.ids.other)
    app.advance(7 * DAY_MS)
    assert.deepEqual(await noticesOf('owner', 'member'), [0, 0])
    await tokenOf('member', 20)
    app.advance(7 * DAY_MS)
    for (const state of ['staged', 'leaving', 'paused', 'moved']) {
      db.prepare('UPDATE orgs SET state = ?, moved_to = ? WHERE id = ?').run(
        ...[state, state === 'moved' ? 'https://other.example' : null, app.a.org],
      )
      giveNotice()
    }
    db.prepare("UPDATE orgs SET state = 'open', moved_to = NULL WHERE id = ?").run(app.a.org)
    assert.deepEqual([(await unread('member')).length, (await unread('owner')).length], [0, 0])
    assert.deepEqual(await noticesOf('member', 'owner'), [1, 1])
  })

  test('is one notice if no server ran for so long that both times have passed, and none if it has ended', async () => {
    await tokenOf('member', 20)
    await tokenOf('other', 18)
    app.advance(19 * DAY_MS)
    noticeQueue(app.deps).take()
    giveNotice()
    const put = noticeQueue(app.deps).take()
    assert.deepEqual(
      put.map(({ member }) => member),
      [app.ids.member, app.a.owner],
    )
    assert.deepEqual(await noticesOf('member', 'other', 'owner'), [1, 0, 1])
    assert.deepEqual(await noticesOf('member', 'other', 'owner'), [0, 0, 0])
  })

  test('is not noticed again after the clock was set back', async () => {
    await tokenOf('member', 20)
    app.advance(7 * DAY_MS)
    assert.deepEqual(await noticesOf('member'), [1])
    app.jump(-5 * DAY_MS)
    assert.deepEqual(await noticesOf('member'), [0])
    app.advance(6 * DAY_MS)
    assert.deepEqual(await noticesOf('member'), [0])
  })

  test('is noticed also among many', async () => {
    for (let n = 0; n < 105; n++) await tokenOf('member', 20)
    app.advance(7 * DAY_MS)
    const run = noticeEndingTokens(app.deps)
    assert.deepEqual([run(), run(), run()], ['more', undefined, undefined])
    assert.equal((await unread('member')).length, 100)
    const told = app.store.db.prepare('SELECT count(*) FROM tokens WHERE ending_noticed = 14').pluck()
    assert.equal(told.get(), 105)
  })
})

test('tokens that end are counted by the days that are left, and the next one is known', async () => {
  const { count, next, within } = endingTokens(app.store.db)
  assert.deepEqual([count(app.now(), 14), next(app.now())], [0, undefined])
  const first = await tokenOf('member', 1)
  await tokenOf('member', 20)
  const middle = await tokenOf('member', 16)
  assert.deepEqual([count(app.now(), 14), count(app.now(), 2)], [0, 0])
  assert.equal(rfc3339(next(app.now()) as number), first.expires_at)
  app.advance(14 * DAY_MS)
  assert.deepEqual([count(app.now(), 14), count(app.now(), 2)], [2, 1])
  assert.deepEqual(
    within(app.now(), 14, 1).map(({ id, email }) => [id, email]),
    [[middle.id, emailOf('member')]],
  )
})

describe('Dealbox-Token-Ends', () => {
  test('is on each response of the last 14 days, to its token alone', async () => {
    const { token, expires_at } = await tokenOf('member', 20)
    const ask = async (method: string, path: string, more: object = {}) =>
      (await app.call(method, path, undefined, { token, ...more })).headers.get('dealbox-token-ends')
    app.advance(6 * DAY_MS - 1)
    assert.equal(await ask('GET', '/tags'), null)
    app.advance(1)
    for (const [method, path] of [
      ['GET', '/tags'],
      ['GET', '/deals'], // 403
      ['GET', '/tags/unknown'],
      ['POST', '/tags'],
    ] as const)
      assert.equal(await ask(method, path), expires_at, path)
    assert.equal(await ask('GET', '/tags', { token: app.a.token }), null)
    staySignedIn()
    const { status, headers } = await app.people.member.call('GET', '/api/v1/tags')
    assert.deepEqual([status, headers.get('dealbox-token-ends')], [200, null])
    app.advance(14 * DAY_MS)
    assert.equal((await app.call('GET', '/tags', undefined, { token })).status, 401)
  })
})
