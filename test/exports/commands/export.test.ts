import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { lockInstance } from '../../../src/store/folder/lock.ts'
import { openStore } from '../../../src/store/open.ts'
import { cli, cliJson, temporaryFolder } from '../../cli/command-line.ts'
import { MAIN } from '../../support/program.ts'
import { startServer } from '../../support/server.ts'

// `export DIR` and `import DIR` as a person uses them.

const folder = temporaryFolder()
const data = join(folder, 'data')
const out = join(folder, 'out')
const init = (place: string, ...more: string[]) =>
  cliJson('init', '--data', place, '--org', 'Acme', '--email', 'ana@acme.example', ...more)

before(async () => {
  await init(data)
  await cliJson('seed', '--data', data, '--as-of', '2026-11-20')
})

/** The lines of every file but the manifest. */
/** Without the audit log, which stays with its installation. */
const contentOf = (place: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(place)
      .filter((name) => name !== 'manifest.json' && name !== 'audit_log.ndjson')
      .map((name) => [name, readFileSync(join(place, name), 'utf8')]),
  )

let places = 0
const place = (name: string): string => join(folder, `${name}-${places++}`)

test('all of it out, and all of it in again', async () => {
  const exported = await cli(['export', out, '--data', data])
  assert.equal(exported.code, 0, exported.err)
  assert.match(
    exported.out,
    /^Exported Acme to .*out: \d+ contacts, \d+ companies, 120 deals, \d+ notes, \d+ tasks and \d+ events\.\n$/,
  )
  assert.match(exported.err, /^To restore it into a new organisation: dealbox import .*out\n$/)

  const [there, again] = [place('there'), place('again')]
  await init(there, '--bare')
  const tried = await cli(['import', out, '--data', there, '--dry-run'])
  assert.match(tried.out, /^Would restore \d+ contacts, .* and \d+ events\.\n$/)
  const brought = await cli(['import', out, '--data', there])
  assert.equal(brought.code, 0, brought.err)
  assert.match(brought.out, /^Restored \d+ contacts, /)
  assert.equal(brought.err, '')
  await cliJson('export', again, '--data', there)
  assert.deepEqual(contentOf(again), contentOf(out))
})

test('an import names who is not in the export, and tells of tokens that end', async () => {
  const there = place('there')
  await cliJson('init', '--data', there, '--org', 'Other', '--email', 'new@other.example')
  await cliJson('member', 'add', 'ana@acme.example', '--data', there)
  for (const email of ['ana@acme.example', 'new@other.example']) {
    await cliJson('token', 'create', '--data', there, '--email', email, '--scope', 'all')
  }
  await cliJson('member', 'add', 'idle@other.example', '--data', there)
  const { code, err } = await cli(['import', out, '--data', there])
  assert.equal(code, 0, err)
  assert.equal(
    err,
    'Removed, because they are not in the export: idle@other.example.\nEarlier tokens are no longer valid. Create new ones with "dealbox token create".\n',
  )
  const members = await cliJson('member', 'list', '--data', there)
  const emails = members.map(({ email }: { email: string }) => email)
  assert.ok(emails.includes('new@other.example')) // whose token still counts
  const settings = await cliJson('settings', 'show', '--data', there)
  assert.equal(settings.org.name, 'Acme')
  assert.deepEqual(await cliJson('token', 'list', '--data', there).then((tokens) => tokens.length), 1)
})

test('an organisation is chosen as with every command', async () => {
  const there = place('there')
  const first = await init(there)
  const second = await init(there)
  const several = await cli(['import', out, '--data', there])
  assert.equal(several.code, 2)
  assert.match(several.err, /contains several organisations\. Choose one with --org/)
  const brought = await cliJson('import', out, '--data', there, '--org', second.org_id)
  assert.equal(brought.org_id, second.org_id)
  assert.equal(brought.records.deals, 120)
  const untouched = await cliJson('export', place('untouched'), '--data', there, '--org', first.org_id)
  assert.equal(untouched.records.deals, 0)
  const taken = await cli(['import', out, '--data', there, '--org', second.org_id])
  assert.deepEqual(
    [taken.code, taken.err],
    [
      1,
      'The organisation already has tags. Restore the export into a new organisation, as created by "dealbox init".\n',
    ],
  )
})

test('what cannot be is one sentence', async () => {
  const there = place('there')
  await init(there)
  const refusals: [number, string[], RegExp][] = [
    [2, ['export'], /^DIR is missing: the folder to create; /],
    [2, ['import'], /^DIR is missing: a folder created by "dealbox export"\. See "dealbox import --help"\.\n$/],
    [1, ['import', place('nothing')], /nothing-\d+ is not a folder\. To import a file, use "dealbox import contacts\|/],
    [1, ['export', data], /data is not empty\. Export to a new or empty folder\.\n$/],
    [1, ['export', join(data, 'dealbox.db', 'x')], /x cannot be written: it is a file, or in the path of one\.\n$/],
  ]
  for (const [code, argv, sentence] of refusals) {
    const ended = await cli([...argv, '--data', there])
    assert.deepEqual([ended.code, ended.out], [code, ''], argv.join(' '))
    assert.match(ended.err, sentence)
  }
})

test('the help of import shows what it brings back, and what else it brings in', async () => {
  const { out } = await cli(['import', '--help'])
  assert.match(out, /^Usage: dealbox import DIR \[options\]/)
  assert.match(out, /dealbox import contacts /)
  assert.doesNotMatch((await cli(['import', 'contacts', '--help'])).out, /import DIR/)
  assert.doesNotMatch((await cli(['export', '--help'])).out, /VERB/)
})

describe('an end in the middle', () => {
  /** Runs code in a process of its own that kills itself, as a power cut would. */
  const killed = (code: string) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: join(import.meta.dirname, '../../..') })

  test('of an export leaves none, and the next one is whole', async () => {
    const there = place('cut')
    const { signal } = killed(`
      import { writeExport } from './src/exports/write.ts'
      import { openStore } from './src/store/open.ts'
      writeExport(openStore(${JSON.stringify(data)}), 1, ${JSON.stringify(there)}, (n) => n > 300 && process.kill(process.pid, 'SIGKILL'))`)
    assert.equal(signal, 'SIGKILL')
    assert.ok(!existsSync(there))
    await cliJson('export', there, '--data', data)
    assert.deepEqual(contentOf(there), contentOf(out))
  })

  test('of an import has done nothing, and the next one is whole', async () => {
    const there = place('cut')
    await init(there)
    const before = await cliJson('settings', 'show', '--data', there)
    const { signal } = killed(`
      import { restoreExport } from './src/exports/restore.ts'
      import { openStore } from './src/store/open.ts'
      const store = openStore(${JSON.stringify(there)})
      store.db.pragma('cache_spill = 1')
      restoreExport(store, { dataDir: ${JSON.stringify(there)}, org: 1, folder: ${JSON.stringify(out)}, onProgress: (n) => n >= 1000 && process.kill(process.pid, 'SIGKILL') })`)
    assert.equal(signal, 'SIGKILL')
    assert.deepEqual(await cliJson('settings', 'show', '--data', there), before)
    await cliJson('import', out, '--data', there)
    const again = place('again')
    await cliJson('export', again, '--data', there)
    assert.deepEqual(contentOf(again), contentOf(out))
  })
})

test('a full disk is one sentence, and leaves nothing', { skip: process.platform === 'win32' }, () => {
  const there = place('full')
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', `ulimit -f 100; exec "${process.execPath}" "${MAIN}" export "${there}" --data "${data}"`],
    { encoding: 'utf8' },
  )
  assert.deepEqual([status, stderr], [1, `${there} cannot be written: files may not grow that large there.\n`])
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('full')),
    [],
  )
})

test('ids go on ascending where the clock of the other machine was ahead', async () => {
  const [ahead, there, early] = [place('ahead'), place('there'), place('early')]
  const future = Date.now() + 86_400_000
  await init(early)
  const store = openStore(early, { wall: () => future })
  const id = store.clock.id()
  store.db
    .prepare(
      "INSERT INTO tags (org_id, id, name, name_key, created_at, updated_at, version) VALUES (1, ?, 'x', 'x', ?, ?, 1)",
    )
    .run(id, future, future)
  store.close()
  await cliJson('export', ahead, '--data', early)
  await init(there)

  const release = lockInstance(there) // as a server does
  const refused = await cli(['import', ahead, '--data', there])
  release()
  assert.deepEqual(
    [refused.code, refused.err],
    [1, 'The export is ahead of the clock of this machine. Stop the server during the import.\n'],
  )
  await cliJson('import', ahead, '--data', there)
  const member = await cliJson('member', 'add', 'late@acme.example', '--data', there)
  assert.ok(member.id > id)
})

test('an import beside a running server is served from its next request on', async () => {
  const server = await startServer()
  after(() => server.stop())
  const { token } = server.b
  assert.deepEqual((await server.call('GET', '/deals', undefined, { token })).body.data, [])
  const release = lockInstance(server.dataDir) // as `serve` does
  await cliJson('import', out, '--data', server.dataDir, '--org', server.b.id)
  release()
  server.advance(Date.now() - server.now() + 60_000) // commands know the real time only
  const { body } = await server.call('GET', '/deals?count=true&limit=1', undefined, { token })
  assert.equal(body.total, 120)
  const made = await server.call('POST', '/deals', { title: 'New' }, { token })
  assert.ok(made.body.id > body.data[0].id)
})
