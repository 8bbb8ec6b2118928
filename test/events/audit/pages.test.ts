import assert from 'node:assert/strict'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cli, cliJson, temporaryFolder } from '../../cli/command-line.ts'

// Every command of the pages about the audit log and the configuration is run as it is printed.

const folder = temporaryFolder()
const linesOf = (page: string): string[] =>
  [...readFileSync(join(import.meta.dirname, '../../../docs', page), 'utf8').matchAll(/```sh\n(.*?)```/gs)].flatMap(
    ([, block]) => (block as string).split('\n').filter((line) => /^([A-Z_]+=\S+ )*dealbox /.test(line)),
  )

test('the commands of the pages work', async () => {
  const data = join(folder, 'data')
  await cliJson('init', '--data', data, '--org', 'Acme', '--email', 'ana@acme.example')
  const { chains } = await cliJson('audit', '--verify', '--data', data)
  const password = join(folder, 'password.txt')
  writeFileSync(password, 'the password\n')
  chmodSync(password, 0o600)
  const lines = [...linesOf('audit.md'), ...linesOf('configuration.md')]
  assert.equal(lines.length, 6)
  for (const line of lines) {
    const words = line.replace('HASH', chains.at(-1).last_hash).replace('password.txt', password).split(' ')
    const start = words.indexOf('dealbox')
    const env = Object.fromEntries(words.slice(0, start).map((word) => word.split('=')))
    const { code, out, err } = await cli([...words.slice(start + 1), '--data', data], env)
    assert.equal(code, 0, `${line}: ${err}`)
    assert.notEqual(out, '')
    if (env.DEALBOX_LOG_LEVEL) assert.match(out, /^log-level +warn +environment DEALBOX_LOG_LEVEL$/m)
    if (env.DEALBOX_MAILBOX_PASSWORD_FILE) assert.match(out, /^mailbox-password +\*\*\* /m)
  }
})

test('the file of the page is a configuration file', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8')
  const path = join(folder, 'dealbox.json')
  writeFileSync(path, /```json\n(.*?)```/s.exec(page)?.[1] as string, { mode: 0o600 })
  const { code, out, err } = await cli(['config', 'show', 'serve', '--config', path, '--data', folder])
  assert.equal(code, 0, err)
  assert.match(out, /^audit-retention +730d +file /m)
})
