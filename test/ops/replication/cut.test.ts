import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { beginAnew, compare, LITESTREAM_FOLDER, link } from '../../../src/ops/replication/cut.ts'
import { folderCopy } from '../../../src/ops/replication/replica/folder.ts'
import { DATABASE, openStore } from '../../../src/store/open.ts'
import { openSqlite } from '../../../src/store/sqlite/driver.ts'
import { cli } from '../../cli/command-line.ts'
import { noLitestream, type Running, replicate, restore } from '../../support/litestream.ts'
import { makeOrg, type Org } from '../../support/org.ts'
import { type Served, serve } from '../../support/served.ts'
import { until } from '../../support/until.ts'

// A replica that gets another place, or lacks what comes before, with real Litestream.

const root = mkdtempSync(join(tmpdir(), 'dealbox-cut-'))
after(() => rmSync(root, { recursive: true, force: true }))

const numbered = (from: number, to = from) =>
  `${[from, to].map((each) => each.toString(16).padStart(16, '0')).join('-')}.ltx`

describe('what Litestream has beside the database', () => {
  let data: string
  let place: string
  const put = (folder: string, level: number, name: string) => {
    mkdirSync(join(folder, 'ltx', String(level)), { recursive: true })
    writeFileSync(join(folder, 'ltx', String(level), name), name)
  }
  const local = (name: string) => put(join(data, LITESTREAM_FOLDER), 0, name)
  const isCut = (...names: string[]) => compare(data)(names)
  beforeEach(() => {
    data = mkdtempSync(join(root, 'data-'))
    place = mkdtempSync(join(root, 'place-'))
  })

  test('goes on where the place has what comes before it', () => {
    assert.equal(isCut(), false)
    local(numbered(1))
    assert.equal(isCut(), false)
    rmSync(join(data, LITESTREAM_FOLDER), { recursive: true })
    for (const number of [17, 18, 19]) local(numbered(number))
    assert.deepEqual(
      [isCut(numbered(16)), isCut(numbered(1, 40)), isCut(numbered(15)), isCut()],
      [false, false, true, true],
    )
    assert.equal(isCut('other.txt', numbered(3)), true)
  })

  test('is of no use where the place is empty, or its new files are its newest', async () => {
    local(numbered(17))
    assert.equal(await link(data, folderCopy(place)), false)
    put(place, 0, numbered(9))
    put(place, 9, numbered(1, 9))
    assert.equal(await link(data, folderCopy(place)), false)
    beginAnew(data)
    assert.equal(existsSync(join(data, LITESTREAM_FOLDER)), false)
  })

  test('has the file that is missing behind a whole copy', async () => {
    for (const number of [17, 18]) local(numbered(number))
    put(place, 9, numbered(1, 17))
    assert.equal(await link(data, folderCopy(place)), true)
    assert.equal(readFileSync(join(place, 'ltx/0', numbered(17)), 'utf8'), numbered(17))
    assert.equal(isCut(numbered(17)), false)
  })

  test('is left as it is where the place has another history', async () => {
    local(numbered(17))
    put(place, 9, numbered(1, 40))
    await assert.rejects(link(data, folderCopy(place)), /has files of another history/)
    assert.equal(existsSync(join(place, 'ltx/0')), false)
  })
})

describe('a replica that gets another place', { skip: noLitestream }, () => {
  let count = 0
  let data: string
  let org: Org
  let server: Served | undefined
  let litestream: Running | undefined
  const place = (name: string): string => {
    const folder = join(root, `${name}-${count}`)
    mkdirSync(folder, { recursive: true })
    return folder
  }
  const database = () => join(data, DATABASE)
  const localFiles = () => join(data, LITESTREAM_FOLDER, 'ltx/0')
  const start = async (folder: string) => {
    server = await serve(data, org.token, { replicated: true, replica: folder })
  }
  const stop = async () => {
    await server?.stop()
    await litestream?.stop()
    server = litestream = undefined
  }
  const write = async (title: string) => {
    assert.deepEqual(await server?.tryTo('POST', '/deals', { title }), [201, null])
  }
  const check = async () => (await server?.screen('/readyz'))?.body.checks.replication
  /** The titles that somebody gets back from a place; undefined if there is nothing yet. */
  function titlesAt(folder: string): string[] | undefined {
    const file = join(root, `restored-${++count}.db`)
    try {
      restore({ folder }, file)
    } catch {
      return undefined
    }
    const db = openSqlite(file, { readonly: true })
    try {
      return db.prepare('SELECT title FROM deals ORDER BY title').pluck().all() as string[]
    } finally {
      db.close()
    }
  }
  /** After five minutes, Litestream has no older files any more. */
  function forgetBeginning(): void {
    const names = readdirSync(localFiles()).sort()
    assert.ok(names.length > 1)
    for (const name of names.slice(0, -1)) rmSync(join(localFiles(), name))
  }

  beforeEach(async () => {
    data = join(root, `server-${++count}`)
    const store = openStore(data, { create: true })
    org = await makeOrg(store, data, 'Acme')
    store.close()
    const first = place('first')
    litestream = replicate(database(), { folder: first })
    await start(first)
    await write('Before')
    await until(() => titlesAt(first)?.includes('Before') ?? false, 'all is there')
    await until(() => readdirSync(localFiles()).length > 1, 'the next heartbeat is there')
    await stop()
    forgetBeginning()
  })
  afterEach(stop)

  for (const order of ['Litestream first', 'the server first'])
    test(`is begun anew there by the server, with ${order}`, async () => {
      const second = place('second')
      const begin = async () => {
        litestream = replicate(database(), { folder: second })
        await until(
          () => order !== 'Litestream first' || existsSync(join(second, 'ltx/9')),
          'it has sent the whole database',
        )
      }
      if (order === 'Litestream first') await begin()
      await start(second)
      await write('After')
      if (order !== 'Litestream first') await begin()
      await until(() => titlesAt(second)?.includes('After') ?? false, 'it has arrived')
      await write('Still')
      await until(() => titlesAt(second)?.includes('Still') ?? false, 'it goes on')
      await until(async () => (await check()).status === 'pass', 'nothing is needed')
      assert.ok(server?.lines.some(({ msg }) => /did not have what comes before the next changes/.test(msg)))
    })

  test('is said to need somebody where it has files of another history', async () => {
    const second = place('second')
    mkdirSync(join(second, 'ltx/9'), { recursive: true })
    writeFileSync(join(second, 'ltx/9', numbered(1, 255)), 'of another database')
    litestream = replicate(database(), { folder: second })
    await start(second)
    await until(async () => /could not be told/.test((await check()).detail ?? ''), 'the reason is there')
    const { status, detail } = await check()
    assert.equal(status, 'warn')
    assert.match(
      detail,
      /nothing is replicated now\..*another history\)\. Empty the place.*"litestream reset .*dealbox\.db"/,
    )
  })

  test('is begun with the database that was restored from a backup, which Litestream knows nothing of', async () => {
    const backup = join(root, `${count}.tar`)
    assert.equal((await cli(['backup', '--data', data, '--to', backup])).code, 0)
    const restored = await cli(['restore', backup, '--data', data])
    assert.equal(restored.code, 0, restored.err)
    assert.equal(existsSync(join(data, LITESTREAM_FOLDER)), false)
    const aside = readdirSync(data).find((name) => name.startsWith('before-restore')) as string
    assert.ok(existsSync(join(data, aside, LITESTREAM_FOLDER)))
    const second = place('second')
    litestream = replicate(database(), { folder: second })
    await start(second)
    await write('Restored')
    await until(() => titlesAt(second)?.includes('Restored') ?? false, 'it has arrived')
    assert.deepEqual(titlesAt(second), ['Before', 'Restored'])
  })
})
