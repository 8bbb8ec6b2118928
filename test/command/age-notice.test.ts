import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { version } from '../../src/assets.ts'
import { readAgeNotice } from '../../src/command/age-notice.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { examine } from '../../src/ops/doctor/doctor.ts'
import { noMonitoring } from '../../src/ops/monitoring/metrics.ts'
import { cli, temporaryFolder } from '../cli/command-line.ts'
import { startScreens } from '../support/screens.ts'
import { startServer } from '../support/server.ts'

const BUILT = Date.UTC(2026, 0, 1)
const after = (days: number) => BUILT + days * DAY_MS

describe('an old version', () => {
  test('says how old it is from a year on, and what to do', () => {
    const notice = readAgeNotice(undefined, BUILT)
    assert.equal(notice(after(365) - 1), undefined)
    const said = notice(after(427)) ?? ''
    assert.ok(said.startsWith(`This version is 14 months old (Dealbox ${version}). `), said)
    assert.match(said, /look whether there is one\. "--age-notice never" switches this off\.$/)
  })

  test('says so at another age, never, or not at all where nobody knows when it was built', () => {
    assert.match(readAgeNotice('45d', BUILT)(after(46)) ?? '', /is 46 days old/)
    assert.match(readAgeNotice('1h', BUILT)(after(1)) ?? '', /is 1 day old/)
    assert.equal(readAgeNotice('never', BUILT)(after(9999)), undefined)
    assert.equal(readAgeNotice('1h')(after(9999)), undefined) // sources have no time
    assert.equal(readAgeNotice('1h', BUILT)(after(-9)), undefined) // a clock that is behind
  })

  test('a wrong age is refused by the commands that say it, before anything is opened', async () => {
    const folder = temporaryFolder()
    for (const command of ['serve', 'doctor', 'install']) {
      const print = command === 'install' ? ['--print'] : ['--data', `${folder}/none`]
      const { code, err } = await cli([command, '--age-notice', 'soon', ...print])
      assert.equal(code, 2, err)
      assert.match(err, /^--age-notice soon is not a valid duration/)
    }
  })

  test('is ready all the same: /readyz warns, on a reader too, and is well again with another one', async () => {
    const server = await startServer()
    let said: string | undefined
    const versionAge = () => said
    const copy = () => ({ lagMs: 5, isRunning: true, restarts: 0, failure: undefined, missingKeys: [] })
    for (const more of [{}, { copy }]) {
      const screens = await startScreens(server, { monitoring: { ...noMonitoring(), versionAge, ...more } })
      said = undefined
      const found = async () => {
        const { status, body } = await screens.send('GET', '/readyz')
        assert.deepEqual([status, body.status], [200, 'ready'])
        return body.checks.version
      }
      assert.deepEqual(await found(), { status: 'pass' })
      said = 'This version is 14 months old.'
      assert.deepEqual(await found(), { status: 'warn', detail: said })
      await screens.stop()
    }
    await server.stop()
  })

  test('the doctor says it, and does not fail for it', () => {
    const dataDir = temporaryFolder()
    const of = (days: number) => {
      const options = { dataDir, backupDir: dataDir, isFull: false, minFree: undefined, now: () => after(days) }
      return examine({ ...options, versionAge: readAgeNotice(undefined, BUILT) }).checks.versions
    }
    assert.equal(of(10)?.status, 'pass')
    assert.equal(of(500)?.status, 'warn')
    assert.match(of(500)?.advice ?? '', /This version is 16 months old/)
  })
})
