import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { PLAIN_TEXT } from '../../../src/lib/metrics/text.ts'
import { lastBackup, noteBackup } from '../../../src/ops/backup/state.ts'
import { noMonitoring } from '../../../src/ops/monitoring/metrics.ts'
import { type Screens, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import type { Ends } from '../../support/smtp.ts'
import { ALERT_CASES, FINE } from './alert-cases.ts'
import { copyOf, noteGoodBackup } from './good-backup.ts'
import { parseMetrics, type Scrape } from './parse-metrics.ts'

// The files for Prometheus and Grafana, and the page about them: what they name exists, and Prometheus takes it.

const exec = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')
const ALERTS = 'docs/monitoring/alerts.yml'
const alerts = textOf(ALERTS)
const page = textOf('docs/monitoring.md')
const names = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name as string)
const noPrometheus = spawnSync('promtool', ['--version']).status === 0 ? false : 'needs prometheus'

type Panel = {
  id: number
  type: string
  title: string
  gridPos: { h: number; w: number; x: number; y: number }
  datasource?: object
  targets?: { expr: string; datasource: object }[]
}
const dashboard = JSON.parse(textOf('docs/monitoring/dashboard.json')) as {
  panels: Panel[]
  templating: { list: { name: string; type: string; query: unknown; datasource?: object }[] }
}
const queries = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))

let server: TestServer
let screens: Screens
/** The screens of a reader. */
let reader: Screens
let folder: string
let scrape: Scrape
before(async () => {
  server = await startServer()
  noteGoodBackup(server.dataDir, server.now())
  const backups = () => lastBackup(server.dataDir)
  const places = [{ name: '/mnt/nas', label: 'folder_1' }]
  noteBackup(server.dataDir, { copies: [copyOf('/mnt/nas', server.now())] })
  const replication = () => ({ epoch: 1, lagMs: 500, problem: undefined, hasFiles: true })
  const lease = () => ({ epoch: 1, successor: undefined, problem: undefined, warning: undefined, isFenced: true })
  const certificateUntil = () => server.now() + 90 * 86_400_000
  const versionAge = () => undefined
  const watched = { backups, places, replication, lease, certificateUntil, versionAge }
  const more = { kinds: ['message.send'], connections: () => ({ api: 1, screens: 1 }), ...watched }
  screens = await startScreens(server, { monitoring: { ...noMonitoring(), ...more }, isSendingPaused: true })
  folder = mkdtempSync(join(tmpdir(), 'dealbox-prometheus-'))
  const copy = () => ({ lagMs: 500, isRunning: true, restarts: 0, failure: undefined, missingKeys: [] })
  reader = await startScreens(server, { monitoring: { ...noMonitoring(), copy } })
  await screens.send('GET', '/livez') // so that there is a request to count
  scrape = await scrapeOf(screens)
  const { families, samples } = await scrapeOf(reader)
  for (const [name, type] of families) scrape.families.set(name, type)
  scrape.samples.push(...samples)
})

async function scrapeOf({ send }: Screens): Promise<Scrape> {
  const { text, headers } = await send('GET', '/metrics')
  return parseMetrics(text, headers.get('content-type') as string)
}

after(async () => {
  await screens.stop()
  await reader.stop()
  await server.stop()
  rmSync(folder, { recursive: true })
})

const SUFFIXES: Record<string, string[]> = {
  counter: ['_total'],
  info: ['_info'],
  histogram: ['_bucket', '_sum', '_count'],
}

/** The names of all series that there can be. */
const known = (): Set<string> =>
  new Set([...scrape.families].flatMap(([name, type]) => (SUFFIXES[type] ?? ['']).map((suffix) => name + suffix)))

const metricsIn = (text: string): string[] => text.match(/\b(dealbox|process)_[a-z0-9_]+/g) ?? []

test('every metric and label that the alerts and the dashboard ask for exists', () => {
  const exists = known()
  const texts = [alerts, ...queries.map(({ expr }) => expr)]
  const asked = texts.flatMap(metricsIn)
  assert.ok(asked.length > 50)
  for (const name of asked) assert.ok(exists.has(name), `${name} is not in /metrics`)
  for (const text of texts)
    for (const [, name, matchers = ''] of text.matchAll(/\b((?:dealbox|process)_[a-z0-9_]+)\{([^}]*)\}/g))
      for (const [, label = '', sign, value = ''] of matchers.matchAll(/(\w+)(=~?)"([^"]*)"/g)) {
        const values = scrape.samples.flatMap((each) => (each.name === name ? (each.labels[label] ?? []) : []))
        const isOurs = label !== 'instance' && name !== 'dealbox_event_loop_lag_seconds' && label !== 'status'
        if (!isOurs) continue
        for (const one of sign === '=~' ? value.split('|') : [value])
          assert.ok(values.includes(one), `${name} has no ${label} ${one}`)
      }
})

test('the page names every metric, and no other', () => {
  const rows = [...page.matchAll(/^\| (`(?:dealbox|process)_.*?) \|/gm)].flatMap(([, cell]) =>
    metricsIn(cell as string),
  )
  const wanted = [...scrape.families].map(
    ([name, type]) => name + (type === 'histogram' ? '' : (SUFFIXES[type]?.[0] ?? '')),
  )
  assert.deepEqual(rows.toSorted(), wanted.toSorted())
})

test('the page says what each health check finds', async () => {
  const namesOf = async ({ send }: Screens) => Object.keys((await send('GET', '/readyz')).body.checks)
  const rows = [...page.matchAll(/^\| `([a-z]+)` \|.*\|.*\|$/gm)].map(([, name]) => name)
  assert.deepEqual(rows, [...new Set([...(await namesOf(screens)), ...(await namesOf(reader))])])
})

test('the dashboard works with any source of data, and no panel hides another', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana
  const source = { type: 'prometheus', uid: '${datasource}' }
  const { panels, templating } = dashboard
  assert.deepEqual(
    templating.list.map(({ name, type }) => [name, type]),
    [
      ['datasource', 'datasource'],
      ['instance', 'query'],
    ],
  )
  assert.deepEqual(templating.list[1]?.datasource, source)
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const taken = new Set<string>()
  for (const { title, type, gridPos, datasource, targets = [] } of panels) {
    const { x, y, w, h } = gridPos
    assert.ok(x + w <= 24, title)
    for (let column = x; column < x + w; column++)
      for (let row = y; row < y + h; row++) {
        assert.ok(!taken.has(`${column} ${row}`), `${title} hides another panel`)
        taken.add(`${column} ${row}`)
      }
    if (type === 'row') continue
    assert.deepEqual(datasource, source)
    assert.ok(targets.length > 0, title)
    for (const target of targets) {
      assert.deepEqual(target.datasource, source)
      assert.ok(target.expr.includes('instance=~"$instance"'), `${title} is of all servers`)
    }
  }
})

test('every alert says how bad it is and what to do', () => {
  for (const rule of alerts.split('- alert: ').slice(1)) {
    assert.match(rule, /severity: (critical|warning)\}\n/)
    assert.match(rule, /\n {10}summary: .+\$labels\.instance.+\n {10}description: .+\.'?\n/, rule)
  }
  assert.equal(new Set(names).size, names.length)
})

describe('Prometheus', { skip: noPrometheus }, () => {
  const ends: (() => unknown)[] = []
  const t = { after: (end: () => unknown) => void ends.push(end) }
  let targets: Awaited<ReturnType<typeof startTarget>>[]
  let prometheus: string
  // It scrapes for the first time after five seconds, and the other tests run meanwhile.
  before(async () => {
    targets = [await startTarget(t, screens), await startTarget(t, reader)]
    const ports = targets.map(({ port }) => port)
    prometheus = await startPrometheus(t, ports)
  })
  after(async () => {
    for (const end of ends) await end()
  })

  test('takes the rules, and the metrics in the plain format', async () => {
    const { stdout } = await exec('promtool', ['check', 'rules', join(root, ALERTS)])
    assert.match(stdout, new RegExp(`SUCCESS: ${names.length} rules found`))
    const { text, headers } = await screens.send('GET', '/metrics', undefined, { accept: 'text/plain' })
    assert.equal(headers.get('content-type'), PLAIN_TEXT)
    const check = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    assert.deepEqual([check.status, check.stdout, check.stderr], [0, '', ''])
  })

  test('fires each alert when it should, and none while all is well', async () => {
    assert.deepEqual(Object.keys(ALERT_CASES), names)
    const firing = 'count by (alertname) (ALERTS{alertstate="firing"})'
    const run = (series: Record<string, string>, at: string, alert?: string) => ({
      interval: '1m',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [
        {
          expr: firing,
          eval_time: at,
          exp_samples: alert === undefined ? [] : [{ labels: `{alertname="${alert}"}`, value: 1 }],
        },
      ],
    })
    const tests = Object.entries(ALERT_CASES).flatMap(([alert, { series, after: at, notAt }]) => [
      run({ ...FINE, ...series }, at, alert),
      ...(notAt === undefined ? [] : [run({ ...FINE, ...series }, notAt)]),
    ])
    const file = join(folder, 'alerts.test.json') // YAML contains JSON
    const rules = { rule_files: [join(root, ALERTS)], evaluation_interval: '1m' }
    writeFileSync(file, JSON.stringify({ ...rules, tests: [run(FINE, '3h'), ...tests] }))
    await exec('promtool', ['test', 'rules', file])
  })

  test('scrapes OpenMetrics, and answers every question of the dashboard', { timeout: 120_000 }, async () => {
    await Promise.all(targets.map(({ scraped }) => scraped))
    const ask = async (expr: string): Promise<object[]> => {
      const query = expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m')
      const answer = await fetch(`${prometheus}/api/v1/query?${new URLSearchParams({ query })}`)
      const body = (await answer.json()) as { status: string; error?: string; data: { result: object[] } }
      assert.equal(body.status, 'success', `${expr}: ${body.error}`)
      return body.data.result
    }
    for (const { accepted } of targets) assert.deepEqual(accepted, ['application/openmetrics-text'])
    // There is nothing to see of the lag before ten seconds, and of what has none.
    for (const { title, expr } of queries)
      if (!expr.includes('lag_seconds') && !expr.endsWith('> 0'))
        assert.ok((await ask(expr)).length > 0, `${title}: ${expr}`)
    const { data } = (await (await fetch(`${prometheus}/api/v1/rules`)).json()) as {
      data: { groups: { rules: { name: string; health: string; lastError?: string }[] }[] }
    }
    assert.deepEqual(
      data.groups.flatMap(({ rules }) => rules.map(({ name }) => name)),
      names,
    )
  })
})

/** Passes scrapes on to a server, and resolves `scraped` when two are known. */
async function startTarget(t: Ends, { send }: Screens) {
  const accepted = new Set<string>()
  const { promise: scraped, resolve } = Promise.withResolvers<void>()
  let scrapes = 0
  const target = createServer(async (req, res) => {
    const { text, headers } = await send('GET', '/metrics', undefined, { accept: String(req.headers.accept) })
    const type = headers.get('content-type') as string
    accepted.add(type.split(';')[0] as string)
    res.setHeader('content-type', type).end(text)
    if (++scrapes === 3) resolve()
  })
  await new Promise<void>((listening) => target.listen(0, '127.0.0.1', listening))
  t.after(() => {
    target.closeAllConnections()
    target.close()
  })
  return {
    port: (target.address() as AddressInfo).port,
    scraped,
    get accepted() {
      return [...accepted]
    },
  }
}

/** Returns the address of a Prometheus that scrapes the ports. */
async function startPrometheus(t: Ends, ports: number[]): Promise<string> {
  const config = join(folder, 'prometheus.yml')
  const scraping = { job_name: 'dealbox', static_configs: [{ targets: ports.map((port) => `127.0.0.1:${port}`) }] }
  const global = { scrape_interval: '200ms', scrape_timeout: '200ms', evaluation_interval: '1s' }
  writeFileSync(config, JSON.stringify({ global, rule_files: [join(root, ALERTS)], scrape_configs: [scraping] }))
  const flags = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    '--web.listen-address=127.0.0.1:0',
  ]
  const process = spawn('prometheus', flags, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise((resolve) => process.once('exit', resolve))
  t.after(() => {
    process.kill()
    return ended
  })
  for await (const line of createInterface({ input: process.stderr })) {
    const [, address] = /Listening on\b.* address=(\S+)/.exec(line) ?? []
    if (address !== undefined) {
      process.stderr.resume()
      return `http://${address}`
    }
  }
  throw new Error('Prometheus did not start.')
}
