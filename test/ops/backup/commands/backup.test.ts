import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import type { Running } from '../../../../src/cli/serve/running.ts'
import { serveFolder } from '../../../../src/cli/serve/serve-folder.ts'
import { silentLog } from '../../../../src/lib/log.ts'
import { lastBackup, noteBackup } from '../../../../src/ops/backup/state.ts'
import { cli, cliJson, temporaryFolder } from '../../../cli/command-line.ts'
import { MAIN } from '../../../support/program.ts'
import { type Receiver, startReceiver } from '../../../support/receiver.ts'
import { smallDisk } from '../../../support/small-disk.ts'

const exec = promisify(execFile)
const root = join(import.meta.dirname, '../../../..')
const folder = temporaryFolder()
const data = join(folder, 'dealbox-data')
const ana = 'ana@acme.example'
let token: string
let receiver: Receiver
let mailServer: Awaited<ReturnType<typeof startMailServer>>
before(async () => {
  receiver = await startReceiver()
  mailServer = await startMailServer()
  await cliJson('init', '--data', data, '--org', 'Acme', '--email', ana)
  token = (await cliJson('token', 'create', '--data', data, '--email', ana, '--scope', 'all')).token
})
const servers: Running[] = []
after(() => Promise.all([receiver.stop(), mailServer.stop(), ...servers.map(({ stop }) => stop())]))

/** Counts connections, and closes each. */
async function startMailServer() {
  let count = 0
  let waiting: (() => void)[] = []
  const server = createServer((socket) => {
    count++
    for (const resolve of waiting) resolve()
    waiting = []
    socket.on('error', () => undefined).destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => count,
    connected: () => (count > 0 ? undefined : new Promise<void>((resolve) => waiting.push(resolve))),
    forget: () => {
      count = 0
    },
    stop: async () => void server.close(),
  }
}

async function refusal(code: number, ...argv: string[]): Promise<string> {
  const ended = await cli(argv)
  assert.equal(ended.code, code, ended.err)
  assert.equal(ended.out, '')
  return ended.err
}

async function serve(dataDir: string, more: object = {}): Promise<Running> {
  const listen = { apiListen: '127.0.0.1:0', screensListen: '127.0.0.1:0' }
  const rest = { rateLimit: 'off', corsOrigin: '', webhookAllow: '127.0.0.1', eventRetention: '30d' }
  const server = await serveFolder({ data: dataDir, ...listen, ...rest, ...more }, silentLog)
  const stop = server.stop
  let stopped: Promise<void> | undefined
  server.stop = () => (stopped ??= stop())
  servers.push(server)
  return server
}

async function call(api: string, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
  return fetch(`${api}/api/v1${path}`, init)
}

describe('backup', () => {
  test('makes one in the folder of the nightly ones, and remembers it', async () => {
    const made = await cliJson('backup', '--data', data)
    assert.deepEqual(Object.keys(made), ['file', 'bytes', 'made_at', 'schema_version', 'duration_ms'])
    assert.equal(made.file, join(data, 'backups', readdirSync(join(data, 'backups'))[0] as string))
    assert.equal(lastBackup(data).last?.file, made.file)
    const other = join(folder, 'elsewhere')
    const elsewhere = await cliJson('backup', '--data', data, '--backup-dir', other)
    assert.ok(elsewhere.file.startsWith(other))
    assert.equal(lastBackup(data).last?.file, elsewhere.file)
  })

  test('finds the folder of a service, which commands do not know the options of, and keeps its failures', async () => {
    const theirs = join(folder, 'service')
    const last = await cliJson('backup', '--data', data, '--backup-dir', theirs)
    const at = last.made_at
    const failure = { since: at, at, code: 'storage_full', message: 'It is full.', folder: theirs }
    noteBackup(data, { failure })
    // Elsewhere: the nights still fail.
    await cliJson('backup', '--data', data, '--backup-dir', join(data, 'backups'))
    assert.deepEqual(lastBackup(data).failure, failure)
    await cliJson('backup', '--data', data, '--backup-dir', theirs)
    assert.equal(lastBackup(data).failure, null)
    const found = await cliJson('backup', '--data', data)
    assert.ok(found.file.startsWith(`${theirs}/`), found.file)
    const { checks } = await cliJson('doctor', '--data', data)
    assert.ok(checks.backups.detail.startsWith(`The newest backup is ${theirs}/`), checks.backups.detail)
    // Its disk is gone: not a folder of the same name on another one.
    renameSync(theirs, `${theirs}-away`)
    assert.match(
      await refusal(1, 'backup', '--data', data),
      /The last backup was made in .*\/service, and there is no such/,
    )
    assert.ok(!existsSync(theirs))
    assert.match((await cliJson('doctor', '--data', data)).checks.backups.detail, /no backup in .*\/service/)
    renameSync(`${theirs}-away`, theirs)
    noteBackup(data, { last: null, failure })
    assert.ok((await cliJson('backup', '--data', data)).file.startsWith(`${theirs}/`), 'where the server has tried')
    noteBackup(data, { last: null })
    assert.ok((await cliJson('backup', '--data', data)).file.startsWith(join(data, 'backups')))
  })

  test('makes one where it is told to, which does not count as one of the nights', async () => {
    const before = lastBackup(data)
    mkdirSync(join(folder, 'usb'))
    const { out, err } = await cli(['backup', '--data', data, '--to', join(folder, 'usb')])
    assert.match(out, /^Made .*usb\/dealbox-\d{8}T\d{6}Z\.tar \([\d.]+ MiB\) and checked it\.\n$/)
    assert.match(err, /^To restore it: dealbox restore .* --data .*\n$/)
    const file = join(folder, 'usb', 'mine.tar')
    assert.equal((await cliJson('backup', '--data', data, '--to', file)).file, file)
    assert.match(await refusal(1, 'backup', '--data', data, '--to', file), /mine\.tar exists\. Choose another name/)
    assert.match(await refusal(1, 'backup', '--data', data, '--to', join(folder, 'no', 'x.tar')), /There is no folder/)
    assert.deepEqual(lastBackup(data), before)
  })

  test('needs a data folder, and says so', async () => {
    assert.match(await refusal(1, 'backup', '--data', join(folder, 'none')), /There is no Dealbox database/)
    assert.match(await refusal(2, 'backup', '--data', data, '--to', '-', '--json'), /--json has no place/)
    assert.ok(!existsSync(join(folder, 'none')))
  })

  test('saves the data of a disk that is full to another one', async (t) => {
    const disk = smallDisk(24 * 1024)
    if (!disk) return t.skip('no file system can be mounted here')
    try {
      const full = join(disk.folder, 'data')
      await cliJson('init', '--data', full, '--org', 'Acme', '--email', ana)
      rmSync(join(full, 'server.reserve'))
      disk.fill()
      const { code, out, err } = await cli(['backup', '--data', full, '--to', join(folder, 'saved.tar')])
      assert.equal(code, 0, err)
      assert.match(out, /^Made .*saved\.tar/)
      assert.match(err, /^The audit log has no entry of this\. The disk of the server is full/)
      assert.equal((await cliJson('verify', join(folder, 'saved.tar'))).rows.orgs, 1)
    } finally {
      disk.drop()
    }
  })

  test('works beside a running server', async () => {
    const server = await serve(data)
    const made = await call(server.api, 'POST', '/contacts', { last_name: 'Lee' })
    assert.equal(made.status, 201)
    const { file } = await cliJson('backup', '--data', data)
    const { rows } = await cliJson('verify', file)
    assert.equal(rows.contacts, 1)
    await server.stop()
    const { id } = (await made.json()) as { id: string }
    const theirs = join(folder, 'of the service')
    await cliJson('backup', '--data', data, '--backup-dir', theirs)
    const { backups } = await cliJson('contact', 'forget', id, '--data', data, '--dry-run')
    assert.ok(backups.startsWith(`The backups in ${theirs} (1, from 20`), backups)
  })
})

describe('verify', () => {
  test('says that a backup is whole, or what is wrong with it', async () => {
    const { file, bytes } = await cliJson('backup', '--data', data)
    const { out } = await cli(['verify', file])
    assert.match(
      out,
      /is whole: made at 20\S+Z by Dealbox [\d.]+ \(schema \d\), with \d+ rows in \d+ tables and 3 keys\.\n$/,
    )
    const { rows, ...found } = await cliJson('verify', file)
    assert.deepEqual([found.bytes, found.keys, found.file], [bytes, 3, file])
    const damaged = join(folder, 'damaged.tar')
    const content = readFileSync(file)
    content[150_000] = (content[150_000] as number) ^ 4
    writeFileSync(damaged, content)
    assert.match(await refusal(1, 'verify', damaged), /^damaged\.tar is damaged: .*\. Use another backup\.\n$/)
    assert.match(await refusal(1, 'verify', join(folder, 'none')), /There is no file/)
    assert.match(await refusal(1, 'verify', join(root, 'package.json')), /is not a backup of Dealbox/)
  })
})

describe('restore', () => {
  test('says what holds and what to do, and the copy sends nothing until it is told to', async () => {
    const first = await serve(data)
    const hook = { url: receiver.url, event_types: ['deal.*'] }
    assert.equal((await call(first.api, 'POST', '/webhooks', hook)).status, 201)
    const settings = join(folder, 'settings.json')
    const server = { host: '127.0.0.1', port: mailServer.port, tls: 'none', user: 'u', password_env: 'BACKUP_TEST' }
    const mailbox = { key: 'box', name: 'Box', address: 'box@acme.example', smtp: server, imap: server }
    const steps = [{ type: 'call', delay_s: 0, task_title: 'Call' }]
    const sequence = { key: 'calls', name: 'Calls', status: 'active', steps }
    writeFileSync(settings, JSON.stringify({ mailboxes: [mailbox], sequences: [sequence] }))
    process.env.BACKUP_TEST = 'secret'
    await cliJson('settings', 'apply', settings, '--data', data)
    await mailServer.connected()
    const { file } = await cliJson('backup', '--data', data)
    await first.stop()
    const copy = join(folder, 'copy')

    const dry = await cli(['restore', file, '--data', copy, '--dry-run'])
    assert.match(dry.out, /^Would restore the backup into .*copy: made at/)
    assert.ok(!existsSync(copy))

    const { out, err } = await cli(['restore', file, '--data', copy])
    assert.match(out, /^Restored the backup into .*copy: made at .* by Dealbox/)
    assert.match(
      out,
      /\nTokens that hold, also if they were revoked since then:\n {2}\S+ {2}ana@acme\.example {2}\(Acme\)\n/,
    )
    assert.match(
      out,
      /\nMailboxes:\n {2}box {2}box@acme\.example {2}\(Acme\)\nActive webhooks:\n {2}\S+ {2}http:\/\/127\.0\.0\.1:\d+\/hook {2}\(Acme\)\n$/,
    )
    assert.match(err, /sends no mails, runs no sequences, calls no webhooks and fetches no mails\. Next:\n1\. Start it/)
    assert.match(err, /3\. When the original does not run any more: "dealbox resume-sending/)
    assert.match(err, /\nIf the installation is replicated: give --replica a new folder or prefix, .*\.\n$/)

    const elsewhere = join(folder, 'of the original')
    const own = await cli(['backup', '--data', copy, '--backup-dir', elsewhere])
    assert.match(own.out, /^Made .*\/copy\/backups\/dealbox-/)
    assert.match(own.err, /It is in the data folder: --backup-dir may be where the original has its backups/)
    assert.ok(!existsSync(elsewhere))
    rmSync(join(copy, 'backups'), { recursive: true })

    mailServer.forget()
    const paused = await serve(copy, { backupAt: '03:15', backupDir: elsewhere })
    const make = async (path: string, body: object) => {
      const response = await call(paused.api, 'POST', path, body)
      assert.equal(response.status, 201, path)
      return (await response.json()) as { id: string }
    }
    const get = async (path: string) =>
      ((await (await call(paused.api, 'GET', path)).json()) as { data: { id: string }[] }).data
    const contact = await make('/contacts', { last_name: 'Lee', emails: [{ email: 'lee@x.example' }] })
    const [found] = await get('/sequences')
    await make('/enrollments', { sequence_id: found?.id, contact_id: contact.id })
    await make('/messages', {
      contact_id: contact.id,
      channel: 'email',
      direction: 'outbound',
      subject: 'S',
      body_text: 'B',
    })
    await make('/deals', { title: 'Quiet' })
    const ready = await fetch(`${paused.screens}/readyz`)
    const { checks } = (await ready.json()) as { checks: Record<string, { status: string; detail: string }> }
    assert.equal(ready.status, 200)
    assert.equal(checks.sending?.status, 'warn')
    assert.deepEqual(checks.backup, { status: 'pass', detail: 'No backup has been made yet.' })
    assert.match(
      checks.sending?.detail as string,
      /backups stay in the data folder, since this copy was restored from a backup\. .*"dealbox resume-sending"/,
    )
    assert.deepEqual(await get('/tasks'), [], 'no sequence has run')
    await paused.stop()
    assert.deepEqual([receiver.requests.length, mailServer.connections()], [0, 0])

    const resumed = await cliJson('resume-sending', '--data', copy)
    assert.deepEqual([resumed.was_paused, resumed.pending.steps.count, resumed.dropped], [true, 1, []])
    assert.match((await cli(['resume-sending', '--data', copy])).out, /^Sending was not paused\.\n$/)
    const loud = await serve(copy)
    await Promise.all([receiver.came(1), mailServer.connected()])
    const called = await call(loud.api, 'GET', '/webhooks/events?after_seq=0&types=task.created&wait=25')
    assert.equal(((await called.json()) as { data: unknown[] }).data.length, 1)
    const again = (await (await fetch(`${loud.screens}/readyz`)).json()) as { checks: object }
    assert.ok(!('sending' in again.checks))
    await loud.stop()
    assert.equal(receiver.requests[0]?.event.data.object.title, 'Quiet')
  })

  test('moves what is there aside, and with --resume-sending the copy sends at once', async () => {
    const { file } = await cliJson('backup', '--data', data)
    const restored = await cliJson('restore', file, '--data', data, '--resume-sending')
    assert.deepEqual([restored.sending, restored.epoch], ['resumed', 1])
    assert.doesNotMatch((await cli(['restore', file, '--data', data, '--resume-sending'])).err, /replica/)
    assert.match(restored.aside, /before-restore-\d{8}T\d{6}Z$/)
    assert.deepEqual(
      restored.tokens.map(({ email }: { email: string }) => email),
      [ana],
    )
    assert.equal((await cliJson('resume-sending', '--data', data)).was_paused, false)
    assert.ok(existsSync(join(restored.aside, 'dealbox.db')))
    assert.ok(existsSync(file), 'backups in the data folder stay')
  })

  test('is refused while a server runs', async () => {
    const { file } = await cliJson('backup', '--data', data)
    const server = await serve(data)
    assert.match(await refusal(1, 'restore', file, '--data', data), /Another Dealbox server is running on .*\. Stop it/)
    await server.stop()
  })
})

describe('the guide', () => {
  const guide = readFileSync(join(root, 'docs/backups.md'), 'utf8')
  const blocks = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text as string)
  const hasShell = process.platform !== 'win32'

  test('has commands that work as they are printed', { skip: hasShell ? false : 'needs a POSIX shell' }, async () => {
    const cwd = process.cwd()
    const plain = blocks.filter((block) => !block.includes('|'))
    assert.deepEqual([blocks.length, plain.length], [3, 2])
    // The shell reads the commands, one word per line, and each runs in this process.
    const words = `dealbox() { printf '%s\\n' "$@" ''; }\n${plain.join('')}`
    const { stdout } = await exec('sh', ['-ec', words], { cwd: folder })
    const work = join(folder, 'guide')
    mkdirSync(work)
    process.chdir(work)
    try {
      await cliJson('init', '--org', 'Acme', '--email', ana)
      const commands = stdout.trim().split('\n\n')
      assert.equal(commands.length, 6)
      for (const command of commands) {
        const { code, err } = await cli(command.split('\n'))
        assert.equal(code, 0, `${command}: ${err}`)
      }
    } finally {
      process.chdir(cwd)
    }
    assert.ok(existsSync(join(work, 'copy/dealbox.db')))
  })

  test('has a backup that goes through a pipe', { skip: hasShell ? false : 'needs a POSIX shell' }, async () => {
    const block = blocks.find((each) => each.includes('|')) as string
    const words = `dealbox() { "${process.execPath}" "${MAIN}" "$@"; }\n${block}`
    await exec('sh', ['-ec', words], { cwd: folder })
    const file = join(folder, 'dealbox.tar')
    writeFileSync(file, gunzipSync(readFileSync(join(folder, 'dealbox.tar.gz'))))
    assert.equal((await cliJson('verify', file)).bytes, statSync(file).size)
    assert.ok(readdirSync(join(data, 'backups')).every((name) => name.endsWith('.tar')))
  })
})

test('serve refuses options of backups that it cannot follow', async () => {
  const serve = ['serve', '--data', data, '--api-listen', '127.0.0.1:0', '--screens-listen', 'off']
  assert.match(
    await refusal(2, ...serve, '--backup-at', '25:00'),
    /--backup-at must be a time of the day such as 03:15/,
  )
  assert.match(await refusal(2, ...serve, '--backup-keep', '7'), /--backup-keep must be three numbers of days, weeks/)
})
