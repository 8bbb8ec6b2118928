import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { applySettings, showSettings } from '../../../src/app/settings/document.ts'
import { page } from '../../../src/web/data/boot.ts'
import { keepBoot } from '../../../src/web/data/refresh-boot.ts'
import type { SignedIn as Boot } from '../../../src/web/data/types.ts'
import { recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { clientOf } from './support/clients.ts'

// Settings that change while a page is open.

let server: TestServer
let screens: Screens
let ana: SignedIn
let client: ReturnType<typeof clientOf>
const { newDeal, patchRecord } = recordsOf(() => server)
const boot = () => page.value as Boot

before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  ana = await screens.signedIn('member')
  page.value = (await ana.call('GET', '/app/boot')).body
  client = clientOf(screens, ana)
  keepBoot(client.own)
  client.start(boot().seq)
  await until(() => client.build.value !== undefined, 'the hello of the stream')
})
after(async () => {
  client.stop()
  await screens.stop()
  await server.stop()
})

test('a stage and a member are known once a record has them; what stays as it was is not drawn anew', async () => {
  const deal = await newDeal()
  const { store, a } = server
  const settings = showSettings(store, a.org)
  const [first, ...more] = settings.pipelines as [(typeof settings.pipelines)[number]]
  const stages = [{ key: 'trial', name: 'On trial', probability: 60 }, ...first.stages]
  store.transaction(() =>
    applySettings(store, a.org, {
      pipelines: [{ ...first, stages }, ...more],
      members: [...settings.members, { email: 'new@acme.example', name: 'Nadia New', role: 'member' }],
    }),
  )
  client.advance(60_000)
  const { pipelines, close_reasons, org } = boot()
  const { body: now } = await ana.call('GET', '/app/boot')
  const stage = (now as Boot).stages.find(({ name }) => name === 'On trial')
  const member = (now as Boot).members.find(({ name }) => name === 'Nadia New')
  assert.ok(stage && member)

  await patchRecord(`/deals/${deal.id}`, { stage: stage.id, owner_id: member.id })
  await until(() => client.seq() > boot().seq && client.seq() >= now.seq + 1, 'the event of the move')
  client.advance(5000)
  await until(() => boot().stages.some(({ id }) => id === stage.id), 'the stage')
  assert.ok(boot().members.some(({ id }) => id === member.id))
  assert.equal(boot().pipelines, pipelines)
  assert.equal(boot().close_reasons, close_reasons)
  assert.equal(boot().org, org)
})
