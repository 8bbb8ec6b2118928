import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GIB, MIB } from '../../../src/lib/size.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/time.ts'
import { judged as judgedClock } from '../../../src/ops/doctor/checks/clock.ts'
import { judged as judgedDisk } from '../../../src/ops/doctor/checks/disk.ts'
import { judged as judgedMount } from '../../../src/ops/doctor/checks/file-system.ts'
import { some, together, warn } from '../../../src/ops/doctor/finding.ts'
import { backupTroubles } from '../../../src/ops/monitoring/judges/backup.ts'
import { copyTrouble } from '../../../src/ops/monitoring/judges/copies.ts'
import { containing, mountsIn } from '../../../src/store/folder/mounts.ts'
import { copyOf } from '../monitoring/good-backup.ts'

// What a test cannot bring about on the machine that it runs on: other file systems, other disks, and other times.

const MOUNTS = String.raw`
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:40 / /srv rw,relatime shared:9 - nfs4 box:/volume rw,vers=4.2
31 30 0:41 / /srv/local\040disk rw - xfs /dev/sdb1 rw
32 22 0:42 / /mnt/share rw - cifs //nas/crm rw
33 22 0:43 / /mnt/ssh rw - fuse.sshfs ana@box: rw
34 22 0:44 / /mnt/host rw - 9p host rw
35 22 0:45 / /run rw - tmpfs tmpfs rw
36 22 0:46 / /box rw - overlay overlay rw
37 22 254:1 / /old ro,relatime - ext4 /dev/vdb ro
38 22 254:2 / /twice rw - ext4 /dev/vdc rw
39 22 0:47 / /twice rw - nfs box:/other rw
`

test('a network file system is named, and told from a disk that is mounted below it', () => {
  const mounts = mountsIn(MOUNTS)
  const on = (path: string) => {
    const { status, detail } = judgedMount(containing(mounts, path) as NonNullable<ReturnType<typeof containing>>)
    return `${status} ${detail}`
  }
  for (const [path, expected] of [
    ['/home/ana/data', /^pass The data folder is on ext4 \(\/dev\/vda at \/\)\.$/],
    ['/srv/dealbox', /^fail .* on nfs4 \(box:\/volume at \/srv\), a network file system/],
    ['/srv', /^fail .* on nfs4/],
    ['/srvother', /^pass .* on ext4/],
    ['/srv/local disk/data', /^pass .* on xfs \(\/dev\/sdb1 at \/srv\/local disk\)/],
    ['/mnt/share/data', /^fail .* on cifs \(\/\/nas\/crm/],
    ['/mnt/ssh/data', /^fail .* on fuse\.sshfs/],
    ['/mnt/host/data', /^fail .* on 9p/],
    ['/run/data', /^warn .* on tmpfs, in memory/],
    ['/box/data', /^warn .* on overlay, the layer of a container/],
    ['/old/data', /^fail .* mounted for reading only/],
    ['/twice/data', /^fail .* on nfs \(box:\/other/],
  ] as const)
    assert.match(on(path), expected)
})

test('a disk is too full for writes, soon is, has no room for a backup or for files, or is fine', () => {
  const disk = { freeBytes: 10 * GIB, sizeBytes: 20 * GIB, least: 256 * MIB, database: GIB, files: 1e6, freeFiles: 1e5 }
  for (const [given, expected] of [
    [{}, /^pass 10 GiB of 20 GiB are free\.$/],
    [{ freeBytes: 255 * MIB }, /^fail 255 MiB of 20 GiB are free, less than --min-free \(256 MiB\)/],
    [{ freeBytes: 300 * MIB }, /^warn .* below --min-free \(256 MiB\) writes stop/],
    // As /readyz warns.
    [{ freeBytes: 1023 * MIB, database: MIB }, /^warn .* below --min-free \(256 MiB\) writes stop/],
    [{ freeBytes: 1024 * MIB, database: MIB }, /^pass /],
    [{ freeBytes: 1500 * MIB, least: GIB, database: MIB }, /^warn .* below --min-free \(1 GiB\) writes stop/],
    [{ database: 11 * GIB }, /^warn .* less than the database \(11 GiB\), so a backup has no room/],
    [{ freeFiles: 99 }, /^fail .* only 99 more files can be made/],
    [{ files: 0, freeFiles: 0 }, /^pass /],
  ] as const) {
    const { status, detail } = judgedDisk({ ...disk, ...given })
    assert.match(`${status} ${detail}`, expected)
  }
})

test('the clock fits the times in the database, or does not', () => {
  const now = Date.UTC(2026, 10, 20)
  const times = { now, newest: now - HOUR_MS, seenAt: now - HOUR_MS, jump: undefined }
  for (const [given, status] of [
    [{}, 'pass'],
    [{ newest: undefined, seenAt: undefined }, 'pass'],
    [{ newest: now + MINUTE_MS }, 'pass'],
    [{ newest: now + MINUTE_MS + 1 }, 'warn'],
    [{ newest: now + DAY_MS + 1 }, 'fail'],
    [{ seenAt: now + HOUR_MS + 1 }, 'warn'],
    [{ now: Date.UTC(2000, 0, 1) }, 'fail'],
    [{ jump: { from: 0, to: now - MINUTE_MS } }, 'warn'],
    [{ jump: { from: 0, to: now - DAY_MS } }, 'pass'],
  ] as const)
    assert.equal(judgedClock({ ...times, ...given }).status, status, JSON.stringify(given))
})

test('a backup is missing after a night, and old after a week', () => {
  const one = { path: '/backups/one.tar', made: 0 }
  const troublesOf = (ageMs: number, newest: typeof one | undefined) =>
    backupTroubles({ newest, ageMs, folder: '/backups', failure: null, drill: null })
  for (const [age, status] of [
    [35 * HOUR_MS, 'pass'],
    [37 * HOUR_MS, 'warn'],
    [7 * DAY_MS, 'warn'],
    [7 * DAY_MS + 1, 'fail'],
  ] as const)
    assert.equal(troublesOf(age, one).late?.status ?? 'pass', status)
  assert.equal(troublesOf(37 * HOUR_MS, undefined).late?.detail, 'There is no backup in /backups.')
})

test('a copy is missing after a night, and one that fails is old after a week', () => {
  const now = Date.UTC(2026, 10, 23, 12)
  const judged = (age: number | null, error: string | null, triedAgo = HOUR_MS) => {
    const copy = copyOf('/mnt/nas', age === null ? null : now - age, error, now - triedAgo)
    const { status, detail, advice } = copyTrouble(copy, now) ?? { status: 'pass' }
    return `${status} ${detail} ${advice}`
  }
  assert.match(judged(35 * HOUR_MS, null), /^pass /)
  assert.match(judged(37 * HOUR_MS, null), /^warn The copy at \/mnt\/nas is old\. Its last copy is of 2026-11-21T23:/)
  assert.match(
    judged(HOUR_MS, 'No.'),
    /^warn The copy to \/mnt\/nas failed at 2026-11-23T11:.*: No\. Its.*tries it again/,
  )
  assert.match(judged(7 * DAY_MS, 'No.'), /^warn /)
  assert.match(judged(7 * DAY_MS + 1000, 'No.'), /^fail /)
  assert.match(judged(null, 'No.'), /^fail .* It has no copy\. /)
  assert.match(judged(null, null), /^warn There is no copy yet at \/mnt\/nas\. The server tries it again/)
  assert.match(
    judged(9 * DAY_MS, 'No.', 38 * HOUR_MS),
    /^warn Nothing was copied to .* since .* forgotten after 30 days/,
  )
})

test('findings are put together, with each advice once', () => {
  const all = [warn('One.', 'Do it.'), warn('Two.', 'Do it.')]
  assert.deepEqual(together(all, 'Well.'), { status: 'warn', detail: 'One. Two.', advice: 'Do it.' })
  assert.deepEqual(together([], 'Well.'), { status: 'pass', detail: 'Well.' })
  assert.deepEqual(
    [[], ['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd']].map((names) => some(names, 3)),
    ['', 'a', 'a and b', 'a, b and c', 'a, b, c and 1 more'],
  )
})
