import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let tags: string[]
before(async () => {
  server = await startServer()
  tags = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => (await server.call('POST', '/tags', { name })).body.id),
  )
})
after(() => server.stop())

type Fields = Record<string, unknown>
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** JSON Merge Patch as RFC 7396 has it, word for word. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged: Fields = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = mergePatch(merged[name], value)
  }
  return merged
}

/** A record as RFC 7396 sees it: a field without a value is absent, and so is an object without any. */
function present(value: unknown): unknown {
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, each]) => [name, present(each)] as const)
  const some = members.filter(([, each]) => each !== null && !(isObject(each) && Object.keys(each).length === 0))
  return Object.fromEntries(some)
}

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3 })
const day = fc.constantFrom('2027-01-31', '2028-02-29')
const optional = { requiredKeys: [] }

/** Patches the record again and again; each answer has to be what the naive merge makes of the one before. */
async function check(path: string, record: Fields, patches: Fields[]): Promise<void> {
  let before = record
  for (const patch of patches) {
    const seq = server.lastSeq()
    server.advance(1)
    const { status, body } = await server.call('PATCH', `${path}/${record.id}`, patch)
    assert.equal(status, 200, JSON.stringify(body))
    const { updated_at, version, ...merged } = mergePatch(present(before), patch) as Fields
    const { updated_at: newTime, version: newVersion, ...answered } = present(body) as Fields
    // What follows from other fields is for the tests of the resources.
    const derived = path === '/contacts' ? { name: answered.name } : { stage_changed_at: answered.stage_changed_at }
    assert.deepEqual(answered, { ...(present(merged) as Fields), ...derived })
    const { updated_at: _, version: __, ...old } = present(before) as Fields
    const isChanged = JSON.stringify(sorted(old)) !== JSON.stringify(sorted(answered))
    assert.equal(newVersion, isChanged ? (version as number) + 1 : version)
    assert.equal(newTime !== updated_at, isChanged)
    assert.equal(server.lastSeq() - seq, isChanged ? 1 : 0)
    assert.deepEqual((await server.call('GET', `${path}/${record.id}`)).body, body)
    before = body
  }
}

const sorted = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((name) => [name, sorted(value[name])]),
      )
    : value

describe('a PATCH', () => {
  test('of a deal is a merge patch, and one that changes nothing writes nothing', async () => {
    const { a, call } = server
    const patch = fc.record(
      {
        title: fc.constantFrom('One', 'Two', 'é'),
        amount: orNull(fc.constantFrom(0, 1.5, 9000000000000)),
        currency: orNull(fc.constantFrom('EUR', 'USD')),
        owner_id: orNull(fc.constant(a.owner)),
        tag_ids: fc.uniqueArray(fc.nat(2)).map((some) => some.map((at) => tags[at])),
        expected_close_date: orNull(day),
        stage: fc.constantFrom(a.stages.qualified, a.stages.demo),
      },
      optional,
    )
    const property = fc.asyncProperty(fc.array(patch, { minLength: 1, maxLength: 6 }), async (patches) => {
      const { body } = await call('POST', '/deals', { title: 'One', amount: 1.5 })
      await check('/deals', body, patches)
    })
    await fc.assert(property, {
      numRuns: 40,
      examples: [[[{}, { title: 'One', amount: 1.5, currency: null }, { tag_ids: [] }]]],
    })
  })

  test('of a contact merges the address member by member, and replaces arrays whole', async () => {
    const patch = fc.record(
      {
        first_name: orNull(fc.constantFrom('Ana', 'Eva')),
        job_title: orNull(fc.constantFrom('CTO', '')),
        do_not_contact: fc.boolean(),
        tag_ids: fc.uniqueArray(fc.nat(2)).map((some) => some.map((at) => tags[at])),
        address: orNull(
          fc.record(
            {
              line1: orNull(fc.constantFrom('Main St 1', '')),
              city: orNull(fc.constantFrom('Łódź', 'Bonn')),
              country: orNull(fc.constantFrom('PL', 'DE')),
            },
            optional,
          ),
        ),
      },
      optional,
    )
    const property = fc.asyncProperty(fc.array(patch, { minLength: 1, maxLength: 6 }), async (patches) => {
      const { body } = await server.call('POST', '/contacts', { last_name: 'Ruiz' })
      await check('/contacts', body, patches)
    })
    await fc.assert(property, { numRuns: 40 })
  })
})
