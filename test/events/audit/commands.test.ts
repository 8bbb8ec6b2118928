import assert from 'node:assert/strict'
import { closeSync, cpSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { commands } from '../../../src/cli/commands.ts'
import { accountActor } from '../../../src/command/audit-writes.ts'
import { openStore } from '../../../src/store/open.ts'
import { cli, cliJson, temporaryFolder } from '../../cli/command-line.ts'

// Which commands write to the audit log, and what.

type Entry = {
  org: string | null
  actor: { type: string; id: string | null; email: string | null; via: string | null }
  action: string
  record_id: string | null
  detail: Record<string, unknown>
  hash: string
}

const folder = temporaryFolder()
const data = join(folder, 'data')
const ana = 'ana@acme.example'
const run = (...argv: string[]) => cliJson(...argv, '--data', data)
const entries = (...argv: string[]): Promise<Entry[]> => run('audit', '--since', '2020-01-01', ...argv)

/** What a command adds to the log. */
async function added(...argv: string[]): Promise<Entry[]> {
  const before = await entries()
  await run(...argv)
  return (await entries()).slice(before.length)
}

/** Its actions, records and details. */
const saidBy = (found: readonly Entry[]) => found.map(({ action, record_id, detail }) => [action, record_id, detail])

let acme: { org_id: string; member_id: string }
before(async () => {
  acme = await run('init', '--org', 'Acme', '--email', ana)
})

/** Commands without an entry, and why. */
const WITHOUT: Record<string, string> = {
  serve: 'what happens while it runs has entries of its own',
  'org move': 'its steps have entries of their own',
  'mailbox test': 'changes nothing here',
  audit: 'reads',
  'config show': 'reads',
  openapi: 'reads',
  verify: 'reads',
  install: 'has no data folder yet',
  promote: 'asks the server of the folder, whose log says so',
  replicate: 'has no database yet where it writes',
  healthcheck: 'reads',
  version: 'reads',
  manual: 'reads',
  'completion bash': 'reads',
  'completion zsh': 'reads',
  'completion fish': 'reads',
}
const READS = /(^| )(list|show|errors|deliveries)$/

test('every command that writes has an entry', () => {
  for (const { name, audit } of commands) {
    const isExempt = READS.test(name) || name in WITHOUT
    assert.equal(audit === undefined, isExempt, `${name} needs "audit", unless it only reads`)
  }
})

test('who runs a command is the number of the account, and of the one that used sudo', {
  skip: process.getuid ? false : 'accounts have no numbers here',
}, () => {
  const own = `account ${process.getuid?.()}`
  assert.deepEqual(accountActor({}), { type: 'command', via: own })
  assert.deepEqual(accountActor({ SUDO_UID: '1000' }), { type: 'command', via: `${own} by sudo of 1000` })
  assert.deepEqual(accountActor({ SUDO_UID: 'somebody' }), { type: 'command', via: own })
})

describe('a command', () => {
  test('that makes an organisation begins its log', async () => {
    const [first, ...more] = await entries()
    assert.deepEqual([first?.action, first?.org, first?.record_id], ['org.created', acme.org_id, acme.org_id])
    assert.deepEqual(first?.detail, { member_id: acme.member_id })
    const via = process.getuid ? `account ${process.getuid()}` : null
    assert.deepEqual([first?.actor.type, first?.actor.id], ['command', null])
    if (process.env.SUDO_UID === undefined) assert.equal(first?.actor.via, via)
    assert.deepEqual(more, [])
  })

  test('that applies settings names what it changed, and neither values nor dry runs', async () => {
    const file = join(folder, 'settings.json')
    const members = [
      { email: ana, name: 'Ana', role: 'owner', timezone: 'UTC' },
      { email: 'bo@acme.example', name: 'Bo', role: 'member', timezone: 'UTC' },
    ]
    const document = { org: { name: 'Acme', currency: 'CHF', timezone: 'UTC' }, members }
    writeFileSync(file, JSON.stringify(document))
    assert.deepEqual(await added('settings', 'apply', file, '--dry-run'), [])
    const [entry, ...more] = await added('settings', 'apply', file)
    assert.deepEqual([entry?.action, entry?.org, more], ['settings.applied', acme.org_id, []])
    const { changes, first } = (entry as Entry).detail as { changes: number; first: string[] }
    assert.equal(changes, first.length)
    assert.ok(first.includes('created members bo@acme.example'))
    assert.doesNotMatch(JSON.stringify(entry), /CHF|"Bo"/)
    assert.deepEqual(await added('settings', 'apply', file), [])
    writeFileSync(file, '{"members": []}')
    const count = (await entries()).length
    assert.equal((await cli(['settings', 'apply', file, '--data', data])).code, 1)
    assert.equal((await entries()).length, count)
  })

  test('about a member names the member, the role and the state', async () => {
    const { id } = await run('member', 'add', 'cy@acme.example')
    const all = [
      ...(await entries()).slice(-1),
      ...(await added('member', 'set', 'cy@acme.example', '--role', 'viewer')),
      ...(await added('member', 'deactivate', 'cy@acme.example')),
      ...(await added('member', 'activate', 'cy@acme.example')),
      ...(await added('member', 'reset', 'cy@acme.example')),
      ...(await added('sessions', 'end', 'cy@acme.example')),
    ]
    assert.deepEqual(saidBy(all), [
      ['member.added', id, { role: 'member', status: 'active' }],
      ['member.changed', id, { role: 'viewer', status: 'active' }],
      ['member.deactivated', id, { role: 'viewer', status: 'deactivated' }],
      ['member.activated', id, { role: 'viewer', status: 'active' }],
      ['member.reset', id, {}],
      ['sessions.ended', id, { ended: 0 }],
    ])
    const [invited] = await added('member', 'invite', 'di@acme.example', '--role', 'admin')
    assert.deepEqual([invited?.action, invited?.detail], ['invitation.created', { role: 'admin' }])
  })

  test('about backups is in the log of what was copied, and of the copy', async () => {
    const file = join(folder, 'copy.tar')
    const [made, ...more] = await added('backup', '--to', file)
    assert.deepEqual([made?.action, made?.org, more], ['backup.made', null, []])
    assert.equal(made?.detail.file, file)
    const copy = join(folder, 'copy')
    const inCopy = async () => (await cliJson('audit', '--data', copy)) as Entry[]
    await cliJson('restore', file, '--data', copy)
    const [restored] = (await inCopy()).slice(-1)
    assert.deepEqual([restored?.action, restored?.detail], ['backup.restored', { file: 'copy.tar' }])
    for (let twice = 0; twice < 2; twice++) await cliJson('resume-sending', '--data', copy)
    const [before, last] = (await inCopy()).slice(-2)
    assert.deepEqual([before?.action, last?.action], ['backup.restored', 'sending.resumed'])
    assert.deepEqual(await added('restore', file, '--dry-run'), [])
  })

  test('about tokens and keys names them, and has no secret', async () => {
    const token = await run('token', 'create', '--email', ana, '--scope', 'rest.crm.deals.read', '--expires', 'never')
    const created = (await entries()).slice(-1)
    const revoked = await added('token', 'revoke', token.id)
    const scopes = 'rest.crm.deals.read'
    assert.deepEqual(saidBy([...created, ...revoked]), [
      ['token.created', token.id, { member_id: acme.member_id, scopes, expires_at: null }],
      ['token.revoked', token.id, {}],
    ])
    assert.deepEqual([created[0]?.org, revoked[0]?.org], [acme.org_id, acme.org_id])
    const { kid } = await run('keys', 'rotate')
    const [rotated] = (await entries()).slice(-1)
    const [old] = (await run('keys', 'list')) as { kid: string }[]
    const [retired] = await added('keys', 'retire', old?.kid as string)
    assert.deepEqual(
      [rotated, retired].map((entry) => [entry?.action, entry?.record_id, entry?.org]),
      [
        ['key.rotated', kid, null],
        ['key.retired', old?.kid, null],
      ],
    )
    assert.deepEqual(
      readdirSync(join(data, 'keys')).filter((name) => name.endsWith('.pem')),
      [`${kid}.pem`],
    )
    assert.doesNotMatch(JSON.stringify(await entries()), new RegExp(`v4\\.public|${token.token}|PRIVATE`))
  })

  test('that stores the password of a mailbox does not store it in the log', async () => {
    const file = join(folder, 'mail.json')
    const smtp = { host: '127.0.0.1', port: 25, tls: 'none', user: 'sales' }
    writeFileSync(
      file,
      JSON.stringify({ mailboxes: [{ key: 'sales', name: 'Sales', address: 'sales@acme.example', smtp }] }),
    )
    await run('settings', 'apply', file)
    const password = join(folder, 'password')
    writeFileSync(password, 'correct horse\n')
    const env = { DEALBOX_MAILBOX_PASSWORD_FILE: password }
    const { code, err } = await cli(['mailbox', 'password', 'sales', '--data', data], env)
    assert.equal(code, 0, err)
    const [entry] = (await entries()).slice(-1)
    assert.deepEqual(saidBy([entry as Entry]), [['mailbox.password_set', null, { mailbox: 'sales', sides: ['smtp'] }]])
    assert.doesNotMatch(JSON.stringify(await entries()), /horse/)
  })

  test('of many transactions has an entry in the first one, and one with the result', async () => {
    const file = join(folder, 'people.csv')
    writeFileSync(file, 'First name,Email\nEva,eva@else.example\n')
    assert.deepEqual(await added('import', 'contacts', file, '--dry-run'), [])
    const [started, finished, ...more] = await added('import', 'contacts', file)
    const id = finished?.record_id as string
    const counts = { created: 1, updated: 0, unchanged: 0, rejected: 0 }
    assert.deepEqual([started?.action, started?.org, more], ['import.started', acme.org_id, []])
    assert.deepEqual([finished?.action, finished?.detail], ['import.finished', { object: 'contact', ...counts }])
    assert.deepEqual(await added('import', 'contacts', file), [])
    const undone = await added('import', '--undo', id)
    assert.deepEqual(saidBy(undone), [
      ['import_undo.started', null, {}],
      ['import_undo.finished', id, { deleted: 1, restored: 0, kept: 0 }],
    ])
    assert.doesNotMatch(JSON.stringify(await entries()), /eva/i)
  })

  test('that fails leaves no entry, nor does one that changes nothing', async () => {
    const before = await entries()
    for (const argv of [
      ['token', 'revoke', acme.org_id],
      ['member', 'add', ana],
      ['keys', 'retire', 'none'],
      ['import', '--undo', acme.org_id],
      ['webhooks', 'replay', acme.org_id, '--from-seq', '1'],
    ])
      assert.equal((await cli([...argv, '--data', data])).code, 1, argv.join(' '))
    assert.deepEqual(await entries(), before)
  })
})

describe('an export', () => {
  const place = join(folder, 'export')
  const other = join(folder, 'other')

  test('has an entry, and the log of its organisation, which can be checked', async () => {
    const exported = await added('export', place)
    assert.deepEqual(
      exported.map(({ action }) => action),
      ['export.finished'],
    )
    const lines = readFileSync(join(place, 'audit_log.ndjson'), 'utf8').trim().split('\n')
    const log: Entry[] = lines.map((line) => JSON.parse(line))
    assert.deepEqual(log, (await entries('--org', acme.org_id)).slice(0, -1))
    assert.ok(log.every(({ org }) => org === acme.org_id))
  })

  test('is restored without it: the log is about another installation', async () => {
    const { org_id } = await cliJson('init', '--data', other, '--org', 'Copy', '--email', ana)
    await cliJson('import', place, '--data', other, '--dry-run')
    await cliJson('import', place, '--data', other)
    const log: Entry[] = await cliJson('audit', '--data', other)
    assert.deepEqual(
      log.map(({ action, org }) => [action, org]),
      ['org.created', 'restore.started', 'restore.finished'].map((action) => [action, org_id]),
    )
    assert.equal(((log[2] as Entry).detail.records as Record<string, number>).contacts, 0)
    assert.equal((await cli(['audit', '--verify', '--data', other])).code, 0)
  })
})

test('an export of a damaged database succeeds, without its entry', async () => {
  const damaged = join(folder, 'damaged')
  cpSync(data, damaged, { recursive: true })
  const store = openStore(damaged)
  const page = store.db
    .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'audit_chains'")
    .pluck()
    .get() as number
  const pageBytes = store.db.pragma('page_size', { simple: true }) as number
  store.close()
  const descriptor = openSync(join(damaged, 'dealbox.db'), 'r+')
  writeSync(descriptor, Buffer.alloc(pageBytes, 0xff), 0, pageBytes, (page - 1) * pageBytes)
  closeSync(descriptor)
  const place = join(folder, 'saved')
  const { code, err } = await cli(['export', place, '--data', damaged])
  assert.equal(code, 0, err)
  assert.match(err, /The audit log has no entry of this\. The database is damaged/)
  assert.ok(existsSync(join(place, 'manifest.json')))
  assert.equal((await cli(['keys', 'rotate', '--data', damaged])).code, 1) // what writes needs its entry
})

test('serve refuses a time to keep entries that is none', async () => {
  const { code, err } = await cli(['serve', '--data', data, '--audit-retention', 'a year'])
  assert.equal(code, 2)
  assert.match(err, /--audit-retention a year is not a valid duration/)
})

describe('dealbox audit', () => {
  const text = async (...argv: string[]) => await cli(['audit', ...argv, '--data', data])

  test('prints who did what, the newest last', async () => {
    const { out } = await text()
    assert.match(out, /^AT +WHO +ACTION +RECORD +DETAIL\n20\d\d-.*Z +command, account \d+.* +org\.created /)
    assert.equal((await text('--since', '2999-01-01')).out, 'There are no entries.\n')
    assert.match((await text('--since', 'soon')).err, /--since must be a valid date/)
  })

  test('prints the newest hundred, and says that there are more', async () => {
    const many = join(folder, 'many')
    await cliJson('init', '--data', many, '--org', 'Many', '--email', ana)
    const { auditLog } = await import('../../../src/events/audit/log.ts')
    const store = openStore(many)
    store.transaction(() => {
      for (let count = 0; count < 100; count++)
        auditLog(store).record({ org: null, actor: { type: 'server' }, action: 'tick', detail: { count } })
    })
    store.close()
    const { out, err } = await cli(['audit', '--data', many])
    assert.equal(out.split('\n').length, 102)
    assert.match(out, /server +tick +- +\{"count":99\}\n$/)
    assert.match(err, /newest 100 entries/)
    assert.equal((await cliJson('audit', '--data', many, '--since', '2020-01-01')).length, 101)
  })

  test('names the organisation where there are several', async () => {
    const several = join(folder, 'several')
    for (const name of ['One', 'Two']) await cliJson('init', '--data', several, '--org', name, '--email', ana)
    assert.match((await cli(['audit', '--data', several])).out, /RECORD +ORGANISATION/)
    const [one] = (await cliJson('audit', '--data', several)) as Entry[]
    assert.equal((await cliJson('audit', '--data', several, '--org', one?.org as string)).length, 1)
  })

  test('verifies the log, prints its last hash, and finds that again', async () => {
    const { code, out, err } = await text('--verify')
    assert.equal(code, 0, err)
    assert.match(err, /Keep the last hash elsewhere/)
    const hashes = [...out.matchAll(/last hash ([0-9a-f]{64})/g)].map(([, hash]) => hash as string)
    assert.equal(hashes.length, 2)
    assert.match(
      out,
      new RegExp(`organisation ${acme.org_id}: entries 1 to \\d+, since 20.*, are as they were written`),
    )
    await added('keys', 'rotate')
    assert.equal((await text('--verify', '--expect', hashes[0] as string)).code, 0)
    assert.match((await text('--verify', '--expect', 'f'.repeat(64))).err, /No entry has the hash ffff/)
    assert.equal((await text('--expect', 'f'.repeat(64))).code, 2)
  })

  test('fails, and says where, once an entry was changed', async () => {
    const store = openStore(data)
    store.db.exec("DROP TRIGGER audit_log_kept; UPDATE audit_log SET action = 'x' WHERE org <> '' AND seq = 2")
    store.close()
    const { code, err, out } = await text('--verify')
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^The audit log was changed \(organisation .*: changed: entry 2 or 1, unless others were removed/)
    const json = await text('--verify', '--json')
    assert.equal(JSON.parse(json.err).code, 'audit_log_changed')
    assert.ok(existsSync(data))
  })
})
