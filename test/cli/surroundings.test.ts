import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { silentLog } from '../../src/lib/log.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { readBackups } from '../../src/ops/backup/commands/backup-options.ts'
import { night } from '../../src/ops/backup/night.ts'
import { startNightly } from '../../src/ops/backup/nightly.ts'
import { openStore } from '../../src/store/open.ts'
import { serve } from '../support/served.ts'
import { cli, cliJson, dealbox, temporaryFolder } from './command-line.ts'

// What the machine says of itself, in variables that others set.

const root = temporaryFolder()
const { TZ } = process.env
after(() => setZone(TZ))

function setZone(zone: string | undefined): void {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
}

const FORMS = [':/etc/localtime', '"Europe/Berlin"', 'CST-8', 'Europe/berlin', 'UTC0', 'Nope', '']

describe('a TZ in any form', () => {
  test('lets init make an organisation, in that zone or in UTC', async () => {
    const zones = {
      '"Europe/Berlin"': 'Europe/Berlin',
      'CST-8': 'Etc/GMT-8',
      'Europe/berlin': 'Europe/Berlin',
      Nope: 'UTC',
    }
    for (const [zone, meant] of Object.entries(zones)) {
      const data = join(root, `init-${meant.replace('/', '')}-${zone.length}`)
      const made = await dealbox(['init', '--data', data, '--org', 'A', '--email', 'a@a.example'], {
        env: { TZ: zone },
      })
      assert.equal(made.code, 0, `${zone}: ${made.err}`)
      assert.equal((await cliJson('settings', 'show', '--data', data)).org.timezone, meant)
    }
  })

  test('lets a server make its backup in the night', async () => {
    const data = join(root, 'night')
    await cliJson('init', '--data', data, '--org', 'A', '--email', 'a@a.example')
    const store = openStore(data)
    let now = Date.now()
    for (const zone of FORMS) {
      setZone(zone)
      const { at, folder, keep, copying } = await readBackups(data, { backupAt: '03:15' })
      now += 2 * DAY_MS
      const nightly = startNightly({
        store: { ...store, clock: { ...store.clock, now: () => now } },
        ...{ log: silentLog, dataDir: data, at: at as string, folder, keep, timezone: copying.timezone },
        work: async (options) => night(options),
      })
      await nightly.tick()
      await nightly.stop()
    }
    setZone(TZ)
    store.close()
    assert.equal(readdirSync(join(data, 'backups')).length, FORMS.length)
  })
})

describe('a TZ that nobody knows', () => {
  const data = join(root, 'doubt')
  before(async () => {
    await cliJson('init', '--data', data, '--org', 'A', '--email', 'a@a.example')
  })

  test('is said in the log, by /readyz and by the doctor, until a server starts with another', async () => {
    const seen = async () => {
      const server = await serve(data, '', { backupAt: '03:15' })
      try {
        const { clock } = (await server.screen('/readyz')).body.checks
        const { checks } = await cliJson('doctor', '--data', data)
        return { clock, doctor: checks.clock, lines: server.lines.map(({ msg }) => msg) }
      } finally {
        await server.stop()
      }
    }
    setZone('Nope')
    const doubted = await seen()
    setZone('UTC')
    const well = await seen()
    setZone(TZ)
    const said = /TZ is "Nope", which is no time zone that is known, and counts as UTC\. Set TZ to a name/
    assert.equal(doubted.clock.status, 'warn')
    assert.match(doubted.clock.detail, said)
    assert.ok(doubted.lines.some((line) => said.test(line)))
    assert.equal(doubted.doctor.status, 'warn')
    assert.match(doubted.doctor.detail, said)
    assert.deepEqual([well.clock, well.doctor.status, well.lines], [{ status: 'pass' }, 'pass', []])
  })
})

test('a value with quotation marks or a carriage return, as env files bring them in, is refused by its name', async () => {
  const cases: [string, RegExp][] = [
    ['"03:15"', /^DEALBOX_BACKUP_AT has quotation marks around its value: remove them/],
    ["'off'", /^DEALBOX_BACKUP_AT has quotation marks/],
    ['03:15\r', /^DEALBOX_BACKUP_AT ends with a carriage return: .* line ends of Windows/],
  ]
  for (const [value, sentence] of cases) {
    const { code, err } = await cli(['config', 'show', 'serve', '--data', root], { DEALBOX_BACKUP_AT: value })
    assert.equal(code, 2)
    assert.match(err, sentence)
  }
  const fine = await cli(['config', 'show', 'serve', '--data', root], { DEALBOX_BACKUP_AT: 'off' })
  assert.equal(fine.code, 0, fine.err)
})
