import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pino from 'pino'
import { serveFolder } from '../../src/cli/serve/serve-folder.ts'
import { auditLog } from '../../src/events/audit/log.ts'
import { authenticatorCode } from '../support/authenticator.ts'
import { PASSWORD, type Screens, sessionOf, startScreens } from '../support/screens.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { cli, temporaryFolder } from './command-line.ts'

// Commands about signing in, beside a server that runs.

let server: TestServer
let screens: Screens
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
})
after(async () => {
  await screens.stop()
  await server.stop()
})

const run = (...argv: string[]) => cli(argv, { DEALBOX_DATA: server.dataDir, DEALBOX_ORG: server.a.id })
const tokenOf = (url: string) => url.trim().split('#')[1] as string
const accept = (token: string, more: object = {}) => screens.send('POST', '/app/links/accept', { token, ...more })

test('member invite prints a link with which somebody joins, and says who can open it', async () => {
  const { code, out, err } = await run('member', 'invite', 'New@people.example', '--role', 'admin')
  assert.equal(code, 0, err)
  assert.match(out, /^http:\/\/127\.0\.0\.1:8081\/join#[\w-]{43}\n$/)
  assert.match(err, /^It works once, for new@people\.example, until .*Z\. Only browsers on this machine can open it: /)
  const joined = await accept(tokenOf(out), { name: 'New', password: PASSWORD })
  assert.equal(joined.status, 201, joined.text)
  const cookie = sessionOf(joined)
  assert.equal((await screens.send('GET', '/app/boot', undefined, { cookie })).body.me.role, 'admin')
  const again = await run('member', 'invite', 'new@people.example', '--json')
  assert.deepEqual([again.code, JSON.parse(again.err).code], [1, 'already_member'])
  const lan = await run('member', 'invite', 'x@people.example', '--screens-listen', '192.168.7.7:80', '--json')
  const { url, warning, role } = JSON.parse(lan.out)
  assert.deepEqual([url.split('#')[0], warning, role], ['http://192.168.7.7/join', null, 'member'])
  for (const argv of [['no-email'], ['x@people.example', '--role', 'king']]) {
    const { code, err } = await run('member', 'invite', ...argv, '--json')
    assert.deepEqual([code, JSON.parse(err).code], [1, 'invalid_fields'])
  }
})

test('member reset ends sessions, removes the password, and prints a link', async () => {
  const me = await screens.signedIn('member')
  const { code, out, err } = await run('member', 'reset', me.email as string)
  assert.equal(code, 0, err)
  assert.match(out, /^http:\/\/127\.0\.0\.1:8081\/sign-in#[\w-]{43}\n$/)
  assert.match(err, /^It signs in once, within 24 hours\. A new password is set/)
  assert.equal((await me.call('GET', '/app/boot')).status, 401)
  assert.equal((await screens.send('POST', '/app/login', { email: me.email, password: PASSWORD })).status, 401)
  const answer = await accept(tokenOf(out))
  const cookie = sessionOf(answer)
  const set = await screens.send('POST', '/app/password', { new: 'a river in the south' }, { cookie })
  assert.equal(set.status, 204, set.text)
  const unknown = await run('member', 'reset', 'nobody@people.example', '--json')
  assert.deepEqual([unknown.code, JSON.parse(unknown.err).code], [1, 'no_such_member'])
  const gone = await run('member', 'reset', 'gone@acme.example', '--json')
  assert.deepEqual([gone.code, JSON.parse(gone.err).code], [1, 'member_deactivated'])
})

test('member reset leaves the second factor on, unless told that it is lost, and the audit log says which', async () => {
  const me = await screens.signedIn('member')
  const { body } = await me.call('POST', '/app/totp', { password: PASSWORD })
  await me.call('POST', '/app/totp/confirm', { code: authenticatorCode(body.secret, server.now()) })
  const kept = await run('member', 'reset', me.email as string)
  assert.match(kept.err, /with a code of the authenticator app or a recovery code .*--second-factor\)/)
  const asked = await accept(tokenOf(kept.out))
  assert.deepEqual([asked.status, asked.body.code], [401, 'code_required'])
  const removed = await run('member', 'reset', me.email as string, '--second-factor', '--json')
  const { url, second_factor } = JSON.parse(removed.out)
  assert.equal(second_factor, false)
  assert.equal((await accept(tokenOf(kept.out))).status, 404, 'the link before ended')
  const answer = await accept(tokenOf(url))
  assert.equal(answer.status, 200, answer.text)
  const cookie = sessionOf(answer)
  assert.equal((await screens.send('GET', '/app/boot', undefined, { cookie })).body.me.totp, false)
  const said = [...auditLog(server.store).all(server.a.id)].filter(({ record_id }) => record_id === me.id)
  assert.deepEqual(
    said.filter(({ action }) => action === 'member.reset').map(({ detail }) => JSON.parse(detail)),
    [{}, { second_factor: 'removed' }],
  )
})

test('sessions are listed without secrets, and ended for a member', async () => {
  server.jump(Date.now() - server.now()) // a command has the clock of the machine
  const [me, other] = [await screens.signedIn('member'), await screens.signedIn('viewer')]
  const { out } = await run('sessions', 'list')
  assert.match(out, new RegExp(`${me.session}  ${me.email} +\\S+Z +.* a test\\n`))
  assert.ok(!out.includes(me.cookie.split('=')[1] as string))
  const ended = await run('sessions', 'end', me.email as string)
  assert.equal(ended.out, `Ended 1 session of ${me.email}.\n`)
  assert.equal((await me.call('GET', '/app/boot')).status, 401)
  assert.equal((await other.call('GET', '/app/boot')).status, 200)
  assert.equal((await run('sessions', 'end', 'nobody@people.example')).code, 1)
})

describe('serve on an empty folder', () => {
  const log = pino({ level: 'silent' })
  const options = (data: string, screensListen = '127.0.0.1:0') => ({
    ...{ data, screensListen, apiListen: '127.0.0.1:0', rateLimit: 'off', corsOrigin: '', webhookAllow: '' },
    eventRetention: '30d',
  })
  const check = async (url: string | null, origin: string | null) => {
    const headers = { 'content-type': 'application/json', origin: origin as string }
    const body = JSON.stringify({ token: tokenOf(url as string) })
    return (await fetch(`${origin}/app/links/check`, { method: 'POST', headers, body })).status
  }

  test('makes its database and a link; another start makes another link, and the first one ends', async () => {
    const data = join(temporaryFolder(), 'data')
    const first = await serveFolder(options(data), log)
    assert.match(first.setup as string, /^http:\/\/127\.0\.0\.1:\d+\/setup#[\w-]{43}$/)
    assert.equal(await check(first.setup, first.screens), 200)
    await first.stop()
    const second = await serveFolder(options(data), log)
    assert.deepEqual([await check(first.setup, second.screens), await check(second.setup, second.screens)], [404, 200])
    await second.stop()
    assert.equal((await cli(['keys', 'list', '--data', data])).out.match(/^[0-9a-f]{16} /gm)?.length, 1)
    const made = await cli(['init', '--data', data, '--org', 'Acme', '--email', 'ana@acme.example'])
    assert.equal(made.code, 0, made.err)
    const third = await serveFolder(options(data), log)
    assert.equal(third.setup, null)
    assert.equal(await check(second.setup, third.screens), 410)
    await third.stop()
  })

  test('makes nothing without the screens, nor beside files of somebody else', async () => {
    const folder = temporaryFolder()
    await assert.rejects(serveFolder(options(join(folder, 'none'), 'off'), log), { code: 'no_database' })
    assert.ok(!existsSync(join(folder, 'none')))
    mkdirSync(join(folder, 'photos'))
    writeFileSync(join(folder, 'photos', 'cat.jpg'), '')
    await assert.rejects(serveFolder(options(join(folder, 'photos')), log), { code: 'no_database' })
    assert.ok(!existsSync(join(folder, 'photos', 'dealbox.db')))
  })
})
