import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { cursorSecret } from '../../src/auth/keys.ts'
import type { Running } from '../../src/cli/serve/running.ts'
import { serveFolder } from '../../src/cli/serve/serve-folder.ts'
import { cursors } from '../../src/http/cursor.ts'
import type { Mailbox } from '../../src/inbox/mailboxes/mailbox.ts'
import { silentLog } from '../../src/lib/log.ts'
import { incomingStore } from '../../src/mail/incoming.ts'
import { whileNothingIsSealed } from '../../src/store/folder/vault.ts'
import { openStore } from '../../src/store/open.ts'
import { mailIn, setMailboxes } from '../support/mailbox.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { smallDisk } from '../support/small-disk.ts'
import { cli, cliJson, dealbox, temporaryFolder } from './command-line.ts'

// Key files that are emptied, damaged, missing or cannot be written: what the commands and the server make of them.

const root = temporaryFolder()
const whole = join(root, 'whole')
let token: string
before(async () => {
  await cliJson('init', '--data', whole, '--org', 'Acme', '--email', 'ana@acme.example')
  token = (await cliJson('token', 'create', '--data', whole, '--email', 'ana@acme.example', '--scope', 'all')).token
})

let data: string
let count = 0
beforeEach(() => {
  data = join(root, String(count++))
  cpSync(whole, data, { recursive: true })
})

const keyFile = (name: string): string => join(data, 'keys', name)
const pem = (): string => readdirSync(join(data, 'keys')).find((name) => name.endsWith('.pem')) as string
const newToken = (): string[] => ['token', 'create', '--data', data, '--email', 'ana@acme.example', '--scope', 'all']
const SERVE = { apiListen: '127.0.0.1:0', screensListen: 'off', rateLimit: 'off', corsOrigin: '', webhookAllow: '' }

/** Serves the folder while the job runs; the job calls the public interface. */
async function served(job: (call: Call) => Promise<void>): Promise<void> {
  const running: Running = await serveFolder({ ...SERVE, data, eventRetention: '30d' }, silentLog)
  try {
    await job(async (path, body, bearer = token) => {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
      const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) }
      const response = await fetch(`${running.api}/api/v1${path}`, init)
      return { status: response.status, body: await response.json() }
    })
  } finally {
    await running.stop()
  }
}
// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every shape
type Call = (path: string, body?: object, bearer?: string) => Promise<{ status: number; body: any }>

const newPem = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })

describe('a key that signs tokens', () => {
  const damages: [string, 'damaged' | 'missing', () => void][] = [
    ['emptied', 'damaged', () => truncateSync(keyFile(pem()), 0)],
    ['cut off', 'damaged', () => truncateSync(keyFile(pem()), 60)],
    ['replaced by another key', 'damaged', () => writeFileSync(keyFile(pem()), newPem())],
    ['missing', 'missing', () => rmSync(keyFile(pem()))],
  ]
  for (const [what, fault, damage] of damages) {
    test(`that is ${what} is refused in one sentence, which names the file and both ways out`, async () => {
      const name = pem()
      damage()
      const kid = name.replace('.pem', '')
      const sentence = `The key file ${keyFile(name)} is ${fault}; restore it from a backup of the data folder, or replace the key with "dealbox keys rotate" and "dealbox keys retire ${kid}" and create new tokens.\n`
      assert.deepEqual(await dealbox(newToken()), { code: 1, out: '', err: sentence })
      const serve = ['serve', '--data', data, '--api-listen', '127.0.0.1:0', '--screens-listen', 'off']
      assert.deepEqual(await dealbox(serve, { timeout: 120_000 }), { code: 1, out: '', err: sentence })
      const list = await cli(['keys', 'list', '--data', data])
      assert.match(list.out, new RegExp(`\\n${kid} .* file ${fault}\\n$`))
      assert.equal(list.err.split('\n').length, 2)
      assert.ok(list.err.startsWith(`Restore keys/${name} from a backup of the data folder`))
    })
  }

  test('works again where its file is restored', async () => {
    const kept = readFileSync(keyFile(pem()))
    const name = pem()
    truncateSync(keyFile(name), 0)
    writeFileSync(keyFile(name), kept)
    assert.equal((await cli(['keys', 'list', '--data', data])).err, '')
    await served(async (call) => assert.equal((await call('/deals')).status, 200))
  })

  test('is ended as the sentence says: the server starts, and new tokens count', async () => {
    const name = pem()
    truncateSync(keyFile(name), 0)
    await cliJson('keys', 'rotate', '--data', data)
    await cliJson('keys', 'retire', name.replace('.pem', ''), '--data', data)
    const { token: made } = await cliJson(...newToken())
    await served(async (call) => {
      assert.deepEqual([(await call('/deals')).status, (await call('/deals', undefined, made)).status], [401, 200])
    })
  })
})

describe('a database of which only the keys are left', () => {
  const serve = (): string[] => ['serve', '--data', data, '--api-listen', '127.0.0.1:0', '--screens-listen', 'off']
  const init = (): string[] => ['init', '--data', data, '--org', 'Other', '--email', 'ben@other.example']
  const lost: [string, () => void][] = [
    ['empty', () => truncateSync(join(data, 'dealbox.db'), 0)],
    ['missing', () => rmSync(join(data, 'dealbox.db'))],
  ]
  for (const [what, lose] of lost) {
    test(`is ${what}: the server and the commands refuse it, and change nothing`, async () => {
      const database = readFileSync(join(data, 'dealbox.db'))
      lose()
      const files = readdirSync(data, { recursive: true })
      const sentence = `${join(data, 'dealbox.db')} is ${what}, although ${join(data, 'keys')} contains the keys of a database; restore the database from a backup, or move the keys away to start from scratch.\n`
      const refused = { code: 1, out: '', err: sentence }
      assert.deepEqual(await dealbox(serve(), { timeout: 120_000 }), refused)
      for (const argv of [
        init(),
        newToken(),
        ['keys', 'list', '--data', data],
        ['export', join(data, 'out'), '--data', data],
      ])
        assert.deepEqual(await cli(argv), refused)
      assert.deepEqual(readdirSync(data, { recursive: true }), files)
      writeFileSync(join(data, 'dealbox.db'), database)
      await served(async (call) => assert.equal((await call('/deals')).status, 200))
    })

    test(`is ${what}: without its keys, there is a new beginning`, async () => {
      lose()
      rmSync(join(data, 'keys'), { recursive: true })
      assert.equal((await cli(init())).code, 0)
    })
  }
})

describe('the key of cursors', () => {
  const unusable: [string, Buffer][] = [
    ['empty', Buffer.alloc(0)],
    ['short', randomBytes(31)],
    ['long', randomBytes(33)],
    ['all zeros', Buffer.alloc(32)],
  ]
  for (const [what, bytes] of unusable) {
    test(`that is ${what} is replaced at start: cursors from before, and those made with it, are refused`, async () => {
      let old = ''
      await served(async (call) => {
        for (const title of ['A', 'B', 'C']) assert.equal((await call('/deals', { title })).status, 201)
        old = (await call('/deals?limit=1')).body.next_cursor
        assert.equal((await call(`/deals?limit=1&cursor=${old}`)).status, 200)
      })
      const forgedWith = (secret: Buffer) =>
        cursors(secret).seal({ key: null, id: '01890000-0000-7000-8000-000000000000' }, '1 /api/v1/deals ')
      const right = forgedWith(readFileSync(keyFile('cursor.key')))
      await served(async (call) => {
        for (const cursor of [old, right]) assert.equal((await call(`/deals?limit=1&cursor=${cursor}`)).status, 200)
      })
      writeFileSync(keyFile('cursor.key'), bytes)
      await served(async (call) => {
        for (const cursor of [old, right, forgedWith(bytes)]) {
          const { status, body } = await call(`/deals?limit=1&cursor=${cursor}`)
          assert.deepEqual([status, body.code], [400, 'invalid_cursor'])
        }
        const { next_cursor } = (await call('/deals?limit=1')).body
        assert.equal((await call(`/deals?limit=1&cursor=${next_cursor}`)).status, 200)
      })
      const made = readFileSync(keyFile('cursor.key'))
      assert.ok(made.length === 32 && !made.equals(bytes))
    })
  }
})

describe('the key of cursors on a full disk', () => {
  const disk = smallDisk(64)
  after(() => disk?.drop())

  test('lasts as long as the process, and a file is made once there is room', {
    skip: !disk && 'this process may not mount a file system',
  }, () => {
    if (!disk) return
    disk.fill()
    const [one, other] = [cursorSecret(disk.folder), cursorSecret(disk.folder)]
    assert.ok(one.length === 32 && other.length === 32 && !one.equals(other))
    assert.deepEqual(readdirSync(join(disk.folder, 'keys')), [])
    disk.free()
    assert.deepEqual(cursorSecret(disk.folder), cursorSecret(disk.folder))
  })
})

describe('the key of secrets', () => {
  const webhook = { url: 'https://hooks.example/', event_types: ['*'] }

  test('that is unusable is replaced while nothing is sealed with it', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(32)]) {
      writeFileSync(keyFile('secrets.key'), bytes)
      const guarded = openStore(data)
      guarded.vault.seal('x', 'secret')
      guarded.close()
      assert.ok(readFileSync(keyFile('secrets.key')).some((byte) => byte !== 0))
    }
  })

  test('that is unusable is kept once a webhook is sealed with it, and works again when it is restored', async () => {
    await served(async (call) => {
      writeFileSync(keyFile('secrets.key'), '')
      const made = await call('/webhooks', { ...webhook, url: 'https://93.184.215.14/' })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      const right = readFileSync(keyFile('secrets.key'))
      assert.equal(right.length, 32)
      writeFileSync(keyFile('secrets.key'), '')
      const { status, body } = await call('/webhooks', { ...webhook, url: 'https://93.184.215.14/' })
      assert.deepEqual([status, body.code], [409, 'secret_unreadable'])
      assert.match(
        body.detail,
        /keys\/secrets\.key is damaged \(0 bytes instead of 32\); restore it from a backup of the/,
      )
      assert.equal(readFileSync(keyFile('secrets.key')).length, 0)
      writeFileSync(keyFile('secrets.key'), right)
      assert.equal((await call('/webhooks', { ...webhook, url: 'https://93.184.215.14/' })).status, 201)
    })
  })

  test('that something depends on is not replaced: a webhook, a password of either side, a mail', async () => {
    const server: TestServer = await startServer()
    try {
      const { db } = server.store
      const isReplaced = (): boolean => {
        let called = false
        whileNothingIsSealed(db)(() => (called = true))
        return called
      }
      assert.equal(isReplaced(), true)
      const [box] = Object.values(setMailboxes(server))
      assert.equal(isReplaced(), false)
      for (const side of ['smtp_secret', 'imap_secret']) {
        db.exec('UPDATE mailboxes SET smtp_secret = NULL, imap_secret = NULL')
        assert.equal(isReplaced(), true)
        db.exec(`UPDATE mailboxes SET ${side} = 'sealed'`)
        assert.equal(isReplaced(), false, side)
      }
      db.exec('UPDATE mailboxes SET smtp_secret = NULL, imap_secret = NULL')
      const { body } = await server.call('POST', '/webhooks', webhook)
      assert.equal(isReplaced(), false)
      await server.call('DELETE', `/webhooks/${body.id}`)
      assert.equal(isReplaced(), true)
      const { take } = incomingStore(server.deps)
      await server.store.write(() => take(server.a.org, box as Mailbox, mailIn(), server.now()))
      assert.equal(isReplaced(), false)
    } finally {
      await server.stop()
    }
  })
})

describe('a server whose disk is full before its first secret', () => {
  const disk = smallDisk(32_768)
  const usual = process.env.TMPDIR
  let server: TestServer | undefined
  before(async () => {
    if (!disk) return
    process.env.TMPDIR = disk.folder
    server = await startServer()
  })
  after(async () => {
    if (usual === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = usual
    await server?.stop()
    disk?.drop()
  })

  test('refuses the webhook, leaves no key behind, and takes it once there is room', {
    skip: !disk && 'this process may not mount a file system',
  }, async () => {
    if (!disk || !server) return
    const file = join(server.dataDir, 'keys', 'secrets.key')
    const webhook = { url: 'https://hooks.example/', event_types: ['*'] }
    disk.fill()
    const full = await server.call('POST', '/webhooks', webhook)
    assert.deepEqual([full.status, full.body.code], [503, 'storage_full'])
    assert.ok(!existsSync(file))
    disk.free()
    assert.equal((await server.call('POST', '/webhooks', webhook)).status, 201)
    assert.equal(readFileSync(file).length, 32)
  })
})
