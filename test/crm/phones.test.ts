import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { orgSettings } from '../../src/app/settings/org.ts'
import { startServer, type TestServer } from '../support/server.ts'

// A number is found in any notation: by the country of the organisation, which that of its time zone is until it is set.

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const call = (method: string, path: string, body?: object) => server.call(method, path, body)

async function contactWith(...numbers: string[]): Promise<string> {
  const { status, body } = await call('POST', '/contacts', { phones: numbers.map((number) => ({ number })) })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

async function found(path: string): Promise<string[]> {
  const { status, body } = await call('GET', path)
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
  return body.data.map(({ id }: { id: string }) => id)
}

const NOTATIONS = ['0711 4839210', '+49 (0)711 / 48392-10', '+497114839210', '0049 711 4839210', '497114839210']

describe('a number', () => {
  test('is found by the filter and by search in any notation, whichever is stored', async () => {
    const ids = await Promise.all(NOTATIONS.map((number) => contactWith(number)))
    await contactWith('0711 48392101')
    await contactWith('+43 711 4839210')
    await contactWith('0711 4839210 Durchwahl 5')
    for (const asked of NOTATIONS) {
      assert.deepEqual((await found(`/contacts?phone=${encodeURIComponent(asked)}`)).sort(), ids.toSorted(), asked)
      const searched = await found(`/contacts?q=${encodeURIComponent(asked)}`)
      assert.ok(
        ids.every((id) => searched.includes(id)),
        asked,
      )
    }
  })

  test('is found among several of a record and of one text, in full width and as letters', async () => {
    const several = await contactWith('112', '0711 5550100 / 0160 5550100')
    const letters = await contactWith('+1 800 GO TRAIN')
    const wide = await contactWith('＋８１－３－５５５５－０１２３')
    assert.deepEqual(await found('/contacts?phone=%2B491605550100'), [several])
    assert.deepEqual(await found('/contacts?phone=%2B18004687246'), [letters])
    assert.deepEqual(await found('/contacts?q=18004687246'), [letters])
    assert.deepEqual(await found('/contacts?phone=%2B81355550123'), [wide])
  })

  test('of a company is found as well', async () => {
    const { body } = await call('POST', '/companies', { name: 'Depot', phone: '040 / 555 01-23' })
    assert.deepEqual(await found('/companies?phone=%2B49405550123'), [body.id])
    assert.deepEqual(await found('/companies?q=%2B49405550123'), [body.id])
  })

  test('is one of the country that is set', async () => {
    const { store, a } = server
    const { show, apply } = orgSettings(store)
    const id = await contactWith('01 70 18 99 00')
    assert.deepEqual(await found('/contacts?phone=%2B33170189900'), [])
    store.transaction(() => apply(a.org, { ...show(a.org), country: 'FR' }))
    assert.deepEqual(await found('/contacts?phone=%2B33170189900'), [id])
    assert.deepEqual(await found('/contacts?q=%2B33170189900'), [id])
    store.transaction(() => {
      const { country: _, ...rest } = show(a.org)
      apply(a.org, rest)
    })
    assert.deepEqual(await found('/contacts?phone=%2B33170189900'), [])
  })

  test('that is none is refused, also one with a plus that was not encoded', async () => {
    for (const given of ['ask%20Bob', '1', '+497114839210', '4.9E%2B11']) {
      const { status, body } = await call('GET', `/contacts?phone=${given}`)
      assert.equal(status, 400, given)
      assert.match(body.detail, /"phone" must be a phone number.*%2B/)
    }
  })
})

describe('a number in what was written', () => {
  test('is found in any notation, in notes, calls and tasks, and a day or a price is none', async () => {
    const contact_ids = [await contactWith('112')]
    const bodies = [
      'Fax: 0711 4839277',
      'She called from +49 (0)711 / 48392-77, Ben answered.',
      'Asked to be called at 07114839277.',
    ]
    const notes: string[] = []
    for (const body of bodies) notes.push((await call('POST', '/notes', { body, contact_ids })).body.id)
    const task = (await call('POST', '/tasks', { title: 'Call 0049 711 4839277', contact_ids })).body.id
    await call('POST', '/notes', { body: 'Not 0711 4839278', contact_ids })
    const day = (await call('POST', '/notes', { body: 'On 2026-11-29, or 29.11.2026: 1.250.000 EUR', contact_ids }))
      .body.id
    const asked = ['0711 4839277', '+49 711 4839277', '00497114839277', '+49 (0)711 / 48392-77']
    for (const number of asked) {
      const q = encodeURIComponent(number)
      assert.deepEqual((await found(`/notes?q=${q}`)).sort(), notes.toSorted(), number)
      assert.deepEqual(await found(`/tasks?q=${q}`), [task], number)
    }
    assert.deepEqual(await found('/notes?q=4839277').then((all) => all.length), 3)
    assert.deepEqual(await found('/notes?q=2026-11-29'), [day])
    assert.deepEqual(await found('/notes?q=261129'), [])
    await call('PATCH', `/notes/${notes[0]}`, { body: 'Fax: 0711 4839299' })
    assert.ok(!(await found('/notes?q=%2B497114839277')).includes(notes[0] as string))
    assert.deepEqual(await found('/notes?q=%2B497114839299'), [notes[0]])
  })
})
