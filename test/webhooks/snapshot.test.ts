import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { resourceDeps } from '../../src/app/deps.ts'
import { tagStore } from '../../src/crm/tags.ts'
import { openStore } from '../../src/store/open.ts'
import { makeOrg, type Org } from '../support/org.ts'
import type { Row } from '../support/records.ts'
import { examples } from '../support/seed.ts'
import { startServer, type TestServer } from '../support/server.ts'

// Who reads all pages while others write, and then the stream from the smallest Dealbox-Seq of the pages, has the database.

let server: TestServer
let other: ReturnType<typeof openStore>
/** Each example has its own. */
let org: Org
let orgs = 0
before(async () => {
  server = await startServer()
  other = openStore(server.dataDir)
})
after(async () => {
  other.close()
  await server.stop()
})

const KINDS = ['company', 'contact', 'deal', 'task', 'note', 'tag'] as const
type Kind = (typeof KINDS)[number]
const PATHS: Record<Kind, string> = {
  ...{ company: '/companies', contact: '/contacts', deal: '/deals', task: '/tasks', note: '/notes', tag: '/tags' },
}
const CREATES: Record<Kind, (text: string, of: Known) => object> = {
  company: (name) => ({ name }),
  contact: (last_name, of) => ({ last_name, company_id: of('company'), tag_ids: of('tag') ? [of('tag')] : [] }),
  deal: (title, of) => ({ title, company_id: of('company'), tag_ids: of('tag') ? [of('tag')] : [] }),
  task: (title, of) => ({ title, deal_id: of('deal') }),
  note: (body, of) => ({ body, contact_ids: of('contact') ? [of('contact')] : [] }),
  tag: (name) => ({ name }),
}
const TEXT: Record<Kind, string> = {
  company: 'name',
  contact: 'last_name',
  deal: 'title',
  task: 'title',
  note: 'body',
  tag: 'name',
}

/** The id of a record that was there a moment ago. */
type Known = (kind: Kind) => string | null

type Step = { kind: Kind; pick: number } & { what: 'create' | 'change' | 'delete' | 'close' | 'elsewhere' | 'read' }
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  pick: fc.nat(100),
  what: fc.constantFrom('create', 'create', 'change', 'change', 'delete', 'close', 'elsewhere', 'read', 'read', 'read'),
})

const send = (method: string, path: string, body?: object) => server.call(method, path, body, { token: org.token })
const get = async (path: string) => {
  const { status, body, headers, text } = await send('GET', path)
  assert.equal(status, 200, text)
  return { body, seq: Number(headers.get('dealbox-seq')) }
}

/** All records of all kinds, by kind and id. */
type Copy = Map<string, Row>
const nameOf = (kind: string, id: string): string => `${kind} ${id}`

/** Reads the pages of all kinds one by one: `next` reads one more, and answers whether there was one. */
function snapshot(limit: number) {
  const copy: Copy = new Map()
  const left = KINDS.map((kind) => ({ kind, cursor: '' }))
  let seq = Number.POSITIVE_INFINITY

  async function next(pick: number): Promise<boolean> {
    const at = left.length === 0 ? -1 : pick % left.length
    const [walk] = at < 0 ? [] : left.splice(at, 1)
    if (!walk) return false
    const page = await get(`${PATHS[walk.kind]}?limit=${limit}${walk.cursor}`)
    seq = Math.min(seq, page.seq)
    for (const row of page.body.data) copy.set(nameOf(walk.kind, row.id), row)
    if (page.body.next_cursor) left.push({ ...walk, cursor: `&cursor=${page.body.next_cursor}` })
    return true
  }

  return { copy, next, seq: () => seq }
}

/** Brings a copy up to date by the stream, as docs/webhooks.md says. */
async function follow(copy: Copy, from: number): Promise<void> {
  for (let after = from, more = true; more; ) {
    const { body } = await get(`/webhooks/events?after_seq=${after}&limit=7`)
    for (const { type, data } of body.data) {
      const [kind, what] = type.split('.')
      const name = nameOf(kind, data.object.id)
      if (type === 'tag.deleted') untag(copy, data.object.id)
      if (what === 'deleted') copy.delete(name)
      else if (data.object.version > (copy.get(name)?.version ?? 0)) copy.set(name, data.object)
    }
    after = body.last_seq
    more = body.next_cursor !== null
  }
}

let texts = 0

/** The event of the tag is the only one, for all records that had it. */
function untag(copy: Copy, tag: string): void {
  for (const [name, row] of copy) {
    if (!row.tag_ids?.includes(tag)) continue
    copy.set(name, { ...row, tag_ids: row.tag_ids.filter((id: string) => id !== tag), version: row.version + 1 })
  }
}

/** Does something to a record, most often to one that was read already; that it may be gone by then, or closed already, does not matter. */
async function write({ what, kind, pick }: Step, made: Map<Kind, string[]>, copy: Copy): Promise<void> {
  const of: Known = (kind) => made.get(kind)?.at(-1) ?? null
  const isRead = (id: string) => copy.has(nameOf(kind, id))
  const ids = (made.get(kind) ?? []).toSorted((one, two) => Number(isRead(two)) - Number(isRead(one)))
  const path = `${PATHS[kind]}/${ids[(pick * pick) % Math.max(1, ids.length)]}`
  const text = `${kind} ${pick} ${++texts}`
  const note = (kind: Kind, id: string | undefined) => id && made.set(kind, [...(made.get(kind) ?? []), id])
  if (what === 'elsewhere') {
    const { create } = tagStore(resourceDeps(other))
    note('tag', other.transaction(() => create({ org: org.org, member: null }, { name: text })).id)
  } else if (what === 'create') note(kind, (await send('POST', PATHS[kind], CREATES[kind](text, of))).body?.id)
  else if (ids.length === 0) return
  else if (what === 'change') await send('PATCH', path, { [TEXT[kind]]: text })
  else if (what === 'delete') await send('DELETE', path)
  else if (kind === 'deal') await send('POST', `${path}/close`, { reason_id: org.reasons.won })
}

test('pages that are read while others write, and the stream from their smallest number, are the database', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 8, maxLength: 25 }),
      fc.integer({ min: 1, max: 4 }),
      async (turns, limit) => {
        org = await makeOrg(server.store, server.dataDir, `Org${++orgs}`)
        const made = new Map<Kind, string[]>()
        const reader = snapshot(limit)
        const { copy, next } = reader
        for (const kind of KINDS) await write({ what: 'create', kind, pick: 0 }, made, copy)
        for (const turn of turns)
          await Promise.all(turn.map((each) => (each.what === 'read' ? next(each.pick) : write(each, made, copy))))
        while (await next(0)) await write({ what: 'change', kind: 'deal', pick: 0 }, made, copy)
        await follow(copy, reader.seq())
        const whole = snapshot(100)
        while (await whole.next(0));
        assert.deepEqual(sorted(copy), sorted(whole.copy))
      },
    ),
    { numRuns: examples(60) },
  )
})

const sorted = (copy: Copy): [string, Row][] => [...copy].sort(([one], [other]) => (one < other ? -1 : 1))
