import assert from 'node:assert/strict'
import { test } from 'node:test'
import { machineZone } from '../../../src/lib/machine/machine-zone.ts'
import { isTimezone } from '../../../src/lib/time.ts'

const zoneOf = (TZ: string | undefined, own: string | undefined = undefined, system: string | undefined = undefined) =>
  machineZone({ env: { TZ }, own, system: () => system })

test('TZ is read as the C library takes it', () => {
  const cases: [string, string][] = [
    ['Europe/Berlin', 'Europe/Berlin'],
    ['Europe/berlin', 'Europe/Berlin'],
    ['"Europe/Berlin"', 'Europe/Berlin'],
    ["'Asia/Tokyo'", 'Asia/Tokyo'],
    [' America/Lima ', 'America/Lima'],
    [':America/Lima', 'America/Lima'],
    ['/usr/share/zoneinfo/Europe/Berlin', 'Europe/Berlin'],
    [':/usr/share/zoneinfo/posix/Europe/Berlin', 'Europe/Berlin'],
    ['right/Europe/Berlin', 'Europe/Berlin'],
    ['', 'UTC'],
    ['UTC0', 'UTC'],
    ['CST-8', 'Etc/GMT-8'],
    ['<+03>-3', 'Etc/GMT-3'],
    ['XYZ+05:00', 'Etc/GMT+5'],
    ['GMT+2', 'Etc/GMT+2'], // two hours behind, as everywhere but in Intl
  ]
  for (const [TZ, zone] of cases) assert.deepEqual(zoneOf(TZ, '+02:00'), { zone }, TZ)
})

test('that of the system counts where TZ names it, or the runtime does not know it', () => {
  const berlin = '/usr/share/zoneinfo/Europe/Berlin'
  for (const TZ of [':/etc/localtime', '/etc/localtime', 'localtime', undefined])
    assert.deepEqual(zoneOf(TZ, undefined, berlin), { zone: 'Europe/Berlin' }, String(TZ))
  assert.deepEqual(zoneOf(undefined, 'Asia/Tokyo', berlin), { zone: 'Asia/Tokyo' })
})

test('a zone that nobody knows is UTC, with a word', () => {
  for (const TZ of [
    'Nope',
    'CET-1CEST,M3.5.0,M10.5.0/3',
    'IST-5:30',
    'CST-88',
    ':/etc/localtime',
    '"',
    'Etc/Unknown',
  ]) {
    const { zone, doubt } = zoneOf(TZ, 'UTC')
    assert.equal(zone, 'UTC', TZ)
    assert.ok(doubt?.startsWith(`TZ is ${JSON.stringify(TZ)}, which is no time zone that is known`), String(doubt))
  }
  for (const own of [undefined, 'Etc/Unknown', '+02:00'])
    assert.match(zoneOf(undefined, own).doubt ?? '', /^The time zone of this machine is not known/)
})

test('no value of another type is a zone', () => {
  for (const name of [undefined, null, 1, {}]) assert.equal(isTimezone(name as never), false)
})
