import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { applySettings } from '../../../src/app/settings/document.ts'
import { readConfig } from '../../../src/command/config/read.ts'
import { random } from '../../../src/demo/story/random.ts'
import { monitorOptions } from '../../../src/ops/monitoring/monitors.ts'
import { openStore } from '../../../src/store/open.ts'
import { cli } from '../../cli/command-line.ts'
import { makeOrg } from '../../support/org.ts'
import { BROKEN, OK, type Receiver, startReceiver } from '../../support/receiver.ts'
import { seedOf } from '../../support/seed.ts'
import { type Served, serve } from '../../support/served.ts'
import { startSmtp } from '../../support/smtp.ts'
import { untilIs } from '../../support/until.ts'
import { parseMetrics, type Scrape } from './parse-metrics.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-metrics-'))
const page = readFileSync(join(import.meta.dirname, '../../../docs/monitoring.md'), 'utf8')
/** The commands of the page: first those that ask, then those that make a token. */
const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text as string)
const [asking = ''] = blocks
const withToken = blocks.find((text) => text.includes('MONITOR_TOKEN')) ?? ''
const FORMS = { open: 'application/openmetrics-text', plain: 'text/plain' }
const ends: (() => unknown)[] = []

let server: Served
let receiver: Receiver
let smtp: Awaited<ReturnType<typeof startSmtp>>
/** What must not be shown: ids, names and addresses of the data. */
const personal: string[] = []

before(async () => {
  receiver = await startReceiver(({ event }) => (event.type === 'contact.created' ? BROKEN : OK))
  smtp = await startSmtp({ after: (end) => void ends.push(end) })
  const store = openStore(dataDir, { create: true })
  const { org, token, id, owner } = await makeOrg(store, dataDir, 'Zwetschge')
  const box = { host: '127.0.0.1', port: smtp.server.port, tls: 'none' }
  const mailbox = {
    key: 'mirabelle',
    name: 'Mirabelle',
    address: 'mirabelle@zwetschge.example',
    is_default: true,
    smtp: box,
  }
  applySettings(store, org, { mailboxes: [mailbox] })
  store.close()
  const [making = ''] = withToken.split('DEALBOX_')
  execFileSync('sh', ['-ec', making], { cwd: dataDir })
  const [, variable = '', file = ''] = /^(DEALBOX_\w+)=(\S+) dealbox serve$/m.exec(withToken) ?? []
  const env = { [variable]: join(dataDir, file) }
  const { options } = readConfig({ options: monitorOptions, args: {} }, { argv: [], env, known: monitorOptions })
  server = await serve(dataDir, token, { webhookAllow: '127.0.0.1', backupAt: '03:15', ...options })
  personal.push('Zwetschge', 'irabelle', 'zwetschge.example', token, id, owner)
  personal.push(options.monitorToken as string)
  assert.equal(personal.at(-1)?.length, 32)
})
after(async () => {
  await server.stop()
  await receiver.stop()
  for (const end of ends) await end()
  rmSync(dataDir, { recursive: true })
})

async function scrape(form: keyof typeof FORMS = 'open'): Promise<Scrape> {
  const response = await fetch(`${server.screens}/metrics`, { headers: { accept: FORMS[form] } })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  assert.equal(response.headers.get('vary'), 'Accept')
  return parseMetrics(text, response.headers.get('content-type') as string)
}

/** The scrape after which it is so; webhooks and mails take a moment. */
const scrapeUntil = (isSo: (found: Scrape) => boolean): Promise<Scrape> => untilIs(() => scrape(), isSo)

async function make(path: string, body: object): Promise<string> {
  const answer = await server.call('POST', path, body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  personal.push(answer.body.id)
  return answer.body.id
}

test('requests are counted by route and status, and their times', async () => {
  const before = await scrape()
  const deal = await make('/deals', { title: 'Quittenhain 7' })
  personal.push('Quittenhain')
  for (let n = 0; n < 3; n++) await server.call('GET', `/deals/${deal}`)
  await server.call('GET', `/deals/${deal.slice(0, -1)}x`)
  await server.call('GET', `/quitte/${deal}`)
  await server.call('PUT', `/deals/${deal}`)
  await fetch(`${server.screens}/api/v1/deals/${deal}`)
  await fetch(`${server.screens}/deals/${deal}`)
  await fetch(`${server.screens}/assets/${deal}.js`)
  await fetch(`${server.screens}/unsubscribe/${deal}`)
  for (const path of ['/quitte.html', '/api/v1/quitte', '/app/quitte']) await fetch(server.screens + path)
  const after = await scrape()
  const more = (labels: Record<string, string>) =>
    after.value('dealbox_http_requests_total', labels) - before.value('dealbox_http_requests_total', labels)
  const of = (listener: string, method: string, route: string, status: string) => ({ listener, method, route, status })
  assert.equal(more(of('api', 'POST', '/api/v1/deals', '201')), 1)
  assert.equal(more(of('api', 'GET', '/api/v1/deals/:id', '200')), 3)
  assert.equal(more(of('api', 'GET', '/api/v1/deals/:id', '404')), 1)
  assert.equal(more(of('api', 'none', 'none', '404')), 1)
  assert.equal(more(of('api', 'none', 'none', '405')), 1)
  assert.equal(more(of('screens', 'GET', '/api/v1/deals/:id', '401')), 1)
  assert.equal(more(of('screens', 'GET', '/:page', '200')), 1)
  assert.equal(more(of('screens', 'GET', '/assets/:file', '404')), 1)
  assert.equal(more(of('screens', 'GET', '/unsubscribe/:token', '404')), 1)
  assert.equal(more(of('screens', 'none', 'none', '404')), 3)
  assert.equal(more(of('screens', 'GET', '/metrics', '200')), 1)
  const timed = { listener: 'api', method: 'GET', route: '/api/v1/deals/:id' }
  assert.equal(after.value('dealbox_http_request_duration_seconds_count', timed), 4)
  assert.equal(after.value('dealbox_http_request_duration_seconds_bucket', { ...timed, le: '+Inf' }), 4)
  const sum = after.value('dealbox_http_request_duration_seconds_sum', timed)
  assert.ok(sum > 0 && sum < 10, `${sum} s`)
})

test('writes that come together share a commit, which is timed', async () => {
  const before = await scrape()
  await Promise.all(Array.from({ length: 20 }, (_, n) => make('/tags', { name: `Reneklode ${n}` })))
  personal.push('Reneklode')
  const after = await scrape()
  const more = (name: string) => after.value(name) - before.value(name)
  assert.ok(more('dealbox_commit_batch_size_sum') >= 20)
  assert.ok(more('dealbox_commit_batch_size_count') >= 1)
  assert.ok(more('dealbox_commit_batch_size_count') < more('dealbox_commit_batch_size_sum'))
  assert.equal(more('dealbox_commit_duration_seconds_count'), more('dealbox_commit_batch_size_count'))
  assert.ok(more('dealbox_commit_duration_seconds_sum') > 0)
})

test('mails and webhooks are counted by their outcome, and what waits', async () => {
  const url = `${receiver.url}/zwetschgenmus`
  personal.push('zwetschgenmus', receiver.url)
  await make('/webhooks', { url, event_types: ['deal.created'] })
  await make('/webhooks', { url, event_types: ['contact.created'] })
  const contact = await make('/contacts', { last_name: 'Pflaumenkern', emails: [{ email: 'p@pflaumenkern.example' }] })
  personal.push('flaumenkern')
  await make('/deals', { title: 'Quittenhain 8', primary_contact_id: contact })
  const mail = { channel: 'email', subject: 'Schlehe', body_text: 'Schlehe' }
  const from = { email: 'p@pflaumenkern.example' }
  const asked = await make('/messages', {
    ...mail,
    direction: 'inbound',
    from,
    external_id: '<schlehe@pflaumenkern.example>',
  })
  const { conversation_id } = (await server.call('GET', `/messages/${asked}`)).body
  await make('/messages', { conversation_id, direction: 'outbound', body_text: 'Schlehe' })
  personal.push('Schlehe')
  const tries = (found: Scrape, outcome: string) => found.value('dealbox_webhook_attempts_total', { outcome })
  const sent = (found: Scrape, outcome: string) => found.value('dealbox_mails_sent_total', { outcome })
  const sending = { direction: 'sending', status: 'ok' }
  const found = await scrapeUntil(
    (each) => tries(each, 'delivered') > 0 && tries(each, 'failed') > 0 && each.value('dealbox_mailboxes', sending) > 0,
  )
  assert.deepEqual([tries(found, 'delivered'), tries(found, 'failed'), tries(found, 'lost')], [1, 1, 0])
  assert.equal(found.value('dealbox_webhook_deliveries_given_up_total'), 0)
  assert.equal(found.value('dealbox_webhook_deliveries_pending'), 1)
  assert.equal(found.value('dealbox_webhooks', { state: 'active' }), 2)
  assert.deepEqual([sent(found, 'sent'), sent(found, 'refused')], [1, 0])
  assert.equal(found.value('dealbox_mails_received_total', { outcome: 'imported' }), 0)
  assert.equal(found.value('dealbox_mailboxes', sending), 1)
  assert.equal(found.value('dealbox_mailboxes', { direction: 'receiving', status: 'not_set_up' }), 1)
})

test('the commands of the page work as they are printed', async () => {
  const address = server.screens.slice('http://'.length)
  const run = (command: string) =>
    new Promise<string>((resolve, reject) => {
      const lines = command.replace('127.0.0.1:8081', address).replace('curl -s', "curl -s -w '%{http_code}'")
      execFile('sh', ['-ec', lines], { cwd: dataDir }, (error, stdout) => (error ? reject(error) : resolve(stdout)))
    })
  const [health, ready = '', metrics = ''] = asking.trim().split('\n')
  assert.equal(health, 'dealbox healthcheck')
  assert.equal((await cli(['healthcheck', '--screens-listen', address])).code, 0)
  assert.match(await run(ready), /^\{"status":"ready".*"checks":\{.*\}200$/)
  assert.match(await run(metrics), /\n# EOF\n200$/)
  assert.match(await run(withToken.trim().split('\n').at(-1) as string), /\n# EOF\n200$/)
})

test('the files, the memory, the connections and the versions are there', async () => {
  const found = await scrape()
  assert.equal(found.value('dealbox_database_bytes'), statSync(join(dataDir, 'dealbox.db')).size)
  assert.equal(found.value('dealbox_log_bytes'), statSync(join(dataDir, 'dealbox.db-wal')).size)
  assert.ok(found.value('dealbox_disk_free_bytes') > 0)
  assert.ok(found.value('process_resident_memory_bytes') > found.value('dealbox_heap_used_bytes'))
  assert.ok(found.value('process_cpu_seconds_total') > 0)
  assert.ok(Math.abs(found.value('process_start_time_seconds') * 1000 - performance.timeOrigin) < 1000)
  assert.ok(found.value('dealbox_connections', { listener: 'screens' }) >= 1)
  assert.ok(found.value('dealbox_connections', { listener: 'api' }) >= 1)
  assert.ok(found.value('dealbox_event_loop_active_seconds_total') > 0)
  assert.equal(found.families.get('dealbox_backup_age_seconds'), 'gauge')
  assert.match(found.text, /\ndealbox_build_info\{version="[\d.]+",node="[\d.]+",sqlite="[\d.]+",schema="\d+"\} 1\n/)
})

describe('nothing of the data is shown', () => {
  const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'none']
  /** Every label that there is, and what its values look like. */
  const LABELS: Record<string, RegExp> = {
    listener: /^(api|screens)$/,
    method: new RegExp(`^(${METHODS.join('|')})$`),
    route: /^(none|(\/(:?[a-z_-]+|v1|openapi\.json|reference\.(css|js)|icon\.svg|style\.css))+)$/,
    status: /^([1-5]\d\d|[a-z_]+)$/,
    le: /^(\d+\.\d+|\+Inf)$/,
    kind: /^(other|message\.send|conversation\.wake|sla\.(due|recount)|sequence\.look|enrollment\.step|mail\.leaves|phones\.index|bulk (change|undo)|hand over( undo)?|hand back|remove sample data)$/,
    state: /^(due|later|running|active|failing|paused|disabled)$/,
    outcome: /^[a-z_]+$/,
    check: /^[a-z]+$/,
    direction: /^(receiving|sending)$/,
    quantile: /^(0\.5|0\.99|1\.0)$/,
    version: /^[\d.]+$/,
    node: /^[\d.]+$/,
    sqlite: /^[\d.]+$/,
    schema: /^\d+$/,
    days: /^(14|2)$/,
  }

  test('in no label, and in neither form', async () => {
    for (const form of ['open', 'plain'] as const) {
      const { text, samples } = await scrape(form)
      for (const each of personal) assert.equal(text.includes(each), false, each)
      assert.ok(samples.length > 100)
      for (const { labels } of samples)
        for (const [name, value] of Object.entries(labels))
          assert.match(value, LABELS[name] ?? /^$a/, `${name}: ${value}`)
    }
    const { text } = await server.screen('/readyz').then(({ body }) => ({ text: JSON.stringify(body) }))
    for (const each of personal) assert.equal(text.includes(each), false, each)
  })

  test('of paths and methods that somebody tries, which make no series either', async () => {
    const { next, pick, chance } = random(seedOf(16))
    const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'PURGE', 'BREW']
    const words: string[] = []
    const prefixes = ['', '/api/v1', '/api/v1/deals', '/api/v1/contacts', '/app', '/assets', '/unsubscribe', '/livez']

    async function tryPaths(count: number): Promise<void> {
      for (let n = 0; n < count; n++) {
        const own = next().toString(36).slice(2, 12)
        words.push(own)
        const url = pick([server.api, server.screens])
        await send(pick(METHODS), `${url}${pick(prefixes)}/${own}${chance(0.3) ? `/${own}` : ''}`)
      }
    }

    // Each prefix with each method, so that whatever can be counted is.
    for (const url of [server.api, server.screens])
      for (const method of METHODS)
        for (const prefix of prefixes)
          for (const path of [`${prefix}/first`, `${prefix}/first/first`]) await send(method, url + path)
    const before = (await scrape()).samples.length
    await tryPaths(300)
    const { text, samples } = await scrape()
    assert.equal(samples.length, before)
    for (const each of words) assert.equal(text.includes(each), false, each)
    assert.doesNotMatch(text, /PROPFIND|PURGE|BREW/)
  })
})

function send(method: string, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { method, agent: false }, (answer) => answer.resume().on('end', resolve))
      .on('error', reject)
      .end()
  })
}
