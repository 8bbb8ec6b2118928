import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pauseSending } from '../../../../src/ops/backup/sending.ts'
import { openSqlite } from '../../../../src/store/sqlite/driver.ts'
import { cli, cliJson, temporaryFolder } from '../../../cli/command-line.ts'
import { type Receiver, startReceiver } from '../../../support/receiver.ts'
import { type Served, serve } from '../../../support/served.ts'

// What waits in a restored copy, said and dropped by kind.

const data = join(temporaryFolder(), 'data')
let receiver: Receiver
let token: string
let server: Served
let message: string
let enrollment: string
before(async () => {
  receiver = await startReceiver()
  await cliJson('init', '--data', data, '--org', 'Acme', '--email', 'ana@acme.example')
  token = (await cliJson('token', 'create', '--data', data, '--email', 'ana@acme.example', '--scope', 'all')).token
  const smtp = { host: '127.0.0.1', port: 1, tls: 'none', user: 'u', password_env: 'PATH' }
  const mailboxes = [{ key: 'box', name: 'Box', address: 'box@acme.example', is_default: true, smtp }]
  const steps = [{ type: 'call', delay_s: 0, task_title: 'Call' }]
  const settings = join(data, 'settings.json')
  writeFileSync(
    settings,
    JSON.stringify({ mailboxes, sequences: [{ key: 'calls', name: 'Calls', status: 'active', steps }] }),
  )
  await cliJson('settings', 'apply', settings, '--data', data)
  pauseSending(data)
  server = await serve(data, token, { webhookAllow: '127.0.0.1' })
  const make = async (path: string, body: object) => {
    const answer = await server.call('POST', path, body)
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body.id as string
  }
  await make('/webhooks', { url: receiver.url, event_types: ['deal.*'] })
  const contact_id = await make('/contacts', { last_name: 'Lee', emails: [{ email: 'lee@x.example' }] })
  const [sequence] = (await server.call('GET', '/sequences')).body.data
  enrollment = await make('/enrollments', { sequence_id: sequence.id, contact_id })
  message = await make('/messages', {
    contact_id,
    channel: 'email',
    direction: 'outbound',
    subject: 'S',
    body_text: 'B',
  })
  await make('/deals', { title: 'Old' })
  await server.stop()
  const db = openSqlite(join(data, 'dealbox.db'))
  db.exec('UPDATE jobs SET due_at = due_at - 3600000') // the backup is an hour old
  db.close()
})
after(() => receiver.stop())

test('how much waits is said by kind, with its age, and nothing is changed', async () => {
  for (let twice = 0; twice < 2; twice++) {
    const { was_paused, pending, dropped } = await cliJson('resume-sending', '--dry-run', '--data', data)
    assert.deepEqual([was_paused, dropped], [true, []])
    assert.deepEqual([pending.mails.count, pending.steps.count], [1, 1])
    assert.ok(pending.webhooks.count >= 1)
    assert.ok(Date.now() - pending.mails.since >= 3_500_000)
  }
  const { out } = await cli(['resume-sending', '--dry-run', '--data', data])
  assert.match(out, /^What waits, and may have been sent since:\n {2}1 mails, since \S+Z\n {2}\d+ events for webhooks/)
})

test('a kind that there is not is refused, and everything stays', async () => {
  for (const kinds of ['letters', ',', 'mails,letters']) {
    const { code, err } = await cli(['resume-sending', '--drop-pending', kinds, '--data', data])
    assert.equal(code, 2, kinds)
    assert.match(err, /--drop-pending must be all, or some of mails, webhooks, steps/)
  }
  assert.equal((await cliJson('resume-sending', '--dry-run', '--data', data)).pending.mails.count, 1)
})

test('what is dropped is never sent: mails fail, enrollments stop, webhooks get what comes from then on', async () => {
  const { out } = await cli(['resume-sending', '--drop-pending', 'mails, webhooks,steps', '--data', data])
  assert.match(out, /1 mails, since \S+Z: dropped\n.*: dropped\n {2}1 steps .*: dropped\nThe server sends again/)
  const again = await cli(['resume-sending', '--drop-pending', 'all', '--data', data])
  assert.deepEqual([again.code, again.err.includes('Sending is not paused')], [1, true])
  const { pending } = await cliJson('resume-sending', '--dry-run', '--data', data)
  assert.deepEqual([pending.mails.count, pending.steps.count], [0, 0])
  server = await serve(data, token, { webhookAllow: '127.0.0.1' })
  const { body } = await server.call('GET', `/messages/${message}`)
  assert.equal(body.status, 'failed')
  assert.match(body.error, /was dropped/)
  assert.equal((await server.call('GET', `/enrollments/${enrollment}`)).body.status, 'stopped')
  await server.call('POST', '/deals', { title: 'New' })
  await receiver.came(1)
  await server.stop()
  assert.deepEqual(
    receiver.requests.map(({ event }) => event.data.object.title),
    ['New'],
  )
})
