import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { cli, cliJson, temporaryFolder } from '../../../cli/command-line.ts'
import { startOpenId } from '../../../support/openid.ts'
import { MAIN } from '../../../support/program.ts'

// `dealbox mailbox connect` as a person uses it, in a process of its own, with a real OpenID provider.

const USER = 'sales@acme.example'
const SECRET = 'TEST_OF_MAILBOX_CONNECT'
const folder = temporaryFolder()
const data = join(folder, 'data')
const ends: (() => unknown)[] = []
let openid: Awaited<ReturnType<typeof startOpenId>>

before(async () => {
  openid = await startOpenId({ after: (end) => void ends.push(end) })
  await cliJson('init', '--data', data, '--org', 'Acme', '--email', 'ana@acme.example')
})
after(async () => {
  for (const end of ends) await end()
})

async function apply(oauth: object | undefined): Promise<void> {
  const smtp = { host: '127.0.0.1', port: 1, tls: 'starttls', user: USER }
  const support = { key: 'support', name: 'Support', address: USER, is_default: true, smtp, ...(oauth && { oauth }) }
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ mailboxes: [support] }))
  await cliJson('settings', 'apply', join(folder, 'settings.json'), '--data', data)
}

const sending = async (): Promise<{ status: string; text: string }> =>
  (await cliJson('mailbox', 'list', '--data', data))[0].sending

/** Starts the command; `until` resolves with what matches in its output. */
function connecting(...more: string[]) {
  const argv = [MAIN, 'mailbox', 'connect', 'support', '--data', data, ...more]
  const { NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, argv, { env: { NODE_COMPILE_CACHE }, timeout: 60_000 })
  let said = ''
  let look = () => {}
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      said += bytes
      look()
    })
  const closed: Promise<unknown[]> = once(child as ChildProcess, 'close')
  return {
    child,
    end: async () => ({ code: (await closed)[0], said }),
    until: async (wanted: RegExp): Promise<RegExpExecArray> => {
      for (;;) {
        const found = wanted.exec(said)
        if (found) return found
        if (child.exitCode !== null) assert.fail(said)
        await new Promise<void>((resolve) => {
          look = resolve
          child.once('close', () => resolve())
        })
      }
    },
  }
}

describe('mailbox connect', () => {
  test('needs a mailbox with OAuth', async () => {
    await apply(undefined)
    const { code, err } = await cli(['mailbox', 'connect', 'support', '--data', data])
    assert.deepEqual(
      [code, err],
      [
        1,
        'The mailbox "support" has no oauth in the settings. If it has passwords, set them with "dealbox mailbox password support".\n',
      ],
    )
    assert.match((await cli(['mailbox', 'connect', 'nope', '--data', data])).err, /There is no mailbox "nope"/)
  })

  test('says what to open and to type; Ctrl-C ends it, and leaves nothing', async () => {
    await apply(openid.oauth)
    const before = await sending()
    assert.equal(before.status, 'not_connected')
    const { child, until, end } = connecting()
    const [, url, code] = await until(/\n {2}(http\S+)\n[\s\S]*\n {2}(\S+)\n[\s\S]*Waiting, for up to 10 minutes/)
    assert.equal(url, `${openid.origin}/device`)
    assert.match(code ?? '', /^[A-Z]{4}-[A-Z]{4}$/)
    child.kill('SIGINT')
    const { code: exit, said } = await end()
    assert.deepEqual([exit, said.split('\n').at(-2)], [1, 'The sign-in was canceled, and nothing was stored.'])
    assert.deepEqual(await sending(), before)
  })

  test('tells programs the same as lines of JSON, and when it is done', async () => {
    process.env[SECRET] = 'own: secret/+'
    const { device_url, ...rest } = openid.oauth
    const client = { ...rest, client_id: 'dealbox-secret', client_secret_env: SECRET }
    await apply({ ...client, authorization_url: `${openid.origin}/auth` })
    delete process.env[SECRET]
    const { child, until, end } = connecting('--json')
    const [line] = await until(/^.*\n/)
    const { authorization_url } = JSON.parse(line) as { authorization_url: string }
    assert.equal(new URL(authorization_url).searchParams.get('login_hint'), USER)
    child.stdin.end(`${await openid.signIn(authorization_url, USER)}\n`)
    const { code, said } = await end()
    assert.equal(code, 0, said)
    assert.deepEqual(JSON.parse(said.split('\n')[1] ?? ''), {
      mailbox: 'support',
      connected: true,
      access_ends_in_s: null,
    })
    assert.deepEqual(await sending().then(({ status }) => status), 'unused')
  })

  test('says in a sentence what the provider refuses, and leaves the old access', async () => {
    const { child, until, end } = connecting()
    const [, url = ''] = await until(/\n {2}(http\S+)\n/)
    const last = new URL(await openid.signIn(url, USER))
    last.searchParams.set('code', 'another')
    child.stdin.end(`${last}\n`)
    const { code, said } = await end()
    assert.equal(code, 1)
    assert.match(said, /\nThe provider at \S+ responded with invalid_grant: grant request is invalid\.\n$/)
    assert.equal((await sending()).status, 'unused')
  })

  test('says that nobody is there', async () => {
    await apply({ ...openid.oauth, device_url: 'http://127.0.0.1:1/device' })
    const { err } = await cli(['mailbox', 'connect', 'support', '--data', data])
    assert.equal(err, 'The server 127.0.0.1:1 refused the connection.\n')
  })
})
