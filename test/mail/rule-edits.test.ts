import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { applySettings, showSettings } from '../../src/app/settings/document.ts'
import type { Mailbox } from '../../src/inbox/mailboxes/mailbox.ts'
import type { MailIn } from '../../src/lib/mail/mail.ts'
import { incomingStore } from '../../src/mail/incoming.ts'
import { type AppServer, startApp } from '../support/app-data.ts'
import { inboxOf } from '../support/inbox.ts'
import { mailIn, SUPPORT, setMailboxes } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'

// Rules that are changed on the screen, and their dry run.

let app: AppServer
let inbox: ReturnType<typeof inboxOf>
let support: Mailbox
let member: Row

before(async () => {
  app = await startApp()
  inbox = inboxOf(app)
  support = setMailboxes(app, [SUPPORT]).support as Mailbox
  member = app.store.db.prepare('SELECT id, email FROM members WHERE id = ?').get(app.ids.member) as Row
  await inbox.make('/tags', { name: 'Billing' })
})
after(() => app.stop())
beforeEach(() => void applySettings(app.store, app.a.org, { rules: [] }))

const list = async (): Promise<Row[]> => (await app.ok('viewer', 'GET', '/rules')).data
const add = (rule: Row): Promise<Row> => app.ok('admin', 'POST', '/rules', { do: { close: true }, ...rule })
/** As a page that has read that version. */
const asOf = async (version: number, method: string, path: string, body?: Row): Promise<Row> => {
  const { status, body: made, text } = await app.ask('admin', method, path, body, at(version))
  assert.ok(status < 300, text)
  return made
}
const names = async () => (await list()).map(({ name }) => name)
const document = () => showSettings(app.store, app.a.org).rules
const at = (version: number) => ({ 'If-Match': `"${version}"` })
const arrive = (given: Partial<MailIn>) =>
  app.store.write(() => {
    incomingStore(app.deps).take(app.a.org, support, mailIn(given), app.now())
    return app.store.db.prepare("SELECT max(id) FROM messages WHERE direction = 'inbound'").pluck().get() as string
  })

describe('a rule', () => {
  test('is added, changed and deleted one at a time, and the document says the same', async () => {
    const rule = {
      ...{ name: 'Große Rechnungen', when: { mailbox: 'support', subject: 'invoice' } },
      do: { assign: member.email, tags: ['Billing'], priority: 'high', answer: 'Thank you.' },
    }
    const made = await add(rule)
    assert.equal(made.key, 'grosse-rechnungen')
    assert.equal((await add({ name: 'Große  Rechnungen!' })).key, 'grosse-rechnungen-2')
    assert.equal((await add({ name: '发票' })).key, 'rule')
    assert.deepEqual(document()[0], { key: made.key, is_active: true, ...rule })
    const changed = await asOf(made.version, 'PATCH', `/rules/${made.id}`, { is_active: false, when: {} })
    assert.deepEqual([changed.version, changed.is_active, changed.when], [made.version + 1, false, {}])
    assert.deepEqual(document()[0], { key: made.key, is_active: false, ...rule, when: {} })
    await asOf(changed.version, 'DELETE', `/rules/${made.id}`, undefined)
    assert.deepEqual(await names(), ['Große  Rechnungen!', '发票'])
  })

  test('is refused for what the document is refused for, at its field, and nothing is left behind', async () => {
    for (const [rule, pointer, code] of [
      [{ name: ' ' }, '/name', 'empty'],
      [{ do: {} }, '/do', 'required'],
      [{ do: { answer: ' ' } }, '/do/answer', 'empty'],
      [{ do: { answer: 'I am {{sender.name}}' } }, '/do/answer', 'needs_member'],
      [{ do: { answer: '{{nothing}}' } }, '/do/answer', 'unknown_variable'],
      [{ do: { assign: 'nobody@acme.example' } }, '/do/assign', 'unknown_member'],
      [{ do: { tags: ['Nothing'] } }, '/do/tags/0', 'unknown_tag'],
      [{ when: { mailbox: 'nothing' } }, '/when/mailbox', 'unknown_mailbox'],
      [{ when: { from: 'nothing' } }, '/when/from', 'invalid_sender'],
      [{ when: { language: 'tlh' } }, '/when/language', 'invalid_choice'],
    ] as const) {
      const body = { name: 'Rule', do: { close: true }, ...rule }
      for (const path of ['/rules', '/rules/try']) {
        const refused = await app.ask('admin', 'POST', path, path === '/rules' ? body : { rule: body })
        const [found] = refused.body.errors as Row[]
        assert.ok(found?.pointer.endsWith(pointer), `${path} ${pointer} ${found?.pointer}`)
        assert.equal(found?.code, code)
      }
    }
    assert.deepEqual(await list(), [])
  })

  test('is changed by administrators alone, of their own organisation', async () => {
    const made = await add({ name: 'Mine' })
    const body = { name: 'Theirs', do: { close: true } }
    for (const who of ['member', 'viewer'] as const) {
      for (const [method, path, given] of [
        ['POST', '/rules', body],
        ['PATCH', `/rules/${made.id}`, { name: 'Theirs' }],
        ['PUT', `/rules/${made.id}/place`, { after_id: null }],
        ['DELETE', `/rules/${made.id}`, undefined],
      ] as const)
        assert.equal((await app.ask(who, method, path, given)).status, 403, `${who} ${method} ${path}`)
      assert.deepEqual((await app.ok(who, 'POST', '/rules/try', {})).data, [{ id: made.id, hits: [] }])
    }
    assert.deepEqual(await names(), ['Mine'])
  })

  test('that two change at once keeps the first change, and another rule is none of its business', async () => {
    const [first, second] = [await add({ name: 'First' }), await add({ name: 'Second' })]
    await asOf(first.version, 'PATCH', `/rules/${first.id}`, { name: 'Renamed' })
    const refused = await app.ask('owner', 'PATCH', `/rules/${first.id}`, { name: 'Lost' }, at(first.version))
    assert.deepEqual([refused.status, refused.body.code], [412, 'version_mismatch'])
    applySettings(app.store, app.a.org, { rules: document().map((rule) => ({ ...rule, name: `${rule.name}!` })) })
    assert.equal((await app.ask('owner', 'DELETE', `/rules/${second.id}`, undefined, at(second.version))).status, 412)
    const [one, other] = (await list()) as [Row, Row]
    // What is before it moves it, and is no change of it.
    await asOf(one.version, 'DELETE', `/rules/${one.id}`, undefined)
    await asOf(other.version, 'PATCH', `/rules/${other.id}`, { name: 'Kept' })
    assert.deepEqual(await names(), ['Kept'])
  })

  test('is put behind another one, which counts as its change alone', async () => {
    const [a, b, c] = [await add({ name: 'a' }), await add({ name: 'b' }), await add({ name: 'c' })]
    const place = (rule: Row, after_id: string | null, version = rule.version) =>
      app.ask('admin', 'PUT', `/rules/${rule.id}/place`, { after_id }, at(version))
    assert.equal((await place(c, null)).body.version, c.version + 1)
    assert.deepEqual(await names(), ['c', 'a', 'b'])
    assert.equal((await place(c, b.id)).status, 412)
    assert.equal((await place(a, b.id)).status, 200)
    assert.deepEqual(await names(), ['c', 'b', 'a'])
    assert.equal((await place(b, c.id)).body.version, b.version)
    const refused = await place(b, b.id)
    assert.deepEqual([refused.status, (refused.body.errors as Row[])[0]?.code], [422, 'unknown_rule'])
    assert.deepEqual(
      document().map(({ key }) => key),
      ['c', 'b', 'a'],
    )
  })

  test('that was deleted comes back as itself, where it was, and does not act again where it has acted', async () => {
    const [, rule] = [await add({ name: 'First' }), await add({ name: 'Prioritised', do: { priority: 'urgent' } })]
    await add({ name: 'Last' })
    const id = await arrive({})
    const conversation = (await inbox.get(`/messages/${id}`)).conversation_id
    await inbox.patch(conversation, { priority: 'low' })
    await app.ok('admin', 'DELETE', `/rules/${rule.id}`)
    const { id: own, key, version, created_at, updated_at, ...form } = rule
    const first = (await list())[0]
    const again = { ...form, after_id: first?.id, before: { id: own, key, version } }
    const back = await app.ok('admin', 'POST', '/rules', again)
    assert.deepEqual(
      [back.id, back.key, back.version, await names()],
      [own, key, version + 1, ['First', 'Prioritised', 'Last']],
    )
    await arrive({
      inReplyTo: [app.store.db.prepare('SELECT external_id FROM messages WHERE id = ?').pluck().get(id) as string],
    })
    assert.equal((await inbox.conversation(conversation)).priority, 'low')
    const twice = await app.ask('admin', 'POST', '/rules', again)
    assert.equal((twice.body.errors as Row[])[0]?.pointer, '/before/id')
  })

  test('is one of a hundred', async () => {
    const rules = Array.from({ length: 100 }, (_, at) => ({ key: `r${at}`, name: `Rule ${at}`, do: { close: true } }))
    applySettings(app.store, app.a.org, { rules })
    const refused = await app.ask('admin', 'POST', '/rules', { name: 'More', do: { close: true } })
    assert.equal((refused.body.errors as Row[])[0]?.code, 'too_many')
  })

  test('stays where it is when it is changed, and leaves the others as they are', async () => {
    const made = [await add({ name: 'a' }), await add({ name: 'b' }), await add({ name: 'c' })]
    const [, b] = made as [Row, Row, Row]
    await asOf(b.version, 'PATCH', `/rules/${b.id}`, { name: 'B', do: { tags: ['Billing'] } })
    assert.deepEqual(await names(), ['a', 'B', 'c'])
    assert.deepEqual(
      (await list()).map(({ version }) => version),
      [1, 2, 1],
    )
  })

  test('can be changed while another one has nothing left to do', async () => {
    const tag = await inbox.make('/tags', { name: 'Gone' })
    await add({ name: 'Tags', do: { tags: ['Gone'] } })
    const rule = await add({ name: 'Closes' })
    assert.equal((await app.call('DELETE', `/tags/${tag.id}`)).status, 204)
    assert.equal((await app.ask('admin', 'PATCH', `/rules/${rule.id}`, { name: 'Still closes' })).status, 200)
  })
})

describe('the dry run', () => {
  test('of a rule that is not saved tries it in its place, and changes nothing', async () => {
    await arrive({ subject: 'Invoice 1', from: { email: 'one@shop.example', name: null } })
    await arrive({ subject: 'Delivery', from: { email: 'two@shop.example', name: null } })
    const first = await add({ name: 'Answers all', do: { answer: 'Thank you.' } })
    const before = [document(), app.lastSeq()]
    const rule = { name: 'Invoices', when: { subject: 'INVOICE' }, do: { answer: 'We pay.' } }
    const hitsOf = async (given: Row) => {
      const { looked, data } = await app.ok('viewer', 'POST', '/rules/try', given)
      assert.ok(looked >= 2)
      return data[0].hits
        .filter(({ from }: Row) => /^(one|two)@/.test(from))
        .map(({ subject, silence }: Row) => [subject, silence])
    }
    // As the last one it would come second, as the first one's successor it answers.
    assert.deepEqual(await hitsOf({ rule }), [['Invoice 1', 'often']])
    assert.deepEqual(await hitsOf({ rule, id: first.id }), [['Invoice 1', null]])
    assert.deepEqual(await hitsOf({ rule: { ...rule, is_active: false }, id: first.id }), [['Invoice 1', null]])
    assert.deepEqual([document(), app.lastSeq()], before)
  })
})
