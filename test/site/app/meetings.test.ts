import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { SUPPORT, setMailboxes } from '../../support/mailbox.ts'

describe('what the pages of meetings ask for', { concurrency: false }, () => {
  let app: AppServer
  before(async () => {
    app = await startApp()
  })
  after(() => app.stop())

  const at = (hours: number) => new Date(app.now() + hours * 3_600_000).toISOString()
  const make = async (title: string, more: Record<string, unknown> = {}, hours = 2) => {
    const { status, body, text } = await app.call('POST', '/meetings', {
      title,
      starts_at: at(hours),
      ends_at: at(hours + 1),
      ...more,
    })
    assert.equal(status, 201, text)
    return body
  }
  const hits = async (q: string, ...ids: string[]) =>
    (await app.ok('viewer', 'GET', `/meetings/hits?${new URLSearchParams({ q, ids: ids.join(',') })}`)).data

  test('a transcript comes whole, and not to another organisation', async () => {
    const { id } = await make('Talk')
    const segments = Array.from({ length: 600 }, (_, n) => ({
      speaker: 'a',
      start_ms: n * 1000,
      end_ms: n * 1000 + 900,
      text: `Word ${n}`,
    }))
    assert.equal((await app.call('PUT', `/meetings/${id}/transcript`, { segments })).status, 200)
    const found = await app.ok('viewer', 'GET', `/meetings/${id}/transcript`)
    assert.deepEqual([found.segments.length, found.next_cursor, found.segments[599].text], [600, null, 'Word 599'])
    assert.equal((await app.ask('stranger', 'GET', `/meetings/${id}/transcript`)).status, 404)
    assert.equal((await app.ask('viewer', 'GET', `/meetings/${(await make('No talk')).id}/transcript`)).status, 404)
  })

  test('a hit is the line that was said, else one of the texts; nothing where the title says it', async () => {
    const said = await make('Demo', { summary: 'One gateway for both.' })
    const segments = [
      { speaker: 'a', start_ms: 0, end_ms: 4000, text: 'Good morning.' },
      { speaker: 'a', start_ms: 754_000, end_ms: 760_000, text: 'Can one gateway serve both halls?' },
    ]
    await app.call('PUT', `/meetings/${said.id}/transcript`, { speakers: [{ key: 'a', name: 'Aïcha' }], segments })
    const text = await make('Visit', { description: 'First\nThe gateway, again' })
    const title = await make('Gateway')
    const theirs = await app.people.stranger.call('POST', '/api/v1/meetings', {
      title: 'x',
      description: 'gateway',
      starts_at: at(1),
      ends_at: at(2),
    })
    const found = await hits('gateway', said.id, text.id, title.id, theirs.body.id)
    assert.deepEqual(found, [
      { meeting_id: said.id, text: 'Can one gateway serve both halls?', start_ms: 754_000, speaker: 'Aïcha' },
      { meeting_id: text.id, text: 'The gateway, again', start_ms: null, speaker: null },
    ])
    const across = await hits('morning gateway', said.id)
    assert.equal(across[0].start_ms, 0)
    assert.equal((await app.ask('viewer', 'GET', '/meetings/hits?q=a&ids=1')).status, 400)
    const many = Array(21).fill(said.id).join()
    assert.equal((await app.ask('viewer', 'GET', `/meetings/hits?q=a&ids=${many}`)).status, 400)
  })

  test('who would get which mail is what is then sent, and asking writes nothing', async () => {
    const guests = [
      { email: 'margit@oresund.example', name: 'Margit' },
      { email: 'soren@oresund.example', name: 'Søren' },
    ]
    const given = { title: 'Demo', starts_at: at(48), ends_at: at(49), participants: guests, send_invitations: true }
    const asked = (body: unknown) => app.ask('member', 'POST', '/meetings/mails', body)
    const seq = app.events(0).length
    const without = await asked({ id: null, given })
    assert.deepEqual([without.status, without.body.errors?.[0].pointer], [422, '/send_invitations'], without.text)
    setMailboxes(app, [SUPPORT])
    const invited = await asked({ id: null, given })
    assert.deepEqual(invited.body.mails, [
      {
        kind: 'invitation',
        to: [
          { name: 'Margit', email: 'margit@oresund.example' },
          { name: 'Søren', email: 'soren@oresund.example' },
        ],
      },
    ])
    assert.equal(app.events(0).length, seq)
    const { id, participants } = (await app.call('POST', '/meetings', given)).body
    const kinds = async (change: unknown) =>
      (await asked({ id, given: change })).body.mails.map(({ kind, to }: { kind: string; to: unknown[] }) => [
        kind,
        to.length,
      ])
    assert.deepEqual(await kinds({ summary: 'x', deal_id: null }), [])
    assert.deepEqual(await kinds({ location: 'Room 4' }), [['update', 2]])
    assert.deepEqual(await kinds({ participants: participants.slice(0, 1) }), [['removal', 1]])
    assert.deepEqual(await kinds({ status: 'canceled' }), [['cancellation', 2]])
    assert.deepEqual(await kinds(null), [['cancellation', 2]])
    assert.deepEqual(await kinds({ location: 'Room 5', send_invitations: false }), [])
    assert.equal((await asked({ id, given: { location: 'x' } })).body.is_sent, true)
    assert.equal((await app.call('GET', `/meetings/${id}`)).body.location, null)
    assert.equal((await asked({ id, given: { ends_at: at(1) } })).status, 422)
    assert.equal((await app.ask('viewer', 'POST', '/meetings/mails', { id, given: {} })).status, 403)
    assert.equal((await app.ask('stranger', 'POST', '/meetings/mails', { id, given: {} })).status, 404)
  })
})
