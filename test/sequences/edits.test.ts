import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { applySettings, showSettings } from '../../src/app/settings/document.ts'
import { type AppServer, startApp } from '../support/app-data.ts'
import type { Row } from '../support/records.ts'
import { DAY, mail, mailbox, office, task } from './enrollment-replay.ts'

// Sequences that are changed on the screen.

let app: AppServer
before(async () => {
  app = await startApp()
  applySettings(app.store, app.a.org, {
    hours: [office('Europe/Berlin')],
    mailboxes: [mailbox({ daily_limit: 40 })],
  } as never)
})
after(() => app.stop())
beforeEach(() => void app.store.db.prepare('DELETE FROM enrollments').run())

const list = async (): Promise<Row> => app.ok('viewer', 'GET', '/sequences')
const add = (given: Row = {}): Promise<Row> =>
  app.ok('admin', 'POST', '/sequences', { name: 'Fair', status: 'draft', steps: [], ...given })
const document = () => showSettings(app.store, app.a.org).sequences
const refusedAt = async (path: string, method: string, body: Row): Promise<string[]> => {
  const answer = await app.ask('admin', method, path, body)
  assert.equal(answer.status, 422, answer.text)
  return answer.body.errors.map(({ pointer, code }: Row) => `${pointer} ${code}`)
}

const person = async (email: string): Promise<string> =>
  (await app.call('POST', '/contacts', { first_name: 'Ana', emails: [{ email }] })).body.id

describe('a sequence', () => {
  test('is added and changed one at a time, and the document says the same', async () => {
    const made = await add({ name: 'Nach der Messe', hours: 'office', mailbox: 'sales', steps: [mail(0, 'Hello')] })
    assert.deepEqual([made.key, made.version, made.current_version, made.versions], ['nach-der-messe', 1, 1, []])
    assert.deepEqual(document().at(-1)?.steps, [{ ...mail(0, 'Hello'), business_days_only: false }])
    const other = await add({ name: 'Nach der Messe' })
    assert.equal(other.key, 'nach-der-messe-2')
    const path = `/sequences/${made.id}`
    const changed = await app.ok('admin', 'PATCH', path, { status: 'active', stop_on: ['reply'] })
    assert.deepEqual([changed.status, changed.stop_on, changed.steps], ['active', ['reply'], made.steps])
    const stale = await app.ask('admin', 'PATCH', path, { name: 'Mine' }, { 'If-Match': `"${made.version}"` })
    assert.equal(stale.status, 412)
    assert.equal((await list()).data.find(({ id }: Row) => id === other.id).version, other.version)
  })

  test('is refused as the document is, and nothing is changed by it', async () => {
    const before = document()
    assert.deepEqual(await refusedAt('/sequences', 'POST', { name: 'X', status: 'active', steps: [] }), [
      '/steps no_steps',
    ])
    const given = {
      name: 'X',
      status: 'draft',
      hours: 'night',
      steps: [task(0, 'Look'), mail(0, 'Hi', { body: '{{nobody}}' })],
    }
    assert.deepEqual(await refusedAt('/sequences', 'POST', given), [
      '/hours unknown_hours',
      '/steps/1/body unknown_variable',
    ])
    assert.deepEqual(document(), before)
  })

  test('is read by everybody and changed by administrators of its organisation', async () => {
    const made = await add()
    assert.equal((await app.ask('member', 'POST', '/sequences', { name: 'X', status: 'draft', steps: [] })).status, 403)
    assert.equal((await app.ask('member', 'PATCH', `/sequences/${made.id}`, { name: 'X' })).status, 403)
    assert.equal((await app.ask('stranger', 'PATCH', `/sequences/${made.id}`, { name: 'X' })).status, 404)
    assert.ok((await list()).data.some(({ id }: Row) => id === made.id))
    assert.deepEqual((await app.ok('stranger', 'GET', '/sequences')).data, [])
  })

  test('keeps who is in it in their version, and says how many', async () => {
    const { id } = await add({ status: 'active', mailbox: 'sales', steps: [mail(DAY, 'Hello'), mail(DAY)] })
    const contact_id = await person('a@x.example')
    await app.call('POST', '/enrollments', { sequence_id: id, contact_id })
    const steps = [mail(2 * DAY, 'Other')]
    const changed = await app.ok('admin', 'PATCH', `/sequences/${id}`, { steps })
    assert.deepEqual([changed.current_version, changed.versions], [2, [{ number: 1, live: 1 }]])
  })
})

describe('before it starts', () => {
  const look = (sequence: Row, more: Row = {}) =>
    app.ok('viewer', 'POST', '/sequences/preview', {
      sequence: { name: 'Fair', status: 'draft', ...sequence },
      ...more,
    })
  const codes = async (sequence: Row) =>
    (await look(sequence)).checks.map(({ level, code, step, names }: Row) =>
      [level, code, step, names].filter((each) => each !== undefined),
    )

  test('what is missing is said, and which variables have no fallback', async () => {
    assert.deepEqual(await codes({ steps: [] }), [['stop', 'no_steps']])
    const whole = '{{#company.name}}{{company.name}}{{/company.name}}{{^company.name}}your team{{/company.name}}'
    assert.deepEqual(
      await codes({ mailbox: 'sales', steps: [mail(0, `For ${whole}`, { body: 'Hi {{sender.name}}' })] }),
      [
        ['warn', 'no_unsubscribe'],
        ['warn', 'no_replies'],
        ['info', 'limits'],
      ],
    )
    assert.deepEqual(
      await codes({
        steps: [task(0, 'Call {{company.name}}', { body: '{{^deal.title}}{{deal.amount}}{{/deal.title}}' })],
      }),
      [['warn', 'no_fallback', 0, ['deal.amount', 'company.name']]],
    )
    applySettings(app.store, app.a.org, { mailboxes: [mailbox({ is_default: false })] } as never)
    assert.deepEqual(await codes({ steps: [mail(0, 'Hi', { body: 'Hi' })] }), [['stop', 'no_mailbox']])
    applySettings(app.store, app.a.org, { mailboxes: [mailbox()] } as never)
  })

  test('a fallback that was left empty is a hole, too', async () => {
    const empty = '{{#company.name}}{{company.name}}{{/company.name}}{{^company.name}}{{/company.name}}'
    assert.deepEqual(await codes({ steps: [task(0, `Call ${empty}`)] }), [['warn', 'no_fallback', 0, ['company.name']]])
  })

  test('each text is shown for a contact, with what is filled in, what stands in for it, and what is missing', async () => {
    const id = await person('b@x.example')
    const body =
      'Hi {{contact.first_name}} of {{#company.name}}{{company.name}}{{/company.name}}{{^company.name}}your team{{/company.name}}{{contact.last_name}}.'
    const { steps, obstacle } = await look(
      { steps: [mail(0, 'Hello {{contact.first_name}}', { body }), mail(0)] },
      { contact_id: id },
    )
    assert.deepEqual(steps[0].body, [
      { is: 'text', text: 'Hi ' },
      { is: 'value', text: 'Ana', name: 'contact.first_name' },
      { is: 'text', text: ' of ' },
      { is: 'fallback', text: 'your team', name: 'company.name' },
      { is: 'missing', text: '', name: 'contact.last_name' },
      { is: 'text', text: '.' },
    ])
    assert.equal(steps[1].subject.map(({ text }: Row) => text).join(''), 'Re: Hello Ana')
    assert.equal(steps[0].from, 'sales@acme.example')
    assert.equal(obstacle, null)
    await app.call('PATCH', `/contacts/${id}`, { do_not_contact: true })
    assert.equal((await look({ steps: [] }, { contact_id: id })).obstacle, 'do_not_contact')
    // What is not finished is shown as it was written.
    const half = await look({ steps: [mail(0, 'Hi', { body: 'Hi {{contact.' })] }, { contact_id: id })
    assert.deepEqual(half.steps[0].body, [{ is: 'text', text: 'Hi {{contact.' }])
    const unknown = await app.ask('viewer', 'POST', '/sequences/preview', {
      ...{ sequence: { name: 'X', status: 'draft', steps: [] }, contact_id: app.b.owner },
    })
    assert.equal(unknown.status, 404)
  })
})
