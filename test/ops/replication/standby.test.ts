import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { askToPromote, takeRequest } from '../../../src/ops/replication/commands/standby.ts'
import { readBegun, readEpoch } from '../../../src/ops/replication/epochs.ts'
import { folderCopy } from '../../../src/ops/replication/replica/folder.ts'
import { openStore } from '../../../src/store/open.ts'
import { cli } from '../../cli/command-line.ts'
import { type Primary, startPrimary } from '../../support/copied.ts'
import { litestreamProgram, noLitestream } from '../../support/litestream.ts'
import { until, untilIs } from '../../support/until.ts'

// Two standbys of one primary, of which one after the other is promoted.

const needs = { skip: noLitestream }
let folder: string
let primary: Primary
let first: Awaited<ReturnType<Primary['startStandby']>>
let second: Awaited<ReturnType<Primary['startStandby']>>

before(async () => {
  if (noLitestream) return
  folder = mkdtempSync(join(tmpdir(), 'dealbox-replica-'))
  primary = await startPrimary({ replica: folder }, { folder })
  await until(() => existsSync(join(folder, 'ltx')))
  first = await primary.startStandby()
  second = await primary.startStandby()
})
after(async () => {
  for (const each of [first, second, primary]) await each?.stop()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

const promote = (standby: typeof first, { abandons = false, isOldOff = false } = {}) =>
  askToPromote(standby.folder, { url: null, abandons, isUnchecked: false, isOldOff, acceptsAge: true }, () => true)
const writes = async (to: Pick<Primary, 'call'>, title: string) => (await to.call('POST', '/deals', { title })).status
const titles = async (of: Pick<Primary, 'call'>): Promise<string[]> =>
  ((await of.call('GET', '/deals')).body.data ?? []).map(({ title }: { title: string }) => title)
const arrives = (at: Pick<Primary, 'call'>, title: string) =>
  untilIs(
    () => titles(at),
    (found) => found.includes(title),
  )

/** Whether a standby comes to have what a new primary has written: it looks for that again and again. */
async function follows(standby: typeof first, title: string): Promise<boolean> {
  const found = await untilIs(
    async () => {
      standby.look() // it goes on with the old copy until there is one of the new primary
      return titles(standby).catch((): string[] => []) // it closes its listeners for a moment
    },
    (all) => all.includes(title),
  )
  return found.includes(title)
}

test('a promotion that is refused for a key that it lacks leaves the old primary at work', needs, async () => {
  assert.equal(await writes(primary, 'Before'), 201)
  await arrives(first, 'Before')
  const key = join(first.folder, 'keys/cursor.key')
  renameSync(key, `${key}.aside`)
  await assert.rejects(promote(first), { code: 'keys_missing' })
  renameSync(`${key}.aside`, key)
  assert.equal(await readEpoch(folderCopy(folder), 2), undefined)
  assert.equal(await writes(primary, 'Still'), 201)
  await arrives(first, 'Still')
})

test('what is no request of ours does not end it, such as one of another user', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-requests-'))
  const request = join(folder, 'promote.request')
  assert.equal(takeRequest(folder), undefined)
  writeFileSync(request, '{')
  assert.equal(takeRequest(folder), undefined)
  rmSync(request)
  mkdirSync(request)
  assert.equal(takeRequest(folder), undefined)
  rmSync(folder, { recursive: true })
})

test(
  'a standby that is promoted has all of a primary that stopped, and the other standby follows it',
  needs,
  async () => {
    assert.equal(await writes(primary, 'Last'), 201)
    const promoted = await promote(first)
    assert.deepEqual([promoted.epoch, promoted.is_complete, promoted.was_fenced], [2, true, true])
    assert.equal(await writes(primary, 'Too late'), 503)
    assert.ok((await titles(first)).includes('Last'))
    assert.ok(await readBegun(folderCopy(folder), 2))
    assert.equal(await writes(first, 'Of the second epoch'), 201)
    assert.ok(await follows(second, 'Of the second epoch'))
  },
)

test('the next one takes over from that one as well, once it has noticed that it has a standby', needs, async () => {
  const promoted = await promote(second)
  assert.deepEqual([promoted.epoch, promoted.is_complete, promoted.was_fenced], [3, true, true])
  const made = await second.call('POST', '/deals', { title: 'Of the third epoch' })
  assert.deepEqual([made.status, made.headers.get('dealbox-seq')], [201, '2000000001'])
})

test(
  'a promotion that was interrupted while another one succeeded is given up, and that one followed',
  needs,
  async () => {
    const halfPromoted = join(primary.root, 'half')
    openStore(halfPromoted, { create: true }).close()
    writeFileSync(join(halfPromoted, 'dealbox.db-promoting'), '1')
    const third = await primary.startStandby({}, halfPromoted)
    try {
      assert.ok(third.lines.some(({ msg }: { msg: string }) => /given up/.test(msg)))
      assert.ok(await follows(third, 'Of the third epoch'))
    } finally {
      await third.stop()
    }
  },
)

test('a copy that is torn when following ends is followed until it is whole', needs, async () => {
  const wrapper = join(primary.root, 'litestream')
  const fourth = await primary.startStandby({ litestream: wrapper }, tearing(wrapper, join(primary.root, 'fourth')))
  try {
    const position = join(fourth.folder, 'dealbox.db-txid')
    await arrives(fourth, 'Of the third epoch')
    copyFileSync(position, `${position}.before`)
    const { atime, mtime } = statSync(position)
    utimesSync(`${position}.before`, atime, mtime)
    assert.equal(await writes(second, 'The newest'), 201)
    await arrives(fourth, 'The newest')
    const promoted = await promote(fourth)
    assert.deepEqual([promoted.epoch, promoted.is_complete], [4, true])
    assert.equal(fourth.lines.filter(({ msg }: { msg: string }) => /once more/.test(msg)).length, 1)
    assert.ok((await titles(fourth)).includes('The newest'))
    assert.equal(await writes(fourth, 'Of the fourth epoch'), 201)
  } finally {
    await fourth.stop()
  }
})

test('the command promotes a copy of long ago with --yes alone, and says what may be missing', needs, async (t) => {
  const now = Date.now.bind(Date)
  t.mock.method(Date, 'now', () => now() + 5 * 60_000)
  const fifth = await primary.startStandby()
  try {
    assert.ok(await follows(fifth, 'The newest'))
    // What the fourth has written is nowhere else.
    const ask = (...more: string[]) =>
      cli(['promote', '--data', fifth.folder, '--abandon', '--old-primary-is-off', ...more])
    const refused = await ask()
    assert.equal(refused.code, 1)
    assert.match(refused.err, /^This copy is of .*, [56] minutes ago: .* To promote it all the same, add --yes\./m)
    assert.equal(await readEpoch(folderCopy(folder), 5), undefined)
    assert.equal(await writes(fifth, 'Not yet'), 503)
    const done = await ask('--yes')
    assert.equal(done.code, 0, done.err)
    assert.match(done.out, /This is the primary now, of epoch 5/)
    assert.match(done.out, /The copy is of .*, [56] minutes before this command: /)
    assert.equal(await writes(fifth, 'Of the fifth epoch'), 201)
  } finally {
    await fifth.stop()
  }
})

/** Litestream that leaves a copy of `folder` as if it had been killed in its last round, when it is ended for the first time. */
function tearing(wrapper: string, folder: string): string {
  const position = join(folder, 'dealbox.db-txid')
  const script = `#!/bin/sh
[ "$1" = restore ] || exec '${litestreamProgram()}' "$@"
'${litestreamProgram()}' "$@" &
end() {
  kill $!
  wait
  if [ -e '${position}.before' ]; then mv '${position}.before' '${position}'; fi
}
trap end TERM
wait
`
  writeFileSync(wrapper, script, { mode: 0o755 })
  return folder
}
