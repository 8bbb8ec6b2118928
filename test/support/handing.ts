import assert from 'node:assert/strict'
import type { Role } from '../../src/auth/roles.ts'
import { memberSettings } from '../../src/crm/members/settings.ts'
import { silentLog } from '../../src/lib/log.ts'
import { screensKinds } from '../../src/site/app/jobs.ts'
import { jobQueue } from '../../src/store/jobs/jobs.ts'
import type { AppServer, Person } from './app-data.ts'
import { insertConversation } from './conversation.ts'
import { enroll, makeSequence } from './enrolled.ts'
import type { Row } from './records.ts'

/** Members who hand over, what they have, and the job that does it, one batch after the other. */
export function handing(app: () => AppServer) {
  let members = 0

  function newMember(role: Role = 'member', name = `M${++members}`): Row {
    const { store, a } = app()
    const email = `${name.toLowerCase().replace(/\W/g, '')}${++members}@people.example`
    return store.transaction(() => memberSettings(store).add(a.org, { email, name, role }))
  }

  /** Something of each kind, open and finished. */
  async function giveWork(owner_id: string): Promise<{ [kind: string]: string[] }> {
    const { newDeal, newRecord, newContact, newCompany, call, store, a } = app()
    const deals = [await newDeal({ title: 'One', owner_id }), await newDeal({ title: 'Two', owner_id })]
    const won = await newDeal({ title: 'Won', owner_id })
    await call('POST', `/deals/${won.id}/close`, { reason_id: a.reasons.won })
    const task = await newRecord('/tasks', { title: 'Call', owner_id })
    const done = await newRecord('/tasks', { title: 'Done', owner_id })
    await call('PATCH', `/tasks/${done.id}`, { status: 'done' })
    const contact = await newContact({ owner_id })
    const company = await newCompany({ owner_id })
    const talk = insertConversation(store, a.org, { subject: 'Offer', owner_id })
    const closed = insertConversation(store, a.org, { status: 'closed', closed_at: store.clock.now(), owner_id })
    const times = { starts_at: '2027-01-01T09:00:00Z', ends_at: '2027-01-01T10:00:00Z' }
    const meeting = await newRecord('/meetings', { title: 'Demo', owner_id, ...times })
    const list = await newRecord('/lists', { name: 'Mine', object: 'deal', kind: 'static', owner_id })
    const sequence = makeSequence(app(), a).id
    const enrollment = enroll(app(), a, sequence, { contact_id: contact.id, sender_id: owner_id })
    const [shared, own] = [newView(owner_id, 1), newView(owner_id, 0)]
    return {
      deals: deals.map(({ id }) => id),
      tasks: [task.id],
      contacts: [contact.id],
      companies: [company.id],
      conversations: [talk],
      meetings: [meeting.id],
      enrollments: [enrollment],
      lists: [list.id],
      views: [shared],
      finished: [won.id, done.id, closed],
      private: [own],
    }
  }

  function newView(owner_id: string, is_shared: 0 | 1): string {
    const { store, a } = app()
    const id = store.clock.id()
    store.db
      .prepare(
        `INSERT INTO views (org_id, id, object, name, shape, is_shared, owner_id, query, position, created_at, updated_at, version)
         VALUES (?, ?, 'deals', 'V', 'board', ?, ?, '{}', 0, 0, 0, 1)`,
      )
      .run(a.org, id, is_shared, owner_id)
    return id
  }

  /** Who has a record now. */
  function holder(kind: string, id: string): string | null {
    const column = kind === 'enrollments' ? 'sender_id' : 'owner_id'
    return app().store.db.prepare(`SELECT ${column} FROM ${kind} WHERE id = ?`).pluck().get(id) as string | null
  }
  const holders = (kind: string, ids: readonly string[] = []) => ids.map((id) => holder(kind, id))

  /** Runs one batch, as the scheduler does. Returns false if none is due. */
  function step(): boolean {
    const { store, deps } = app()
    const jobs = jobQueue(store)
    return store.transaction(() => {
      for (const kind of screensKinds(deps)) {
        const [due] = jobs.due(kind.kind, 1)
        const job = due && jobs.take(due.org, due.id)
        if (!job) continue
        kind.run(job, { store, log: silentLog })
        return true
      }
      return false
    })
  }

  const ask = (person: Person, from: string, given: object) =>
    app().ask(person, 'POST', `/members/${from}/hand-over`, given)

  async function start(person: Person, from: string, given: object): Promise<string> {
    const { status, body, text } = await ask(person, from, given)
    assert.equal(status, 202, text)
    return body.id
  }

  /** Hands over to the end, and returns how it went. */
  async function handOver(person: Person, from: string, given: object): Promise<Row> {
    const id = await start(person, from, given)
    while (step());
    return app().ok(person, 'GET', `/bulk/${id}`)
  }

  async function undo(person: Person, id: string): Promise<Row> {
    await app().ok(person, 'POST', `/bulk/${id}/undo`)
    while (step());
    return app().ok(person, 'GET', `/bulk/${id}`)
  }

  const statusOf = (id: string) => app().store.db.prepare('SELECT status FROM members WHERE id = ?').pluck().get(id)
  const awayOf = async (id: string): Promise<string | undefined> => (await app().ok('viewer', 'GET', '/boot')).away[id]

  return { newMember, giveWork, holder, holders, step, ask, start, handOver, undo, statusOf, awayOf }
}

/** Everything to one or several members. */
export const allTo = (...ids: string[]): { [kind: string]: string[] } =>
  Object.fromEntries(
    ['deals', 'tasks', 'contacts', 'companies', 'conversations', 'meetings', 'enrollments', 'lists', 'views'].map(
      (kind) => [kind, ids],
    ),
  )

/** One record takes so long that each batch has two. */
export function twoInABatch(t: {
  mock: { method: (object: object, name: 'now', run: () => number) => unknown }
}): void {
  let now = 0
  t.mock.method(performance, 'now', () => (now += 18))
}
