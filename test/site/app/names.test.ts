import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordsOf, UNKNOWN } from '../../support/records.ts'
import { type Screens, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let screens: Screens
const { newContact, newCompany, newDeal } = recordsOf(() => server)
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
})
after(async () => {
  await screens.stop()
  await server.stop()
})

test('the names of records that others refer to come in one answer', async () => {
  const viewer = await screens.signedIn('viewer')
  const [contact, company, deal] = [await newContact(), await newCompany(), await newDeal()]
  const path = `/app/names?contacts=${contact.id},${UNKNOWN}&companies=${company.id}&deals=${deal.id}`
  assert.deepEqual((await viewer.call('GET', path)).body, {
    contacts: [{ id: contact.id, name: 'Ruiz', version: 1 }],
    companies: [{ id: company.id, name: 'Northwind', version: 1 }],
    deals: [{ id: deal.id, title: 'Rollout', stage: deal.stage, version: 1 }],
  })
  assert.deepEqual((await viewer.call('GET', '/app/names')).body, {})
  const many = Array.from({ length: 101 }, () => UNKNOWN).join(',')
  const refused = await viewer.call('GET', `/app/names?companies=${many}`)
  assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_query'])
  const stranger = await screens.signedIn('viewer', server.b)
  assert.deepEqual((await stranger.call('GET', path)).body, { contacts: [], companies: [], deals: [] })
})
