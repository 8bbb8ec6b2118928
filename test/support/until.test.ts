import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { becomes, until, WAIT_MS } from './until.ts'

test('what comes is waited for, asked at once or later, and simulated timers do not stop it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const answers = [undefined, 0, '', false, null, 'here', 'later']
  assert.equal(await until(() => answers.shift()), 'here')
  assert.equal(await until(async () => answers.shift()), 'later')
  const numbers = [[1], [1, 2], [1, 2, 3], [4]]
  await becomes(async () => numbers.shift(), [1, 2, 3])
  assert.deepEqual(numbers, [[4]])
})

test('what throws is not asked again', async () => {
  let asked = 0
  const broken = () => assert.fail(`asked ${++asked}`)
  await assert.rejects(until(broken), /asked 1/)
  await assert.rejects(becomes(broken, 1 as never), /asked 2/)
})

test('what does not come in the time of TEST_WAIT, else in minutes, fails with what it is, and was last', () => {
  if (process.env.TEST_WAIT === undefined) assert.equal(WAIT_MS, 240_000)
  const failure = (code: string) => {
    const script = `import { becomes, until } from ${JSON.stringify(import.meta.resolve('./until.ts'))}\nawait ${code}`
    const argv = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script]
    return spawnSync(process.execPath, argv, { encoding: 'utf8', env: { ...process.env, TEST_WAIT: '0.1' } }).stderr
  }
  assert.match(failure(`until(() => 0, 'the mail')`), /This did not come, but 0: the mail/)
  assert.match(failure(`until(async () => null, () => 'a ' + 'list')`), /This did not come, but null: a list/)
  assert.match(failure(`until(() => 1 > 2)`), /This did not come, but false: \(\) => 1 > 2/)
  assert.match(failure(`becomes(() => [1, 3], [1, 2])`), /\+\s+3\n-\s+2\n/)
})
