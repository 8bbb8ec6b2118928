import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { applySettings } from '../../src/app/settings/document.ts'
import { mailLogins } from '../../src/inbox/mailboxes/access-tokens.ts'
import type { Mailbox, State } from '../../src/inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../../src/inbox/mailboxes/mailboxes.ts'
import { silentLog } from '../../src/lib/log.ts'
import { readMail } from '../../src/lib/mail/parse/read.ts'
import { Problem } from '../../src/lib/problem.ts'
import { listenTo } from '../../src/mail/mailbox-listener.ts'
import { mailboxProgress } from '../../src/mail/mailbox-progress.ts'
import type { Write } from '../../src/store/commit.ts'
import { fetched, type ImapSay, startImapTalker } from '../support/imap-talker.ts'
import { SUPPORT, setMailboxes } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const GERMAN = 'Guten Tag, ich habe meine Bestellung noch nicht bekommen. Wann kommt sie an?'

const source = (id: string): string =>
  `Message-ID: <${id}@customer.example>\r\nFrom: ${id}@customer.example\r\n\r\n${id === 'german' ? GERMAN : 'hi'}\r\n`

/** The two answers that a mail takes: what it is, and all of it. */
const mail =
  (id: string, change: (answer: string) => string = (answer) => answer): ImapSay =>
  (socket, line) => {
    const tag = line.split(' ')[0]
    const text = source(id)
    const whole = `* 1 FETCH (UID 4 BODY[]<0> {${text.length}}\r\n${text})`
    const answer = line.includes('BODY.PEEK[]') ? whole : change(fetched(4, text))
    socket.write(`${answer.replace(/\r?\n/g, '\r\n')}\r\n${tag} OK done\r\n`)
  }

type More = { imap?: Row; state?: Partial<State>; write?: Write }

async function listening(t: TestContext, says: Record<string, ImapSay>, key: string, more: More = {}) {
  const { imap = { import_since: '2026-01-01' }, state = {}, write = server.store.write } = more
  const talker = await startImapTalker(t, says)
  const given = { ...SUPPORT, key, imap: { ...SUPPORT.imap, port: talker.port, ...imap } }
  const mailbox = setMailboxes(server, [given])[key] as Mailbox
  const cut = new AbortController()
  const outcomes: string[] = []
  const { deps, store } = server
  mailboxStore(deps).saveState(server.a.org, mailbox.id, state)
  const logins = mailLogins({ deps, write })
  const options = {
    deps,
    write,
    health: store.health,
    logins,
    log: silentLog,
    random: () => -0.99,
    read: readMail,
    count: (outcome: string) => void outcomes.push(outcome),
  }
  const end = listenTo(server.a.org, mailbox, options, cut.signal)
  t.after(() => {
    cut.abort()
    return end
  })
  return { talker, mailbox, outcomes, stateOf: () => mailboxStore(deps).state(server.a.org, mailbox.id) }
}

test('a rule that asks what a mail is written in is told, by the first mail already', async (t) => {
  const rule = { key: 'german', name: 'German', when: { language: 'de' }, do: { priority: 'urgent' } }
  applySettings(server.store, server.a.org, { rules: [rule] })
  t.after(() => void applySettings(server.store, server.a.org, { rules: [] }))
  const dated = (answer: string): string => answer.replace('04-May-2026 09:30:00 +0000', 'yesterday')
  const { outcomes } = await listening(t, { 'UID FETCH': mail('german', dated) }, 'german', { imap: {} })
  await until(() => outcomes.length > 0)
  const priority = server.store.db
    .prepare(
      `SELECT priority FROM conversations JOIN messages ON messages.conversation_id = conversations.id
       WHERE messages.external_id = '<german@customer.example>'`,
    )
    .pluck()
    .get()
  assert.equal(priority, 'urgent')
})

test('a mail of which its server does not say when it arrived is taken in, as of now', async (t) => {
  const says = { 'UID FETCH': mail('undated', (answer) => answer.replace('04-May-2026 09:30:00 +0000', 'yesterday')) }
  const { stateOf, outcomes } = await listening(t, says, 'undated', { imap: {} })
  await until(() => stateOf().checked_at !== null)
  assert.equal(stateOf().imported, 1)
  assert.deepEqual(outcomes, ['imported'])
  const { sent_at } = server.store.db
    .prepare("SELECT sent_at FROM messages WHERE external_id = '<undated@customer.example>'")
    .get() as { sent_at: number }
  assert.equal(sent_at, server.now())
})

describe('a mail that is moved there', () => {
  const DAY_MS = 86_400_000
  const cases: [name: string, checkedAgo: number, isHistory: boolean][] = [
    ['after the folder was looked at, and had arrived long before, is imported as history', DAY_MS / 2, true],
    ['and arrived while nobody could look is waited for', 4 * DAY_MS, false],
  ]
  for (const [name, checkedAgo, isHistory] of cases)
    test(name, async (t) => {
      const key = isHistory ? 'moved' : 'missed'
      const state = { uid_validity: 7, last_uid: 3, since: server.now(), checked_at: server.now() - checkedAgo }
      const arrivedAt = new Date(server.now() - 2 * DAY_MS)
        .toUTCString()
        .replace(/^\w+, (\d+) (\w+) (\d+) (\S+) GMT$/, '$1-$2-$3 $4 +0000')
      const dated = (answer: string): string => answer.replace(/INTERNALDATE "[^"]*"/, `INTERNALDATE "${arrivedAt}"`)
      const { stateOf, outcomes } = await listening(t, { 'UID FETCH': mail(key, dated) }, key, { imap: {}, state })
      await until(() => stateOf().last_uid === 4)
      assert.deepEqual(outcomes, ['imported'])
      const row = server.store.db
        .prepare(
          `SELECT is_history, waiting_since FROM messages JOIN conversations
             ON conversations.org_id = messages.org_id AND conversations.id = conversation_id
           WHERE external_id = ?`,
        )
        .get(`<${key}@customer.example>`) as { is_history: number; waiting_since: number | null }
      assert.deepEqual([row.is_history === 1, row.waiting_since === null], [isHistory, isHistory])
    })
})

test('an import that an older version began goes on by its own rules: what came before it is not taken in', async (t) => {
  const state = { uid_validity: 7, last_uid: 3, since: Date.parse('2026-05-05T00:00:00Z'), checked_at: null }
  const { stateOf, outcomes } = await listening(t, { 'UID FETCH': mail('upgraded') }, 'upgraded', { imap: {}, state })
  await until(() => stateOf().checked_at !== null)
  assert.deepEqual([outcomes, stateOf().imported, stateOf().last_uid], [[], 0, 4])
})

test('a mail of which a part was left out says so', async (t) => {
  const large = (answer: string): string => answer.replace(/RFC822.SIZE \d+/, 'RFC822.SIZE 60000000')
  const { stateOf } = await listening(t, { 'UID FETCH': mail('large', large) }, 'large')
  await until(() => stateOf().checked_at !== null)
  const error = server.store.db
    .prepare("SELECT error FROM messages WHERE external_id = '<large@customer.example>'")
    .pluck()
    .get()
  assert.match(String(error), /larger than 55.3 MiB; the rest was left out/)
})

test('a mail that the store could not take for a moment is not the one to blame', async (t) => {
  let refused = 0
  const write: Write = (job) => {
    const { active, state } = mailboxStore(server.deps)
    const isBehind = active().some(({ org, mailbox }) => state(org, mailbox.id).pending > 0)
    if (!isBehind || refused > 0) return server.store.write(job)
    refused++
    return Promise.reject(Object.assign(new Error('The disk is full.'), { status: 503 }))
  }
  const { stateOf, outcomes } = await listening(t, { 'UID FETCH': mail('full') }, 'full', { write })
  await until(() => stateOf().checked_at !== null)
  assert.deepEqual(outcomes, ['imported'])
  assert.deepEqual([refused, stateOf().imported, stateOf().rejected], [1, 1, 0])
})

test('a listener whose settings are old writes nothing of how far a folder was read', async () => {
  const [before] = Object.values(setMailboxes(server, [{ ...SUPPORT, key: 'moved' }])) as [Mailbox]
  const { begin } = mailboxProgress(server.deps)
  const { store, a } = server
  await store.write(() => void begin(a.org, before, { uidValidity: 7, uidNext: 1 }))
  const [after] = Object.values(
    setMailboxes(server, [{ ...SUPPORT, key: 'moved', imap: { ...SUPPORT.imap, folder: 'Other' } }]),
  ) as [Mailbox]
  assert.equal(await store.write(() => begin(a.org, before, { uidValidity: 7, uidNext: 1 })), undefined)
  const state = (): State => mailboxStore(server.deps).state(a.org, after.id)
  assert.equal(state().uid_validity, null)
  await store.write(() => void begin(a.org, after, { uidValidity: 7, uidNext: 1 }))
  assert.deepEqual([state().uid_validity, state().last_uid], [7, 0])
})

/** A folder with mails up to a number, of which only the last one does not end the connection, as damaged ones do. */
const damaged = (name: string, last: number, isGiven: () => boolean): Record<string, ImapSay> => ({
  'UID SEARCH': (socket, line) => {
    const from = Number(/UID (\d+):/.exec(line)?.[1] ?? 0)
    const found = [4, 5, 6].filter((uid) => uid >= from && uid <= last)
    socket.write(`* SEARCH ${found.join(' ')}\r\n${line.split(' ')[0]} OK done\r\n`)
  },
  'UID FETCH': (socket, line) => {
    const [tag, , , uids = ''] = line.split(' ')
    if (!line.includes('BODY.PEEK[]')) {
      const all = uids.split(',').map((uid) => fetched(Number(uid), source(`${name}${uid}`)).replace(/\r?\n/g, '\r\n'))
      socket.write(`${all.join('\r\n')}\r\n${tag} OK done\r\n`)
    } else if (uids !== String(last) || !isGiven()) socket.destroy()
    else
      socket.write(
        `* 1 FETCH (UID ${uids} BODY[]<0> {${source(`${name}${last}`).length}}\r\n${source(`${name}${last}`)})\r\n${tag} OK done\r\n`,
      )
  },
})

test('a mail that its server cannot give is on record, and the next one comes in', async (t) => {
  const { stateOf, mailbox, outcomes } = await listening(
    t,
    damaged('d', 5, () => true),
    'damaged',
  )
  await until(() => stateOf().checked_at !== null)
  const { imported, rejected, last_uid, failing_since } = stateOf()
  assert.deepEqual([imported, rejected, last_uid, failing_since], [1, 1, 5, null])
  assert.deepEqual(outcomes, ['rejected', 'imported'])
  const [trouble] = mailboxStore(server.deps).rejectedMails(server.a.org, mailbox.id)
  assert.deepEqual([trouble?.uid, trouble?.external_id], [4, '<d4@customer.example>'])
})

test('a server that gives no mail at all costs none', async (t) => {
  let fetches = 0
  const says = damaged('a', 5, () => ++fetches > 6)
  const { stateOf, mailbox } = await listening(t, says, 'away')
  await until(() => stateOf().imported === 1)
  assert.deepEqual([stateOf().rejected, fetches > 6], [1, true])
  assert.equal(mailboxStore(server.deps).rejectedMails(server.a.org, mailbox.id).length, 1)
})

test('two damaged mails in a row hold up nothing either', async (t) => {
  const { stateOf } = await listening(
    t,
    damaged('two', 6, () => true),
    'two',
  )
  await until(() => stateOf().checked_at !== null)
  assert.deepEqual([stateOf().imported, stateOf().rejected, stateOf().last_uid], [1, 2, 6])
})

describe('a mail that its server leaves out, saying that all is well', () => {
  type Folder = {
    uids: number[]
    hasBody: (uid: number) => boolean
    isListed?: (uid: number) => boolean
    /** What stands in the place of a content. */
    instead?: string
  }

  /** A folder that leaves out what the test says. */
  const leavingOut = (
    name: string,
    { uids, hasBody, isListed = () => true, instead }: Folder,
  ): Record<string, ImapSay> => ({
    'UID SEARCH': (socket, line) => {
      const range = /UID ([\d,]+)(:\*)?/.exec(line)
      const named = range?.[1]?.split(',').map(Number) ?? []
      const found = uids.filter((uid) => !range || (range[2] ? uid >= (named[0] as number) : named.includes(uid)))
      socket.write(`* SEARCH ${found.join(' ')}\r\n${line.split(' ')[0]} OK done\r\n`)
    },
    'UID FETCH': (socket, line) => {
      const [tag, , , wanted = ''] = line.split(' ')
      const isBody = line.includes('BODY.PEEK[]')
      const all = wanted
        .split(',')
        .map(Number)
        .filter((uid) => uids.includes(uid))
      const answers = all.flatMap((uid) => {
        if (!(isBody ? hasBody(uid) : isListed(uid)))
          return isBody && instead !== undefined ? `* 1 FETCH (UID ${uid} BODY[]<0> ${instead})` : []
        const text = source(`${name}${uid}`)
        const whole = `* 1 FETCH (UID ${uid} BODY[]<0> {${text.length}}\r\n${text})`
        return isBody ? whole : fetched(uid, text).replace(/\r?\n/g, '\r\n')
      })
      socket.write(`${[...answers, `${tag} OK done`].join('\r\n')}\r\n`)
    },
  })
  const missingOf = ({ id }: Mailbox) =>
    mailboxStore(server.deps)
      .rejectedMails(server.a.org, id)
      .map(({ uid, error }) => [uid, error])
  const text = (uid: number) => new RegExp(`left out the content of the mail with UID ${uid} in "INBOX"`)

  for (const times of [1, 2, 4])
    test(`${times} times comes in when it is there`, async (t) => {
      let asked = 0
      const hasBody = (uid: number) => uid !== 4 || asked++ >= times
      const box = await listening(t, leavingOut(`t${times}.`, { uids: [4, 5], hasBody }), `times${times}`)
      await until(() => box.stateOf().checked_at !== null)
      const { imported, missing, rejected, failing_since } = box.stateOf()
      assert.deepEqual([imported, missing, rejected, failing_since], [2, 0, 0, null])
    })

  for (const [name, instead] of [
    ['empty', '{0}\r\n'],
    ['NIL', 'NIL'],
    ['an empty text', '""'],
  ] as const)
    test(`may say that it is ${name}`, async (t) => {
      const key = name.replaceAll(' ', '-').toLowerCase()
      const box = await listening(t, leavingOut(key, { uids: [4, 5], hasBody: (uid) => uid === 5, instead }), key)
      await until(() => box.stateOf().checked_at !== null)
      assert.deepEqual([box.stateOf().imported, box.stateOf().missing], [1, 1])
    })

  test('now and then is not waited for longer each time', async (t) => {
    const uids = Array.from({ length: 20 }, (_, n) => 4 + n)
    const asked = new Map<number, number>()
    const hasBody = (uid: number): boolean => {
      asked.set(uid, (asked.get(uid) ?? 0) + 1)
      return (asked.get(uid) as number) > 2
    }
    const box = await listening(t, leavingOut('often', { uids, hasBody }), 'often')
    await until(() => box.stateOf().checked_at !== null) // its pauses would be hours
    assert.deepEqual([box.stateOf().imported, box.stateOf().missing], [20, 0])
  })

  test('each time is on record with its number, and the next one comes in', async (t) => {
    const box = await listening(t, leavingOut('m', { uids: [4, 5], hasBody: (uid) => uid === 5 }), 'missing')
    await until(() => box.stateOf().checked_at !== null)
    const { imported, missing, rejected, last_uid, failing_since } = box.stateOf()
    assert.deepEqual([imported, missing, rejected, last_uid, failing_since], [1, 1, 0, 5, null])
    const [[uid, error]] = missingOf(box.mailbox) as [[number, string]]
    assert.equal(uid, 4)
    assert.match(error, text(4))
    assert.deepEqual(box.outcomes, ['rejected', 'imported'])
  })

  test('each time is on record also where it is the only one, or its description is left out', async (t) => {
    const isListed = (uid: number) => uid !== 5
    const hasBody = (uid: number) => uid === 5
    const box = await listening(t, leavingOut('o', { uids: [4, 5, 6], hasBody, isListed }), 'only')
    await until(() => box.stateOf().checked_at !== null)
    assert.deepEqual([box.stateOf().imported, box.stateOf().missing, box.stateOf().last_uid], [1, 2, 6])
    assert.deepEqual(
      missingOf(box.mailbox).map(([uid]) => uid),
      [6, 4],
    )
  })

  test('since it was moved or deleted meanwhile is not missing', async (t) => {
    const uids = [4, 5, 6]
    const folder: Folder = {
      uids,
      hasBody: (uid) => {
        if (uid === 4) uids.shift()
        return uid !== 4
      },
      isListed: (uid) => {
        if (uid === 6) uids.splice(uids.indexOf(6), 1)
        return uid !== 6
      },
    }
    const box = await listening(t, leavingOut('g', folder), 'gone')
    await until(() => box.stateOf().checked_at !== null)
    const { imported, missing, rejected, pending } = box.stateOf()
    assert.deepEqual([imported, missing, rejected, pending], [1, 0, 0, 0])
    assert.deepEqual(missingOf(box.mailbox), [])
  })
})

test('while nothing can be written the server is not asked', async (t) => {
  const talker = await startImapTalker(t, {})
  const given = { ...SUPPORT, key: 'refused', imap: { ...SUPPORT.imap, port: talker.port, import_since: '2026-01-01' } }
  const mailbox = setMailboxes(server, [given]).refused as Mailbox
  const cut = new AbortController()
  const { deps, store } = server
  const refused = new Problem(503, 'storage_full', 'The disk is full.')
  let asked = 0
  const refusal = () => {
    asked++
    cut.abort()
    return refused
  }
  const health = { refusal, note: () => true }
  const logins = mailLogins({ deps, write: store.write })
  const options = {
    deps,
    write: store.write,
    health,
    logins,
    log: silentLog,
    random: () => -0.99,
    read: readMail,
  }
  const timer = setTimeout(() => cut.abort(), 120_000)
  await listenTo(server.a.org, mailbox, options, cut.signal)
  clearTimeout(timer)
  assert.deepEqual([asked, talker.heard], [1, []])
})
