import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Problem } from '../../../src/lib/problem.ts'
import { type Monitoring, noMonitoring } from '../../../src/ops/monitoring/metrics.ts'
import { type MonitorSettings, readMonitors } from '../../../src/ops/monitoring/monitors.ts'
import { cli } from '../../cli/command-line.ts'
import { type Screens, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const TOKEN = 'c2VjcmV0IG9mIHRoZSBzY3JhcGVy'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(async () => {
  await server.stop()
})

type Asked = { from?: string; headers?: Record<string, string> }

/** The answer to a request from an address of this machine. */
async function ask(screens: Screens, path: string, { from = '127.0.0.1', headers = {} }: Asked = {}) {
  return new Promise<{ status: number; code: string | undefined; text: string; scheme: string | undefined }>(
    (resolve, reject) => {
      request(screens.url + path, { localAddress: from, headers }, async (answer) => {
        const text = (await answer.setEncoding('utf8').toArray()).join('')
        const code = /"code":"(\w+)"/.exec(text)?.[1]
        resolve({ status: answer.statusCode as number, code, text, scheme: answer.headers['www-authenticate'] })
      })
        .on('error', reject)
        .end()
    },
  )
}

async function withScreens(
  settings: MonitorSettings,
  run: (screens: Screens) => Promise<void>,
  more: Partial<Monitoring> = {},
): Promise<void> {
  const monitoring = { ...noMonitoring(), monitors: readMonitors(settings), ...more }
  const screens = await startScreens(server, { hosts: ['crm.example'], monitoring })
  try {
    await run(screens)
  } finally {
    await screens.stop()
  }
}

/** What of the two pages somebody sees: the status of /metrics, and whether /readyz has its checks. */
async function seen(screens: Screens, asked?: Asked): Promise<[number, 'checks' | 'a word']> {
  const [metrics, ready] = await Promise.all([ask(screens, '/metrics', asked), ask(screens, '/readyz', asked)])
  assert.equal(ready.status, 200)
  const isWord = ready.text === '{"status":"ready"}'
  assert.ok(isWord || Object.keys(JSON.parse(ready.text).checks).includes('disk'))
  assert.equal(metrics.text.includes('dealbox_'), metrics.status === 200)
  assert.equal((await ask(screens, '/livez', asked)).text, '{"status":"ok"}')
  return [metrics.status, isWord ? 'a word' : 'checks']
}

/** As on Linux, where all of 127.0.0.0/8 is this machine. */
const noAddresses = process.platform === 'linux' ? false : 'needs more than one address of loopback'

describe('metrics, and the details of health checks, are seen', { skip: noAddresses }, () => {
  test('by programs of this machine, but not through a proxy or by a foreign name', async () => {
    await withScreens({}, async (screens) => {
      const { port } = new URL(screens.url)
      assert.deepEqual(await seen(screens), [200, 'checks'])
      assert.deepEqual(await seen(screens, { headers: { host: `localhost:${port}` } }), [200, 'checks'])
      assert.deepEqual(await seen(screens, { from: '127.0.0.2' }), [200, 'checks'])
      for (const name of ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP', 'Via'])
        assert.deepEqual(await seen(screens, { headers: { [name]: '127.0.0.1' } }), [403, 'a word'], name)
      assert.deepEqual(await seen(screens, { headers: { host: 'crm.example' } }), [403, 'a word'])
      const foreign = await ask(screens, '/metrics', { headers: { host: 'evil.example' } })
      assert.deepEqual([foreign.status, foreign.code], [421, 'unknown_host'])
      const refused = await ask(screens, '/metrics', { headers: { authorization: `Bearer ${TOKEN}`, via: 'a proxy' } })
      assert.deepEqual([refused.status, refused.code, refused.scheme], [403, 'monitoring_denied', undefined])
    })
  })

  test('with the token from anywhere, and not with another', async () => {
    await withScreens({ monitorFrom: 'off', monitorToken: TOKEN }, async (screens) => {
      const withToken = (authorization: string) => ({ headers: { authorization, 'x-forwarded-for': '192.0.2.7' } })
      assert.deepEqual(await seen(screens, withToken(`Bearer ${TOKEN}`)), [200, 'checks'])
      assert.deepEqual(await seen(screens, withToken(`bearer  ${TOKEN}`)), [200, 'checks'])
      for (const wrong of [
        'Bearer',
        'Bearer ',
        `Bearer ${TOKEN}x`,
        `Bearer ${TOKEN.slice(1)}`,
        `Basic ${TOKEN}`,
        TOKEN,
      ])
        assert.deepEqual(await seen(screens, withToken(wrong)), [401, 'a word'], wrong)
      assert.deepEqual(await seen(screens, withToken(`Bearer ${server.a.token}`)), [401, 'a word'])
      assert.deepEqual(await seen(screens), [401, 'a word'])
      const { code, scheme } = await ask(screens, '/metrics')
      assert.deepEqual([code, scheme], ['unauthorized', 'Bearer'])
    })
  })

  test('from the networks that are named, and not through a proxy there', async () => {
    await withScreens({ monitorFrom: '127.1.0.0/16, fd00::7,10.0.0.0/8' }, async (screens) => {
      assert.deepEqual(await seen(screens, { from: '127.1.2.3' }), [200, 'checks'])
      assert.deepEqual(await seen(screens, { from: '127.1.2.3', headers: { host: 'crm.example' } }), [200, 'checks'])
      assert.deepEqual(await seen(screens, { from: '127.2.0.1' }), [403, 'a word'])
      assert.deepEqual(await seen(screens), [403, 'a word'])
      const forwarded = { from: '127.1.2.3', headers: { 'x-forwarded-for': '127.1.2.3' } }
      assert.deepEqual(await seen(screens, forwarded), [403, 'a word'])
    })
    await withScreens({ monitorFrom: 'loopback,10.0.0.0/8' }, async (screens) => {
      assert.deepEqual(await seen(screens), [200, 'checks'])
    })
  })

  test('by the client of a proxy that is known, if it is in such a network, but never as if it were here', async () => {
    const addressOf = ({ headers }: IncomingMessage) => String(headers['x-forwarded-for'])
    const through = (address: string) => ({ headers: { 'x-forwarded-for': address } })
    const check = async (screens: Screens) => {
      assert.deepEqual(await seen(screens, through('10.1.2.3')), [200, 'checks'])
      assert.deepEqual(await seen(screens, through('::ffff:10.1.2.3')), [200, 'checks'])
      for (const other of ['11.1.2.3', '127.0.0.1', '127.0.0.2', '::1', 'unknown'])
        assert.deepEqual(await seen(screens, through(other)), [403, 'a word'], other)
    }
    await withScreens({ monitorFrom: 'loopback, 10.0.0.0/8' }, check, { addressOf })
  })

  test('a stranger learns that another server is the primary, or may be, and not which or why', async () => {
    let problem: Problem | undefined
    const lease = () => ({ epoch: 1, successor: undefined, problem, warning: undefined, isFenced: true })
    const check = async (screens: Screens) => {
      assert.deepEqual(await seen(screens), [403, 'a word'])
      problem = new Problem(503, 'not_primary', 'Another server is the primary: http://crm-b.example')
      const { status, code, text } = await ask(screens, '/readyz')
      assert.deepEqual([status, code], [503, 'not_ready'])
      assert.doesNotMatch(text, /primary|example|checks/)
    }
    await withScreens({ monitorFrom: 'off' }, check, { lease })
  })

  test('a stranger learns that a server is not ready, and not why', async () => {
    await withScreens({ monitorFrom: 'off' }, async (screens) => {
      server.store.health.note(Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' }))
      const { status, code, text } = await ask(screens, '/readyz')
      assert.deepEqual([status, code], [503, 'not_ready'])
      assert.doesNotMatch(text, /damage|database|disk|checks/)
    })
  })
})

describe('the options', () => {
  const refusal = (settings: MonitorSettings): string => {
    try {
      readMonitors(settings)
    } catch (error) {
      assert.ok(error instanceof Problem)
      assert.equal(error.code, 'usage')
      return error.message
    }
    return 'none'
  }

  test('of networks have to be networks', () => {
    for (const wrong of [
      '',
      'localhost',
      '10.0.0.0/33',
      '10.0.0/8',
      '::1/129',
      '10.0.0.1:80',
      'off,loopback',
      'a,b',
      '/8',
    ])
      assert.match(refusal({ monitorFrom: wrong }), /--monitor-from: ".*" is not a network/, wrong)
    for (const right of [
      'off',
      'loopback',
      '10.0.0.1',
      '10.0.0.0/8',
      '::1',
      'fd00::/8',
      '::ffff:10.0.0.1',
      '0.0.0.0/0',
    ])
      assert.equal(refusal({ monitorFrom: right }), 'none', right)
  })

  test('are read before the server starts, which leaves nothing behind', async () => {
    const data = join(server.dataDir, 'none')
    const { code, err } = await cli(['serve', '--data', data, '--monitor-from', '10.0.0.0/99'])
    assert.deepEqual([code, existsSync(data)], [2, false])
    assert.match(err, /--monitor-from: "10\.0\.0\.0\/99" is not a network/)
    const secret = 'a secret token'
    const refused = await cli(['serve', '--data', data], { DEALBOX_MONITOR_TOKEN: secret })
    assert.deepEqual([refused.code, existsSync(data), refused.err.includes(secret)], [2, false, false])
    assert.match(refused.err, /--monitor-token must have at least 16/)
  })

  test('of the token have to have 16 characters or more that a header can carry, and no error shows them', () => {
    for (const wrong of ['', 'fifteen-letters', 'with a space in it', 'sixteen-letters.\n', 'sechzehn-zeichen-ß'])
      assert.equal(
        refusal({ monitorToken: wrong }),
        '--monitor-token must have at least 16 letters, digits and signs, without spaces.',
        wrong,
      )
    assert.equal(refusal({ monitorToken: 'sixteen-letters.' }), 'none')
  })
})
