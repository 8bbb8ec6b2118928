import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { applySettings } from '../../src/app/settings/document.ts'
import type { Mailbox, State } from '../../src/inbox/mailboxes/mailbox.ts'
import { mailboxHealth } from '../../src/inbox/mailboxes/mailbox-health.ts'
import { mailboxStore } from '../../src/inbox/mailboxes/mailboxes.ts'
import { mailboxSettings } from '../../src/inbox/mailboxes/settings.ts'
import { startServer, type TestServer } from '../support/server.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

let server: TestServer
let mailboxes: ReturnType<typeof mailboxStore>
let support: Mailbox
before(async () => {
  server = await startServer()
  mailboxes = mailboxStore(server.deps)
  const smtp = { host: 'mail.acme.example', port: 587, tls: 'starttls' }
  const imap = { ...smtp, port: 993, tls: 'tls', user: 'crm', folder: 'Sales' }
  applySettings(server.store, server.a.org, {
    mailboxes: [
      { key: 'support', name: 'Support', address: 'Support@acme.example', is_default: true, smtp, imap },
      { key: 'ana', name: 'Ana', address: 'ana@acme.example', member: 'ana@acme.example', smtp },
    ],
  })
  applySettings(server.store, server.b.org, { mailboxes: [{ key: 'b', name: 'B', address: 'b@birch.example', smtp }] })
  mailboxSettings(server.store).setPassword(server.a.org, 'support', 'secret')
  support = mailboxes.defaultOf(server.a.org) as Mailbox
})
after(() => server.stop())

const NEW: State = {
  uid_validity: null,
  last_uid: 0,
  since: null,
  checked_at: null,
  failing_since: null,
  last_error: null,
  last_error_at: null,
  pending: 0,
  imported: 0,
  skipped: 0,
  rejected: 0,
  imported_at: null,
  sent: 0,
  sent_at: null,
  send_error: null,
  send_error_at: null,
  free_at: 0,
  smtp_offers_tls: 0,
  imap_offers_tls: 0,
  send_pauses: 0,
  send_paused_until: null,
  dated_below: 0,
  missing: 0,
}

const rows = (table: string) => server.store.db.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]

describe('mailboxes', () => {
  test('are found by their id, as the default one and as the own one of a member', () => {
    const { a, b } = server
    assert.equal(support.key, 'support')
    assert.deepEqual(mailboxes.byId(a.org, support.id), support)
    assert.equal(mailboxes.byId(b.org, support.id), undefined)
    assert.equal(mailboxes.defaultOf(b.org), undefined, 'one that is not the default is none')
    assert.equal(mailboxes.ownOf(a.org, a.owner)?.key, 'ana')
    assert.equal(mailboxes.ownOf(b.org, a.owner), undefined)
  })

  test('are listened to in all organisations, in one list', () => {
    assert.deepEqual(
      mailboxes.active().map(({ org, mailbox }) => [org, mailbox.key]),
      [
        [server.a.org, 'support'],
        [server.a.org, 'ana'],
        [server.b.org, 'b'],
      ],
    )
    assert.deepEqual(mailboxes.active()[0]?.mailbox, support)
  })

  test('have addresses, which are the same whatever their case', () => {
    assert.deepEqual(mailboxes.addresses(server.a.org), new Set(['support@acme.example', 'ana@acme.example']))
  })

  test('that are deactivated are nobody their default or own one, and have no address', () => {
    const { a, store } = server
    const set = store.db.prepare('UPDATE mailboxes SET is_active = ? WHERE org_id = ?')
    set.run(0, a.org)
    assert.equal(mailboxes.defaultOf(a.org), undefined)
    assert.equal(mailboxes.ownOf(a.org, a.owner), undefined)
    assert.equal(mailboxes.addresses(a.org).size, 0)
    assert.deepEqual(
      mailboxes.active().map(({ mailbox }) => mailbox.key),
      ['b'],
    )
    assert.equal(mailboxes.byId(a.org, support.id)?.is_active, false)
    set.run(1, a.org)
  })

  test('tell who calls their servers, with the password where there is a user', () => {
    const { a } = server
    assert.deepEqual(mailboxes.smtpServer(a.org, support), {
      host: 'mail.acme.example',
      port: 587,
      tls: 'starttls',
      user: null,
      password: null,
    })
    assert.deepEqual(mailboxes.imapServer(a.org, support), {
      host: 'mail.acme.example',
      port: 993,
      tls: 'tls',
      user: 'crm',
      password: 'secret',
      folder: 'Sales',
    })
    const own = mailboxes.ownOf(a.org, a.owner) as Mailbox
    assert.throws(() => mailboxes.imapServer(a.org, own), { status: 409, code: 'no_imap' })
    assert.throws(() => mailboxes.imapServer(server.b.org, support), { status: 409, code: 'no_password' })
  })

  test('begin to take in where the settings say so: a day where the organisation is, or a moment', () => {
    const since = (import_since: string | null) =>
      mailboxes.importSince(server.a.org, { ...support, imap: { ...support.imap!, import_since } })
    assert.equal(since(null), null)
    assert.equal(since('2026-11-20'), Date.parse('2026-11-19T23:00:00Z'), 'in Berlin')
    assert.equal(since('2026-07-01'), Date.parse('2026-06-30T22:00:00Z'))
    assert.equal(since('2026-11-20T08:36:00.000Z'), Date.parse('2026-11-20T08:36:00Z'))
    assert.equal(mailboxes.importSince(server.a.org, { ...support, imap: null }), null)
  })
})

describe('the state of a mailbox', () => {
  test('is new before anything was written, and each write changes what it names', () => {
    const { a } = server
    assert.deepEqual(mailboxes.state(a.org, support.id), NEW)
    mailboxes.saveState(a.org, support.id, { uid_validity: 7, last_uid: 3, last_error: 'no' })
    mailboxes.saveState(a.org, support.id, { last_uid: 4, last_error: null })
    assert.deepEqual(mailboxes.state(a.org, support.id), { ...NEW, uid_validity: 7, last_uid: 4 })
    assert.deepEqual(mailboxes.state(server.b.org, support.id), NEW)
    mailboxes.saveState(a.org, support.id, NEW)
  })

  test('is written only where it differs', () => {
    const { store, a } = server
    const count = () => store.db.prepare('SELECT total_changes()').pluck().get()
    const [own] = [mailboxes.ownOf(a.org, a.owner) as Mailbox]
    const before = count()
    mailboxes.saveState(a.org, own.id, { pending: 0, sent_at: null })
    mailboxes.saveState(a.org, own.id, {})
    assert.equal(count(), before)
    mailboxes.saveState(a.org, own.id, { pending: 1 })
    assert.notEqual(count(), before)
  })
})

describe('how it goes with a mailbox', () => {
  const now = Date.UTC(2026, 10, 20, 8, 36)
  const at = (minutes: number) => now - minutes * MINUTE_MS
  const stand = (state: Partial<State>, given: Partial<Mailbox> = {}) =>
    mailboxHealth({ ...NEW, ...state }, { ...support, ...given }, now)
  const receiving = (state: Partial<State>) => {
    const { status, text } = stand(state).receiving
    return `${status}: ${text}`
  }

  test('receiving is what it is, and ok only where all that was there is taken in', () => {
    assert.equal(stand({ checked_at: now }, { imap: null }).receiving.status, 'not_set_up')
    assert.equal(receiving({}), 'never_connected: never connected')
    assert.equal(receiving({ checked_at: at(14.9) }), 'ok: ok, last check 2026-11-20T08:21:06.000Z')
    assert.equal(
      receiving({ checked_at: at(15) }),
      'stale: stale, last check 2026-11-20T08:21:00.000Z. Is the server running?',
    )
    assert.equal(
      receiving({ checked_at: at(1), pending: 1 }),
      'behind: behind by 1 mail, last check 2026-11-20T08:35:00.000Z',
    )
    const failing = { checked_at: at(30), failing_since: at(20), last_error: 'No route.', last_error_at: at(1) }
    assert.equal(receiving(failing), 'failing: failing since 2026-11-20T08:16:00.000Z: No route.')
    assert.equal(
      receiving({ ...failing, pending: 3, last_error_at: at(16) }),
      'failing: failing since 2026-11-20T08:16:00.000Z: No route.; last attempt 2026-11-20T08:20:00.000Z. Is the server running?',
    )
    assert.equal(receiving({ ...failing, checked_at: null }).split(':')[0], 'failing')
  })

  test('a first look at many mails is behind while it takes them in, and stale when it does not', () => {
    const look = { checked_at: null, pending: 900 }
    assert.equal(
      receiving({ ...look, imported_at: at(1) }),
      'behind: behind by 900 mails, the first check is not complete',
    )
    assert.equal(
      receiving({ ...look, imported_at: at(15) }),
      'stale: stale, the first check is not complete, behind by 900 mails. Is the server running?',
    )
    assert.equal(receiving({ checked_at: at(60), pending: 1, imported_at: at(1) }).split(':')[0], 'behind')
    assert.equal(receiving({ checked_at: at(60), imported_at: at(1) }).split(':')[0], 'stale')
  })

  test('no state in which mails wait or looks fail is ok', () => {
    const time = fc.option(fc.integer({ min: now - 3 * DAY_MS, max: now }))
    const state = fc.record({
      checked_at: time,
      failing_since: time,
      last_error: fc.option(fc.string()),
      last_error_at: time,
      pending: fc.nat(2),
      imported_at: time,
    })
    fc.assert(
      fc.property(state, (given) => {
        const isWell =
          given.failing_since === null && given.pending === 0 && given.checked_at !== null && given.checked_at > at(15)
        assert.equal(stand(given).receiving.status === 'ok', isWell)
      }),
    )
  })

  test('sending is as its last try was', () => {
    const sending = (state: Partial<State>) => {
      const { status, text } = stand(state).sending
      return `${status}: ${text}`
    }
    assert.equal(sending({}), 'unused: nothing has been sent yet')
    assert.equal(sending({ sent_at: at(1) }), 'ok: ok, last sent 2026-11-20T08:35:00.000Z')
    const refused = { send_error: '550 no', send_error_at: at(1) }
    assert.equal(sending(refused), 'failing: failing at 2026-11-20T08:35:00.000Z: 550 no; nothing has been sent yet')
    assert.equal(
      sending({ ...refused, sent_at: at(2) }),
      'failing: failing at 2026-11-20T08:35:00.000Z: 550 no; last sent 2026-11-20T08:34:00.000Z',
    )
    assert.equal(sending({ ...refused, sent_at: now }).split(':')[0], 'ok')
  })

  test('one that is deactivated is said to be so', () => {
    const { sending, receiving } = stand({ checked_at: now, failing_since: now }, { is_active: false })
    assert.deepEqual([sending.status, receiving.status], ['deactivated', 'deactivated'])
  })
})

describe('the mails of sequences', () => {
  const plan = (
    limits: { daily_limit: number | null; spacing_s: number },
    at = server.now(),
    allowedFrom?: (ms: number) => number,
  ) => mailboxes.plan(server.a.org, { ...support, ...limits }, at, allowedFrom)

  const afresh = (timezone: string): void => {
    const { db } = server.store
    db.prepare('DELETE FROM mailbox_days').run()
    db.prepare('DELETE FROM mailbox_states').run()
    db.prepare('UPDATE orgs SET timezone = ?').run(timezone)
  }

  test('go at once without limits, never in the past, and are counted all the same', () => {
    afresh('Europe/Berlin')
    const now = server.now()
    const none = { daily_limit: null, spacing_s: 0 }
    assert.equal(plan(none, now - 5 * DAY_MS), now)
    assert.equal(plan(none, now + 1), now + 1)
    assert.equal(plan({ daily_limit: 2, spacing_s: 0 }), Date.parse('2026-11-20T23:00:00Z'), 'two were sent today')
  })

  test('keep their spacing, each behind the one before', () => {
    afresh('Europe/Berlin')
    const now = server.now()
    const spaced = { daily_limit: null, spacing_s: 90 }
    assert.deepEqual(
      [plan(spaced), plan(spaced), plan(spaced, now + 10), plan(spaced, now + 400_000), plan(spaced)],
      [now, now + 90_000, now + 180_000, now + 400_000, now + 490_000],
    )
    assert.equal(plan({ daily_limit: null, spacing_s: 0 }), now, 'without a spacing nobody waits for one')
  })

  test('go on the next day where the limit of a day is reached, and days that are over are forgotten', () => {
    afresh('Europe/Berlin')
    const limited = { daily_limit: 2, spacing_s: 0 }
    const now = server.now()
    const tomorrow = Date.parse('2026-11-20T23:00:00Z')
    assert.deepEqual(
      [1, 2, 3, 4, 5].map(() => plan(limited)),
      [now, now, tomorrow, tomorrow, tomorrow + DAY_MS],
    )
    assert.equal(plan(limited, now + 7 * DAY_MS), now + 7 * DAY_MS)
    assert.equal(plan(limited), tomorrow + DAY_MS, 'one for later keeps nobody waiting')
    server.advance(3 * DAY_MS)
    plan(limited)
    assert.deepEqual(
      rows('mailbox_days').map(({ day, planned }) => [day, planned]),
      [
        ['2026-11-22', 2],
        ['2026-11-23', 1],
        ['2026-11-27', 1],
      ],
    )
  })

  test('go only when they may for other reasons, too, on a day that has room then', () => {
    afresh('UTC')
    const day = Math.ceil(server.now() / DAY_MS) * DAY_MS
    /** At noon of every second day, for an hour. */
    const allowedFrom = (ms: number): number => {
      const noon = day + Math.ceil((ms - day - 13 * 3_600_000 + 1) / (2 * DAY_MS)) * 2 * DAY_MS + DAY_MS / 2
      return Math.max(ms, noon)
    }
    const noon = day + DAY_MS / 2
    assert.deepEqual(
      [1, 2, 3, 4, 5].map(() => plan({ daily_limit: 2, spacing_s: 0 }, day, allowedFrom)),
      [noon, noon, noon + 2 * DAY_MS, noon + 2 * DAY_MS, noon + 4 * DAY_MS],
    )
    afresh('UTC')
    assert.deepEqual(
      [1, 2, 3].map(() => plan({ daily_limit: null, spacing_s: 3599 }, day, allowedFrom)),
      [noon, noon + 3_599_000, noon + 2 * DAY_MS],
    )
  })

  test('are those of one mailbox: others are free', () => {
    afresh('Europe/Berlin')
    const { a } = server
    const own = { ...(mailboxes.ownOf(a.org, a.owner) as Mailbox), daily_limit: 1, spacing_s: 60 }
    const now = server.now()
    assert.equal(plan({ daily_limit: 1, spacing_s: 60 }), now)
    assert.equal(mailboxes.plan(a.org, own, now), now)
    assert.ok(mailboxes.plan(a.org, own, now) > now)
  })

  test('are never more than a day may have nor closer than they may be, and none waits longer than it has to', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Pacific/Kiritimati', 'Asia/Gaza', 'Pacific/Apia']
    const limits = fc.record({
      daily_limit: fc.option(fc.integer({ min: 1, max: 4 })),
      spacing_s: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 86_400 })),
    })
    const call = fc.record({
      advance: fc.oneof(fc.constant(0), fc.nat(9 * 3600 * 1000)),
      ahead: fc.oneof(fc.constant(0), fc.integer({ min: -DAY_MS, max: 2 * DAY_MS })),
    })
    fc.assert(
      fc.property(fc.constantFrom(...zones), limits, fc.array(call, { maxLength: 30 }), (timezone, given, calls) => {
        afresh(timezone)
        const days = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone })
        const dayOf = (ms: number) => days.format(ms)
        const isFull = (day: string) => moments.filter((each) => dayOf(each) === day).length === given.daily_limit
        const moments: number[] = []
        for (const { advance, ahead } of calls) {
          server.advance(advance)
          const at = server.now() + ahead
          const last = moments.at(-1) ?? 0
          const earliest = Math.max(at, server.now(), given.spacing_s > 0 ? last + given.spacing_s * 1000 : 0)
          const moment = plan(given, at)
          assert.ok(moment >= earliest)
          if (given.daily_limit === null) assert.equal(moment, earliest)
          if (moment > earliest) {
            assert.notEqual(dayOf(moment - 1), dayOf(moment), 'the beginning of a day')
            for (let day = earliest; day < moment; day += 3600 * 1000) assert.ok(isFull(dayOf(day)))
          }
          assert.ok(!isFull(dayOf(moment)))
          moments.push(moment)
        }
      }),
      { numRuns: 60 },
    )
  })
})
