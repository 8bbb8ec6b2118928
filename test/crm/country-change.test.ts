import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { applySettings, showSettings } from '../../src/app/settings/document.ts'
import { phoneKinds } from '../../src/crm/phones.ts'
import { schedulerHarness } from '../store/jobs/scheduler-harness.ts'
import { startServer, type TestServer } from '../support/server.ts'

// Numbers without the code of a country are of the country that the organisation has now, whenever they were stored.

let server: TestServer
let scheduler: ReturnType<typeof schedulerHarness>
before(async () => {
  server = await startServer()
  scheduler = schedulerHarness(server, { kinds: phoneKinds(server.deps) })
})
after(async () => {
  await scheduler.stop()
  await server.stop()
})

async function setCountry(country: string): Promise<void> {
  const { store, a } = server
  applySettings(store, a.org, { org: { ...showSettings(store, a.org).org, country } })
  for (let batches = 0; batches < 10; batches++) await scheduler.tick()
  assert.equal(store.db.prepare("SELECT count(*) FROM jobs WHERE kind = 'phones.index'").pluck().get(), 0)
}

async function make(path: string, body: object, expected = 201): Promise<string> {
  const { status, body: made, text } = await server.call('POST', path, body)
  assert.equal(status, expected, text)
  return made.id
}

const found = async (path: string): Promise<string[]> =>
  (await server.call('GET', path)).body.data.map(({ id }: { id: string }) => id)

test('a change of the country renews what is kept of phones, also where a country dials more than a 0 in front', async () => {
  await setCountry('US')
  for (const object of ['contact', 'company', 'deal'])
    await make('/custom-fields', { object, key: 'line', label: 'Line', type: 'phone', is_unique: true })
  // More than one batch.
  for (let n = 0; n < 120; n++) await make('/contacts', { last_name: `Other ${n}` })
  const phone = '030 4839210'
  const custom_fields = { line: phone }
  const contact = await make('/contacts', { last_name: 'Lund', phones: [{ number: phone }], custom_fields })
  const company = await make('/companies', { name: 'Fjord', phone, custom_fields })
  await make('/deals', { title: 'Boats', custom_fields })

  for (const [country, code, other] of [
    ['DE', '49', '43'],
    ['AT', '43', '49'],
  ] as const) {
    await setCountry(country)
    const [whole, wrong] = [code, other].map((each) => `+${each}304839210`) as [string, string]
    for (const asked of ['phone', 'q'])
      for (const [path, id] of [
        ['/contacts', contact],
        ['/companies', company],
      ] as const)
        assert.deepEqual(
          await found(`${path}?${asked}=${encodeURIComponent(whole)}`),
          [id],
          `${path} ${asked} ${country}`,
        )
    assert.deepEqual(await found(`/contacts?q=${encodeURIComponent(`+${code} 30 4839210`)}`), [contact])
    assert.deepEqual(await found(`/contacts?phone=${encodeURIComponent(wrong)}`), [])
    const twin = { custom_fields: { line: whole } }
    await make('/contacts', { last_name: 'Twin', ...twin }, 422)
    await make('/companies', { name: 'Twin', ...twin }, 422)
    await make('/deals', { title: 'Twin', ...twin }, 422)
  }
  // Within Argentina, a mobile has a 15 that is a 9 for others, so the digits in common are few.
  const mobile = '011 15 2345 6789'
  const rosa = await make('/contacts', { last_name: 'Rosa', phones: [{ number: mobile }] })
  const depot = await make('/companies', { name: 'Depot', phone: mobile })
  await setCountry('AR')
  for (const asked of ['phone', 'q']) {
    assert.deepEqual(await found(`/contacts?${asked}=${encodeURIComponent('+54 9 11 2345 6789')}`), [rosa])
    assert.deepEqual(await found(`/companies?${asked}=${encodeURIComponent('+54 9 11 2345 6789')}`), [depot])
  }
  // What was taken in the former country is free again.
  await make('/contacts', { last_name: 'Free', custom_fields: { line: '+49304839210' } })
})
