import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { ImapFlow } from 'imapflow'
import { createTransport } from 'nodemailer'
import { resourceDeps } from '../../src/app/deps.ts'
import type { Mailbox, State } from '../../src/inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../../src/inbox/mailboxes/mailboxes.ts'
import { silentLog } from '../../src/lib/log.ts'
import { type Receiver, startReceiver } from '../../src/mail/mailbox-sync.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import { newRandom, type Random } from '../lib/mail/parse/mime/random.ts'
import { noDovecot, startDovecot } from '../support/dovecot.ts'
import { type Fault, startImapProxy } from '../support/imap-proxy.ts'
import { SUPPORT, setMailboxes } from '../support/mailbox.ts'
import { makeOrg } from '../support/org.ts'
import { noPostfix, startPostfix } from '../support/postfix.ts'
import { MAIN } from '../support/program.ts'
import { examples, seedOf } from '../support/seed.ts'
import { startServer } from '../support/server.ts'
import { until, untilIs } from '../support/until.ts'

// Each mail that Postfix takes and Dovecot has in a folder is a message here, or listed with its number and the reason: whatever
// is left out on its way, people move, networks break off and processes forget.

const SEED = seedOf(20261128)
const HAPPENINGS = examples(120)
const KILLS = 4
const LOST = 'lost@customer.example'
const FAULTS = ['no body', 'nil', 'empty', 'nothing'] as const

type Counted = { inFolder: string[]; unaccounted: string[]; listed: string[] }
const isWhole = ({ unaccounted }: Counted): boolean => unaccounted.length === 0

/** A folder of a real server, behind a proxy that leaves out the content of some mails for a while, and of LOST always. */
async function startFolder(t: TestContext, random: Random) {
  const dovecot = await startDovecot(t, { folders: { Sent: '\\Sent', Archive: null } })
  const { mailDir: dir, owner, user } = dovecot
  const maildirs = { dir, owner: owner as NonNullable<typeof owner>, folder: user } // Postfix runs as root, and so does this
  const { port } = (await startPostfix(t, [SUPPORT.address], 50, maildirs)).server
  const smtp = createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true })
  const faults = new Map<string, number>()
  let count = 0
  let leftOut = 0
  let onAnswer = (): void => undefined
  const faultOf = (_uid: number, answer: string): Fault => {
    if (answer.includes('HEADER.FIELDS')) return null
    onAnswer()
    const id = /^message-id: <(.*)>/im.exec(answer)?.[1] ?? ''
    const times = faults.get(id) ?? 0
    if (times === 0 && id !== LOST) return null
    faults.set(id, times - 1)
    leftOut++
    return random.pick(FAULTS)
  }
  const proxy = await startImapProxy(t, dovecot.port, faultOf)
  process.env.DEALBOX_TEST_IMAP = dovecot.password
  const login = { user: dovecot.user, password_env: 'DEALBOX_TEST_IMAP' }
  const imap = { host: '127.0.0.1', port: proxy.port, tls: 'none', ...login, import_since: '2026-01-01' }

  /** Resolves as soon as Postfix has taken the mail; it is in the folder a little later. */
  const deliver = async (raw: string): Promise<void> =>
    void (await smtp.sendMail({ envelope: { from: 'anna@customer.example', to: SUPPORT.address }, raw }))

  let sent = 0
  const source = (id: string): string => {
    sent++
    return `Message-ID: <${id}>\r\nFrom: ${id}\r\nTo: ${SUPPORT.address}\r\nSubject: Mail ${id}\r\n\r\nThis is ${id}.\r\n`
  }
  /** The content of some is left out the next times: at most twice that often as it is asked for within one attempt. */
  function fresh(): string {
    const id = `m${++count}@customer.example`
    if (random.chance(0.3)) faults.set(id, 1 + random.int(4))
    return source(id)
  }

  /** As another mail program of a person. */
  async function withFolder<T>(work: (program: ImapFlow, uids: number[]) => Promise<T>, folder = 'INBOX'): Promise<T> {
    const { port, user, password } = dovecot
    const auth = { user, pass: password }
    const program = new ImapFlow({ host: '127.0.0.1', port, secure: false, doSTARTTLS: false, auth, logger: false })
    await program.connect()
    try {
      await program.mailboxOpen(folder)
      return await work(program, (await program.search({ all: true }, { uid: true })) || [])
    } finally {
      await program.logout()
    }
  }

  /** Resolves when all that was sent so far has arrived, in whichever folder it is now. */
  async function arrived(): Promise<void> {
    const here = (name: string) => withFolder(async (_program, uids) => uids.length, name)
    await until(async () => (await here('INBOX')) + (await here('Archive')) >= sent)
  }

  const move = (from: string, to: string): Promise<unknown> =>
    withFolder(async (program, uids) => {
      const some = uids.filter(() => random.chance(0.3))
      if (some.length > 0) await program.messageMove(some.join(','), to, { uid: true })
    }, from)

  /** What is in the folder now, and what of it is neither a message nor listed. */
  async function counted({ db }: Pick<Store, 'db'>, org: number): Promise<Counted> {
    const [found, validity] = await withFolder(async (program, uids) => {
      const all = uids.length === 0 ? [] : await program.fetchAll(uids.join(','), { envelope: true }, { uid: true })
      const mails = all.map(({ uid, envelope }) => ({ uid, id: envelope?.messageId ?? '' }))
      return [mails, program.mailbox === false ? 0 : Number(program.mailbox.uidValidity)] as const
    })
    const message = db.prepare('SELECT 1 FROM messages WHERE org_id = ? AND external_id = ?')
    const listing = db.prepare('SELECT 1 FROM rejected_mails WHERE org_id = ? AND uid_validity = ? AND uid = ?')
    const others = found.filter(({ id }) => message.get(org, id) === undefined)
    const isListed = ({ uid }: { uid: number }): boolean => listing.get(org, validity, uid) !== undefined
    return {
      inFolder: found.map(({ id }) => id),
      unaccounted: others.filter((mail) => !isListed(mail)).map(({ id }) => id),
      listed: others.filter(isListed).map(({ id }) => id),
    }
  }

  /** What has to be so at the end, whatever has happened. */
  function check({ db }: Pick<Store, 'db'>, org: number, state: State, { inFolder, listed }: Counted): void {
    const { imported, missing, rejected } = state
    t.diagnostic(
      `seed ${SEED}: ${count} mails, ${leftOut} answers left out; ${inFolder.length} in the folder, ${imported} imported, ${missing} missing`,
    )
    const one = (sql: string) => db.prepare(sql).pluck().get(org)
    assert.equal(one("SELECT count(*) FROM messages WHERE org_id = ? AND direction = 'inbound'"), imported)
    assert.equal(one("SELECT count(*) FROM messages WHERE org_id = ? AND body_text NOT LIKE 'This is m%'"), 0)
    assert.ok(leftOut > 0 && missing > 0 && rejected === 0, `${leftOut} ${missing} ${rejected}`)
    const others = listed.filter((id) => id !== `<${LOST}>`)
    assert.deepEqual(others, [], 'what is left out for a while comes in')
    for (const reason of db.prepare('SELECT error FROM rejected_mails WHERE org_id = ?').pluck().all(org))
      assert.match(String(reason), /left out the content of the mail with UID \d+ in "INBOX"/)
  }

  return {
    ...{ imap, withFolder, move, counted, check, fresh, source },
    cut: proxy.cut,
    resetUidValidity: () => dovecot.resetUidValidity(),
    deliver,
    arrived,
    /** Resolves once the content of so many more mails was asked for. */
    asked: (times: number) =>
      new Promise<void>((resolve) => {
        onAnswer = () => {
          if (--times <= 0) resolve()
        }
      }),
  }
}

describe('every mail of the folder is accounted for', { skip: noDovecot || noPostfix }, () => {
  test(`after ${HAPPENINGS} happenings`, async (t) => {
    const random = newRandom(SEED)
    const folder = await startFolder(t, random)
    const server = await startServer()
    t.after(() => server.stop())
    server.advance(Date.now() - server.now()) // servers for mail have the time of the day
    const { store, deps, a } = server
    const { support } = setMailboxes(server, [{ ...SUPPORT, imap: folder.imap }]) as { support: Mailbox }
    const state = (): State => mailboxStore(deps).state(a.org, support.id)

    let receiver: Receiver | undefined
    const start = (): void => {
      const { write, health, committed } = store
      receiver = startReceiver({ deps, write, health, committed, log: silentLog, random: () => -0.99 })
    }
    const restart = async (): Promise<void> => {
      await receiver?.stop()
      start()
    }
    t.after(() => receiver?.stop())

    async function accounted(): Promise<Counted> {
      await folder.arrived()
      return untilIs(() => folder.counted(store, a.org), isWhole)
    }

    /** A folder that is numbered anew is read from the set-up on: until then, an older mail has to be here already. */
    async function numberedAnew(): Promise<void> {
      // An older mail that comes back only behind that moment, and was never here before, counts as history: a known limit.
      await folder.withFolder(async (program, uids) => {
        if (uids.length > 0) await program.messageMove(uids.join(','), 'INBOX', { uid: true })
      }, 'Archive')
      await accounted()
      const { uid_validity } = state()
      await folder.resetUidValidity()
      await restart() // it would wait, after some attempts without a server
      await until(() => state().uid_validity !== uid_validity)
    }

    const old = new Date('2019-05-04T10:00:00Z')
    const happenings: Record<string, () => unknown> = {
      arrives: () => folder.deliver(folder.fresh()),
      'several arrive': async () => {
        for (let n = 0; n < 5; n++) await folder.deliver(folder.fresh())
      },
      'is copied from elsewhere with its old time': () =>
        folder.withFolder((program) => program.append('INBOX', folder.fresh(), [], old)),
      'are moved away': () => folder.move('INBOX', 'Archive'),
      'are moved back': () => folder.move('Archive', 'INBOX'),
      'is cut off': folder.cut,
      'is stopped and started': restart,
      settles: accounted,
    }
    await folder.deliver(folder.fresh())
    start()
    await accounted()
    for (let n = 0; n < HAPPENINGS; n++) {
      if (n === Math.floor(HAPPENINGS / 3)) await folder.deliver(folder.source(LOST))
      if (n === Math.floor(HAPPENINGS / 2)) await numberedAnew()
      await happenings[random.pick(Object.keys(happenings))]?.()
    }
    const last = await accounted()
    folder.check(store, a.org, state(), last)
  })

  test(`after ${KILLS} times kill -9 of the server`, async (t) => {
    const random = newRandom(SEED)
    const folder = await startFolder(t, random)
    const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-accounted-'))
    t.after(() => rmSync(dataDir, { recursive: true, force: true }))
    const store = openStore(dataDir, { create: true })
    t.after(() => store.close())
    const deps = resourceDeps(store)
    const a = await makeOrg(store, dataDir, 'Acme')
    const { support } = setMailboxes({ store, deps, a }, [{ ...SUPPORT, imap: folder.imap }]) as { support: Mailbox }
    let child: ChildProcess | undefined
    t.after(() => child?.kill('SIGKILL'))

    await folder.deliver(folder.source(LOST))
    for (let kill = 0; kill < KILLS; kill++) {
      for (let n = 0; n < 10; n++) await folder.deliver(folder.fresh())
      const asked = folder.asked(1 + random.int(8))
      child = await serve(dataDir)
      await asked
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    child = await serve(dataDir)
    await folder.arrived()
    const last = await untilIs(() => folder.counted(store, a.org), isWhole)
    child.kill('SIGTERM')
    await once(child, 'exit')
    folder.check(store, a.org, mailboxStore(deps).state(a.org, support.id), last)
  })
})

async function serve(dataDir: string): Promise<ChildProcess> {
  const argv = ['serve', '--data', dataDir, '--api-listen', '127.0.0.1:0', '--screens-listen', 'off']
  const child = spawn(process.execPath, [MAIN, ...argv], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  return child
}
