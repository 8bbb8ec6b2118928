import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import { unsubscribing } from '../../src/sequences/enrollments/unsubscribe.ts'
import { vault } from '../../src/store/folder/vault.ts'
import { enroll, makeSequence } from '../support/enrolled.ts'
import { recordsOf } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
const { newId } = recordsOf(() => server)
let out: ReturnType<typeof unsubscribing>
let sequence: string
let count = 0

before(async () => {
  server = await startServer()
  out = unsubscribing(server.deps)
  sequence = makeSequence(server, server.a).id
})
after(() => server.stop())
beforeEach(() => baseUrl('https://crm.acme.example'))

const LISTENS = { address: 'sales@acme.example', imap: { host: 'imap.acme.example' } }
const SILENT = { ...LISTENS, imap: null }

const baseUrl = (url: string | null, org = server.a) =>
  server.store.db.prepare('UPDATE orgs SET public_base_url = ? WHERE id = ?').run(url, org.org)

const enrollmentRow = (id: string) =>
  server.store.db.prepare('SELECT * FROM enrollments WHERE id = ?').get(id) as Record<string, string | number | null>

const newContact = () => newId('/contacts', { emails: [{ email: `person${++count}@firm.example` }] })

async function enrolled(given = {}) {
  const contact_id = await newContact()
  const id = enroll(server, server.a, sequence, { contact_id, ...given })
  return { id, contact_id, token: tokenOf(id) }
}

/** Returns the token in a mail of the enrollment. */
const tokenOf = (id: string, org = server.a): string =>
  /unsubscribe%20(\S+)>/.exec(out.headers(org.org, LISTENS, { id })['List-Unsubscribe'] as string)?.[1] as string

const unsubscribe = (token: string) => server.store.transaction(() => out.unsubscribe(token))
const fromSubject = (subject: string, org = server.a) =>
  server.store.transaction(() => out.fromSubject(org.org, subject))

const contactOf = async (id: string) => (await server.call('GET', `/contacts/${id}`)).body

describe('the body of a mail', () => {
  test('ends with a line for unsubscribing, by the link or else by the address', async () => {
    const { id, token } = await enrolled()
    const link = `https://crm.acme.example/unsubscribe/${token}`
    assert.deepEqual(out.bodies(server.a.org, LISTENS, { id }, 'Hello\n'), {
      text: `Hello\n\nUnsubscribe: ${link}`,
      html: `<p>Hello</p>\n<p><a href="${link}">Unsubscribe</a></p>`,
    })
    baseUrl(null)
    const mail = `mailto:sales@acme.example?subject=unsubscribe%20${token}`
    assert.deepEqual(out.bodies(server.a.org, LISTENS, { id }, 'Hello'), {
      text: `Hello\n\nUnsubscribe: ${mail}`,
      html: `<p>Hello</p>\n<p><a href="${mail}">Unsubscribe</a></p>`,
    })
  })

  test('is as it was written if it has the link, or if nobody would receive the request', async () => {
    const { id, token } = await enrolled()
    const own = `Hello, leave at https://crm.acme.example/unsubscribe/${token}.`
    assert.equal(out.bodies(server.a.org, LISTENS, { id }, own).text, own)
    baseUrl(null)
    assert.deepEqual(out.bodies(server.a.org, SILENT, { id }, 'Hello'), { text: 'Hello', html: '<p>Hello</p>' })
  })
})

describe('what a mail says', () => {
  test('is the link and the address, and that one click is enough', async () => {
    const { id, token } = await enrolled()
    assert.deepEqual(out.headers(server.a.org, LISTENS, { id }), {
      'List-Unsubscribe': `<https://crm.acme.example/unsubscribe/${token}>, <mailto:sales@acme.example?subject=unsubscribe%20${token}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
    assert.equal(out.url(server.a.org, { id }), `https://crm.acme.example/unsubscribe/${token}`)
    assert.match(token, /^[A-Za-z0-9_-]{64}$/)
  })

  test('is the link alone where the mailbox does not listen', async () => {
    const { id, token } = await enrolled()
    assert.deepEqual(out.headers(server.a.org, SILENT, { id }), {
      'List-Unsubscribe': `<https://crm.acme.example/unsubscribe/${token}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
  })

  test('is the address alone where the organisation cannot be reached', async () => {
    const { id, token } = await enrolled()
    baseUrl(null)
    assert.deepEqual(out.headers(server.a.org, LISTENS, { id }), {
      'List-Unsubscribe': `<mailto:sales@acme.example?subject=unsubscribe%20${token}>`,
    })
    assert.equal(out.url(server.a.org, { id }), null)
  })

  test('is nothing where nobody would hear of it', async () => {
    const { id } = await enrolled()
    baseUrl(null)
    assert.deepEqual(out.headers(server.a.org, SILENT, { id }), {})
  })

  test('promises one click by https only', async () => {
    const { id, token } = await enrolled()
    baseUrl('http://crm.acme.example:8081')
    assert.deepEqual(out.headers(server.a.org, SILENT, { id }), {
      'List-Unsubscribe': `<http://crm.acme.example:8081/unsubscribe/${token}>`,
    })
  })

  test('keeps the path of the address that the organisation is reached by, and nothing behind it', async () => {
    const { id, token } = await enrolled()
    for (const base of ['https://acme.example/crm', 'https://acme.example/crm/', 'https://ACME.example/crm//?a=1#b']) {
      baseUrl(base)
      assert.equal(out.url(server.a.org, { id }), `https://acme.example/crm/unsubscribe/${token}`)
    }
  })

  test('escapes what an address may have and a link may not', async () => {
    const { id } = await enrolled()
    baseUrl(null)
    for (const [address, written] of [
      ['a+b?c&d=%e,f@acme.example', 'a%2Bb%3Fc%26d%3D%25e%2Cf@acme.example'],
      ['"x, y"@acme.example', '%22x%2C%20y%22@acme.example'],
    ] as const) {
      const { 'List-Unsubscribe': header } = out.headers(server.a.org, { ...LISTENS, address }, { id })
      assert.ok(header?.startsWith(`<mailto:${written}?subject=`), String(header))
    }
  })
})

describe('a token', () => {
  test('is read as what it was made of', async () => {
    const { id, token } = await enrolled()
    assert.deepEqual(out.read(token), { org: server.a.org, enrollment_id: id })
  })

  test('is the same each time, and of each enrollment another', async () => {
    const [one, other] = [await enrolled(), await enrolled()]
    assert.equal(tokenOf(one.id), one.token)
    assert.notEqual(one.token, other.token)
  })

  test('works when it is years old, and its sequence is given up', async () => {
    const own = makeSequence(server, server.a).id
    const contact_id = await newContact()
    const token = tokenOf(enroll(server, server.a, own, { contact_id }))
    server.store.db.prepare("UPDATE sequences SET status = 'archived' WHERE id = ?").run(own)
    server.advance(10 * 365 * 86_400_000)
    assert.equal(unsubscribe(token), true)
    assert.notEqual((await contactOf(contact_id)).unsubscribed_at, null)
  })

  test('is none with any of its characters changed, added or left out', async () => {
    const { token } = await enrolled()
    const character = fc.constantFrom(...'ABCXYZabcxyz0189-_=+/. ')
    fc.assert(
      fc.property(fc.nat(token.length), fc.nat(2), character, (place, gone, put) => {
        const altered = token.slice(0, place) + put + token.slice(place + gone)
        assert.equal(out.read(altered) !== undefined, altered === token)
      }),
      { numRuns: 500 },
    )
    for (const other of ['', token.slice(1), `${token}A`, `${token}\n`, token.toLowerCase()])
      assert.equal(out.read(other), undefined)
  })

  test('is none of another data folder', async () => {
    const { token } = await enrolled()
    const folder = mkdtempSync(join(tmpdir(), 'dealbox-test-'))
    const foreign = unsubscribing({ ...server.deps, vault: vault(folder) })
    assert.equal(foreign.read(token), undefined)
    rmSync(folder, { recursive: true })
  })

  test('is none for an enrollment of another organisation', () => {
    const foreign = enroll(server, server.b, makeSequence(server, server.b).id)
    assert.equal(out.read(tokenOf(foreign, server.b))?.org, server.b.org)
    assert.equal(unsubscribe(tokenOf(foreign)), false)
    assert.equal(out.about(tokenOf(foreign)), undefined)
  })
})

describe('unsubscribing', () => {
  test('is noted on the contact, with its event by nobody, and stops what runs', async () => {
    const { token, contact_id, id } = await enrolled()
    const { lastSeq, events, now } = server
    const seq = lastSeq()
    assert.equal(unsubscribe(token), true)
    const contact = await contactOf(contact_id)
    assert.equal(contact.unsubscribed_at, new Date(now()).toISOString())
    assert.equal(contact.version, 2)
    const [updated, stopped, ...more] = events(seq)
    assert.deepEqual(more, [])
    assert.deepEqual([updated?.type, updated?.object, updated?.actor], ['contact.updated', contact, null])
    assert.deepEqual(updated?.changed_fields, ['unsubscribed_at'])
    assert.equal(stopped?.type, 'enrollment.stopped')
    const row = enrollmentRow(id)
    assert.deepEqual([row.status, row.stop_reason, row.unsubscribed_at], ['stopped', 'unsubscribe', now()])
  })

  test('again changes nothing', async () => {
    const { token, contact_id } = await enrolled()
    unsubscribe(token)
    const before = await contactOf(contact_id)
    const seq = server.lastSeq()
    server.advance(60_000)
    assert.equal(unsubscribe(token), true)
    assert.deepEqual(await contactOf(contact_id), before)
    assert.deepEqual(server.events(seq), [])
  })

  test('stops what the contact is in beside it', async () => {
    const { token, contact_id } = await enrolled()
    const other = enroll(server, server.a, makeSequence(server, server.a).id, { contact_id, status: 'paused' })
    unsubscribe(token)
    assert.equal(enrollmentRow(other).stop_reason, 'unsubscribe')
  })

  test('counts for the enrollment whose mail it was, also when that is over', async () => {
    const { token, contact_id, id } = await enrolled({ status: 'completed', finished_at: server.now() })
    const other = enroll(server, server.a, makeSequence(server, server.a).id, { contact_id, status: 'completed' })
    server.advance(86_400_000)
    unsubscribe(token)
    const row = enrollmentRow(id)
    assert.deepEqual([row.status, row.unsubscribed_at], ['completed', server.now()])
    assert.equal(enrollmentRow(other).unsubscribed_at, null)
    unsubscribe(tokenOf(other))
    assert.equal(enrollmentRow(other).unsubscribed_at, null)
  })

  test('is well for a contact that is gone', async () => {
    const { token, id, contact_id } = await enrolled()
    assert.equal((await server.call('DELETE', `/contacts/${contact_id}`)).status, 204)
    assert.equal(enrollmentRow(id).contact_id, null)
    const seq = server.lastSeq()
    assert.equal(unsubscribe(token), true)
    assert.deepEqual(out.about(token), { org_name: 'Acme', email: null })
    assert.deepEqual(server.events(seq), [])
  })

  test('is nothing for an enrollment that never was', () => {
    assert.equal(unsubscribe(tokenOf(server.store.clock.id())), false)
  })
})

describe('by mail', () => {
  test('the subject says it, in any case, also as an answer', async () => {
    for (const write of [
      (token: string) => `unsubscribe ${token}`,
      (token: string) => `Unsubscribe ${token}`,
      (token: string) => `Re: unsubscribe ${token}`,
      (token: string) => `AW: Re: UNSUBSCRIBE  ${token} `,
    ]) {
      const { token, contact_id } = await enrolled()
      assert.equal(fromSubject(write(token)), true, write(token))
      assert.notEqual((await contactOf(contact_id)).unsubscribed_at, null)
    }
  })

  test('another subject does not, nor one to another organisation', async () => {
    const { token, contact_id } = await enrolled()
    for (const subject of [
      '',
      'unsubscribe',
      token,
      `resubscribe ${token}`,
      `donotunsubscribe ${token}`,
      `unsubscribe${token}`,
      `unsubscribe ${token}x`,
      `unsubscribe ${'A'.repeat(64)}`,
    ])
      assert.equal(fromSubject(subject), false, subject)
    assert.equal(fromSubject(`unsubscribe ${token}`, server.b), false)
    assert.equal((await contactOf(contact_id)).unsubscribed_at, null)
  })
})
