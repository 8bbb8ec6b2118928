import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { tagStore } from '../../src/crm/tags.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const newTag = async (given: Record<string, unknown>) => (await server.call('POST', '/tags', given)).body

describe('a tag', () => {
  test('is created with its event, and keeps what it was given', async () => {
    const { call, events, lastSeq } = server
    const seq = lastSeq()
    const given = { name: 'Enterprise', color: '#1f6feb', description: 'More than 250 seats' }
    const { status, body, headers } = await call('POST', '/tags', given)
    assert.equal(status, 201)
    assert.deepEqual({ ...body, ...given }, body)
    assert.equal(headers.get('location'), `/api/v1/tags/${body.id}`)
    const [event, ...more] = events(seq)
    assert.deepEqual([event?.type, event?.object, more], ['tag.created', body, []])
  })

  for (const name of ['LEAD', ' lead ', 'Lead', 'STRASSE']) {
    test(`"${name}" is taken without case`, async () => {
      const { call, lastSeq } = server
      const [lead, street] = await Promise.all(['lead', 'straße'].map((each) => call('POST', '/tags', { name: each })))
      const seq = lastSeq()
      const { status, body } = await call('POST', '/tags', { name })
      assert.deepEqual([status, body.code], [409, 'duplicate'])
      if (lead?.status === 201) assert.ok([lead.body.id, street?.body.id].includes(body.duplicate_id))
      assert.equal(lastSeq(), seq)
    })
  }

  test('can have its own name again, in another case', async () => {
    const tag = await newTag({ name: 'renewal' })
    assert.equal((await server.call('PATCH', `/tags/${tag.id}`, { name: 'Renewal' })).body.name, 'Renewal')
  })

  test('cannot be given the name of another', async () => {
    await newTag({ name: 'taken' })
    const tag = await newTag({ name: 'free' })
    assert.equal((await server.call('PATCH', `/tags/${tag.id}`, { name: 'TAKEN' })).status, 409)
  })

  for (const [what, given, pointer] of [
    ['an empty name', { name: ' ' }, '/name'],
    ['a color that is none', { name: 'x', color: 'red' }, '/color'],
    ['a color in upper case', { name: 'x', color: '#FFAA00' }, '/color'],
  ] as const) {
    test(`with ${what} is refused`, async () => {
      const { status, body } = await server.call('POST', '/tags', given)
      assert.deepEqual([status, body.errors[0].pointer], [422, pointer])
    })
  }

  test('is taken off every record when it is deleted, with one event', async () => {
    const { call, events, lastSeq } = server
    const [gone, stays] = [await newTag({ name: 'gone' }), await newTag({ name: 'stays' })]
    const tag_ids = [stays.id, gone.id]
    const paths = await Promise.all(
      (
        [
          ['/deals', { title: 'x' }],
          ['/contacts', { last_name: 'x' }],
          ['/companies', { name: 'x' }],
        ] as const
      ).map(async ([path, given]) => `${path}/${(await call('POST', path, { ...given, tag_ids })).body.id}`),
    )
    const seq = lastSeq()
    assert.equal((await call('DELETE', `/tags/${gone.id}`)).status, 204)
    assert.deepEqual(
      events(seq).map(({ type, object }) => [type, object.id]),
      [['tag.deleted', gone.id]],
    )
    for (const path of paths) {
      const { body, headers } = await call('GET', path)
      assert.deepEqual([body.tag_ids, body.version, headers.get('etag')], [[stays.id], 2, '"2"'])
    }
    assert.equal((await call('GET', `/tags/${gone.id}`)).status, 404)
    assert.deepEqual((await call('GET', `/deals?tag_id=${gone.id}`)).body.data, [])
    assert.equal((await call('GET', `/deals?tag_id=${stays.id}`)).body.data.length, 1)
  })
})

describe('settings that the interface reads', () => {
  test('stages come with the default pipeline first, then by position', async () => {
    const { a, call } = server
    const { body } = await call('GET', '/stages')
    assert.deepEqual(
      body.data.map((stage: Record<string, unknown>) => [stage.pipeline_is_default, stage.position]),
      [true, false].flatMap((isDefault) => [0, 1, 2, 3, 4].map((position) => [isDefault, position])),
    )
    assert.equal(body.data[0].id, a.stages.qualified)
    const open = (await call('GET', `/stages?is_open=true&pipeline_id=${a.pipelines.partners}`)).body.data
    assert.deepEqual(
      open.map(({ pipeline_name, outcome }: Record<string, unknown>) => [pipeline_name, outcome]),
      Array(3).fill(['partners', null]),
    )
    assert.equal((await call('GET', `/stages/${a.stages.won}`)).body.outcome, 'won')
  })

  test('close reasons come by position, the active ones unless all are asked for', async () => {
    const names = async (query: string) =>
      (await server.call('GET', `/close-reasons${query}`)).body.data.map(({ name }: { name: string }) => name)
    assert.deepEqual(await names(''), ['fit', 'price'])
    assert.deepEqual(await names('?include_inactive=false'), ['fit', 'price'])
    assert.deepEqual(await names('?include_inactive=true'), ['fit', 'price', 'old'])
  })

  test('members stay readable when they are deactivated, and are found by email without case', async () => {
    const { a, call } = server
    assert.equal((await call('GET', `/members/${a.deactivated}`)).body.status, 'deactivated')
    const ids = async (query: string) =>
      (await call('GET', `/members?${query}`)).body.data.map(({ id }: { id: string }) => id)
    assert.deepEqual(await ids('email=ANA@acme.example'), [a.owner])
    assert.deepEqual(await ids('status=deactivated'), [a.deactivated])
    assert.deepEqual(await ids('role=owner'), [a.owner])
  })
})

test('an import or a route that passes flags does not make them fields of a tag', () => {
  const { store, deps, a } = server
  const create = tagStore(deps).create as (...given: unknown[]) => Record<string, unknown>
  const who = { org: a.org, member: null }
  const tag = store.transaction(() => create(who, { name: 'Flagged' }, { allow_duplicate: true }))
  assert.equal('allow_duplicate' in tag, false)
})
