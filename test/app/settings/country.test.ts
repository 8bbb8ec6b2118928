import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { applySettings, showSettings } from '../../../src/app/settings/document.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// What follows the country of an organisation: how a number without the code of a country is compared.

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

function settle(country: string | undefined): void {
  const { store, a } = server
  const { country: _, ...org } = showSettings(store, a.org).org
  applySettings(store as never, a.org, { org: { ...org, ...(country ? { country } : {}) } })
}

const made = async (last_name: string, line: string): Promise<[status: number, id: string]> => {
  const { status, body } = await server.call('POST', '/contacts', { last_name, custom_fields: { line } })
  return [status, body.id]
}

test('numbers that must be unique, and those that are asked for, are those of the country as it is now', async () => {
  const { call } = server
  settle('DE')
  const field = { object: 'contact', key: 'line', label: 'Line', type: 'phone', is_unique: true }
  assert.equal((await call('POST', '/custom-fields', field)).status, 201)
  const [, home] = await made('Home', '030 4839210')
  const [, abroad] = await made('Abroad', '+43 30 4839210')
  assert.equal((await made('Twice', '+49 30 4839210'))[0], 422)
  await call('PATCH', `/contacts/${home}`, { phones: [{ number: '030 4839210' }] })
  const found = async (number: string) =>
    (await call('GET', `/contacts?phone=${encodeURIComponent(number)}`)).body.data.map(({ id }: { id: string }) => id)
  assert.deepEqual(await found('+49 30 4839210'), [home])

  settle('AT')
  assert.deepEqual(await found('+49 30 4839210'), [])
  assert.deepEqual(await found('+43 30 4839210'), [home])
  // The number of Germany is free now. Two records have that of Austria: neither is lost, and no third one gets it.
  assert.equal((await made('Berlin', '+49 30 4839210'))[0], 201)
  assert.equal((await made('Third', '(030) 48 39 210'))[0], 422)
  for (const id of [home, abroad]) assert.equal((await call('GET', `/contacts/${id}`)).status, 200)

  settle(undefined) // that of the zone, which is Berlin's
  assert.equal((await made('Again', '030 4839210'))[0], 422)
})
