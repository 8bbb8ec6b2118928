import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { passwordFault } from '../../../src/auth/password-rules.ts'
import {
  addressForOthers,
  apiUrlFor,
  hostCheck,
  machineAddresses,
  parseHosts,
} from '../../../src/http/listener/hosts.ts'
import { openStore } from '../../../src/store/open.ts'
import { publicUrlsWith } from '../../../src/store/orgs/orgs.ts'
import { cliJson, temporaryFolder } from '../../cli/command-line.ts'
import { httpClient } from '../../support/client.ts'
import { makeOrg } from '../../support/org.ts'
import { serve } from '../../support/served.ts'

/** Whether a check lets a request with this name pass. */
const knownTo =
  (check: ReturnType<typeof hostCheck>) =>
  (host: string): boolean => {
    try {
      check({ socket: new Socket(), headers: { host } })
      return true
    } catch {
      return false
    }
  }

describe('the names of a server', () => {
  const isKnown = (listen: string, host: string | undefined): boolean => {
    try {
      hostCheck({ listen, added: [], publicUrls: () => [] })({ socket: new Socket(), headers: { host } })
      return true
    } catch {
      return false
    }
  }

  test('have the addresses of its machine if it listens on all of them, and its own one if on one', () => {
    const [address] = machineAddresses()
    const shown = address?.includes(':') ? `[${address}]` : address
    if (address !== undefined) {
      for (const everywhere of ['0.0.0.0', '::']) assert.ok(isKnown(everywhere, `${shown}:8081`))
      assert.equal(isKnown('127.0.0.1', shown), false)
    }
    assert.ok(isKnown('192.168.7.7', '192.168.7.7:8081'))
    assert.ok(isKnown('fd00::7', '[fd00::7]:8081'))
    for (const listen of ['0.0.0.0', '192.168.7.7']) assert.equal(isKnown(listen, '192.168.7.8'), false)
    assert.equal(isKnown('0.0.0.0', undefined), false)
  })

  test('are added as host names, and nothing else', () => {
    assert.deepEqual(parseHosts(' CRM.example.com, crm ,'), ['crm.example.com', 'crm'])
    for (const wrong of ['http://crm.example.com', 'crm.example.com:80', '*', 'a b'])
      assert.throws(() => parseHosts(wrong), { code: 'usage' }, wrong)
  })

  test('are those of the organisations: a new one at once, and one that was removed for five seconds', () => {
    let urls = ['https://a.example', 'https://longa.example/api']
    let looks = 0
    let ms = 0
    const publicUrls = (part: string) => {
      looks++
      return urls.filter((url) => url.includes(part))
    }
    const check = hostCheck({ listen: '127.0.0.1', added: [], publicUrls, now: () => ms })
    const isKnownNow = knownTo(check)
    for (let request = 0; request < 100; request++) assert.ok(isKnownNow('a.example:8081'))
    assert.equal(looks, 1)
    for (const foreign of ['ga.example', 'a.exampl', 'b.example']) assert.equal(isKnownNow(foreign), false)
    urls = ['https://b.example']
    assert.ok(isKnownNow('b.example') && isKnownNow('a.example'))
    ms += 5000
    assert.equal(isKnownNow('a.example'), false)
    assert.ok(isKnownNow('b.example'))
  })

  test('are the host names of "org host": a new one at once, and one that was taken away for five seconds', async () => {
    const data = join(temporaryFolder(), 'data')
    const store = openStore(data, { create: true })
    const { id, token } = await makeOrg(store, data, 'Acme')
    const server = await serve(data, token, { host: 'crm.example.com' })
    let ms = 0
    const check = hostCheck({ listen: '127.0.0.1', added: [], publicUrls: publicUrlsWith(store.db), now: () => ms })
    const isKnownNow = knownTo(check)
    /** How the API and the screens answer to a name. */
    const answers = async (host: string): Promise<unknown[]> => {
      const asked = { method: 'GET', headers: { host, authorization: `Bearer ${token}` }, body: undefined }
      const [api, screens] = [`${server.api}/api/v1/deals`, `${server.screens}/`].map((url) => client.send(url, asked))
      return [(await api)?.status, (await screens)?.status]
    }
    const give = (host: string) => cliJson('org', 'host', id, host, '--data', data)
    const client = httpClient()
    try {
      assert.equal(isKnownNow('acme.example.com'), false)
      assert.deepEqual(await answers('acme.example.com'), [421, 421])
      await give('Acme.example.com')
      assert.equal(isKnownNow('acme.example.com:443'), true)
      assert.deepEqual(await answers('acme.example.com'), [200, 200])
      await give('other.example.com')
      assert.deepEqual(await answers('other.example.com'), [200, 200])
      ms += 4999
      assert.ok(isKnownNow('other.example.com') && isKnownNow('acme.example.com'))
      ms += 1
      assert.equal(isKnownNow('acme.example.com'), false)
      await give('none')
      assert.equal(isKnownNow('other.example.com'), true)
      ms += 5000
      assert.equal(isKnownNow('other.example.com'), false)
    } finally {
      client.stop()
      await server.stop()
      store.close()
    }
  })

  test('in a link for others are those that they can open, as far as there are any', () => {
    const local = 'http://localhost:8081'
    assert.equal(addressForOthers('http://10.0.0.1:8081', '0.0.0.0', []), 'http://10.0.0.1:8081')
    assert.equal(addressForOthers(local, '127.0.0.1', []), local)
    assert.equal(addressForOthers(local, '127.0.0.1', ['https://crm.example/']), 'https://crm.example')
    assert.equal(addressForOthers(local, '127.0.0.1', ['https://example.com/mail/']), local)
    const [address] = machineAddresses()
    if (address && !address.includes(':'))
      assert.equal(addressForOthers(local, '0.0.0.0', []), `http://${address}:8081`)
  })

  test('lead to the API where it listens, and by the name of the page where it listens everywhere', () => {
    assert.equal(apiUrlFor('http://127.0.0.1:8080', 'https://crm.example'), 'http://127.0.0.1:8080')
    assert.equal(apiUrlFor('http://192.168.7.7:80', 'https://crm.example'), 'http://192.168.7.7')
    for (const everywhere of ['0.0.0.0', '[::]']) {
      const url = `http://${everywhere}:8080`
      assert.equal(apiUrlFor(url, 'https://crm.example:8443'), 'http://crm.example:8080')
      assert.equal(apiUrlFor(url, 'http://[fd00::7]:8081'), 'http://[fd00::7]:8080')
      assert.equal(apiUrlFor(url, undefined), 'http://localhost:8080')
    }
  })
})

test('a password is refused for what everybody tries first, and for nothing else', () => {
  const faultOf = (password: string) =>
    passwordFault('/password', password, { org: 'Tarn Instruments', email: 'jo@tarn.example' })?.code
  for (const [password, code] of [
    ['elevenchars', 'too_short'],
    ['twelve chars', undefined],
    ['é'.normalize('NFD').repeat(11), 'too_short'],
    [`${'ab c'.repeat(2)}dé${'x'.repeat(118)}`, undefined],
    ['x y z'.repeat(26), 'too_long'],
    ['123456789012', 'too_common'],
    ['Password!2026', 'too_common'],
    ['2026 Sommer 2026', 'too_common'],
    ['sunshine sunshine', 'too_common'],
    ['aaaabbbbcccc', 'too_common'],
    ['xyz-xyz-xyz-', 'too_common'],
    ['TarnInstruments1', 'too_personal'],
    ['Tärn is my employer', 'too_personal'],
    ['jo@tarn.example', 'too_personal'],
    ['a joke about jo', undefined],
    ['winter comes early', undefined],
    ['пароль из слов', undefined],
    ['密码密码密码密码密码密码', 'too_common'],
    ['with a \0 in it', 'invalid_text'],
  ] as const)
    assert.equal(faultOf(password), code, password)
})
