import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cli, temporaryFolder } from '../../cli/command-line.ts'

const folder = temporaryFolder()
const NOW = 'additional CA certificates \\(PEM\\) to trust for all outgoing connections, such as that of your own CA\\.'
const SERVE = ['serve', '--data', join(folder, 'none'), '--api-listen', 'off']

for (const [key, variable] of [
  ['mail-ca', 'DEALBOX_MAIL_CA'],
  ['backup-s3-ca', 'DEALBOX_BACKUP_S3_CA'],
  ['replica-ca', 'DEALBOX_REPLICA_CA'],
  ['to-ca', 'DEALBOX_TO_CA'],
] as const)
  test(`${key} is refused in each place with what it is now`, async () => {
    const refused = async (argv: string[], env: Record<string, string>, sentence: string) => {
      const { code, err } = await cli(argv, env)
      assert.equal(code, 2)
      assert.match(err, new RegExp(`^${sentence}: ${NOW}`))
    }
    await refused([...SERVE, `--${key}`, 'ca.pem'], {}, `--${key} is --ca now`)
    await refused(SERVE, { [variable]: 'ca.pem' }, `${variable} is DEALBOX_CA now`)
    const file = join(folder, `${key}.json`)
    writeFileSync(file, JSON.stringify({ [key]: 'ca.pem' }), { mode: 0o600 })
    await refused([...SERVE, '--config', file], {}, `${key} in ${file} is ca now`)
  })

test('a command without the new option minds no variable, and says of the flag what it does have', async () => {
  const argv = ['version', '--data', join(folder, 'none')]
  assert.equal((await cli(argv, { DEALBOX_MAIL_CA: 'ca.pem' })).code, 0)
  assert.match((await cli([...argv, '--mail-ca', 'ca.pem'])).err, /^There is no option --mail-ca here\. Options are: /)
  assert.equal((await cli(argv, { DEALBOX_MAIL_CA: '' })).code, 0)
})

test('config show names the file, whatever is in it', async () => {
  const file = join(folder, 'ca.json')
  writeFileSync(file, JSON.stringify({ ca: '/etc/none.pem' }), { mode: 0o600 })
  const shown = async (argv: string[], env = {}) => {
    const { out, err } = await cli(['config', 'show', 'serve', '--json', ...argv], env)
    const { options } = JSON.parse(out || err)
    const { value, from, where } = options.find(({ key }: { key: string }) => key === 'ca')
    return [value, from, where]
  }
  assert.deepEqual(await shown(['--config', file]), ['/etc/none.pem', 'file', file])
  assert.deepEqual(await shown([], { DEALBOX_CA: 'own.pem' }), ['own.pem', 'environment', 'DEALBOX_CA'])
  assert.deepEqual(await shown(['--ca', 'x.pem']), ['x.pem', 'flag', '--ca'])
})
