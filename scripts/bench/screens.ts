// "npm run bench -- --only screens" runs this: the browser app in Chromium, against a real server.
import { existsSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import { resourceDeps } from '../../src/app/deps.ts'
import { companyStore } from '../../src/crm/companies.ts'
import { contactStore } from '../../src/crm/contacts.ts'
import { dealStore } from '../../src/crm/deals/deals.ts'
import { openStore } from '../../src/store/open.ts'
import { allOrgs } from '../../src/store/orgs/orgs.ts'
import { CONVERSATIONS, fillInbox, inboxRows } from './screens-inbox.ts'
import {
  again,
  boardPaint,
  CHANGES,
  colleague,
  control,
  FRAMES,
  heapAfter,
  jump,
  KEYS,
  keyToPaint,
  load,
  moveFrames,
  open,
  palette,
  paletteServer,
  ROUNDS,
  routeTo,
  scrollFrames,
  workOf,
} from './screens-page.ts'
import { serving } from './serving.ts'

const DEALS = 5000
const CONTACTS = 100_000
const EVENTS = 10_000

/** What was measured, with its budget; both in the unit. */
type Measured = { name: string; budget: number | null; found: number; unit: string; work_ms?: number }

type Server = { url: string; screens: string | undefined; token: string; signInUrl: string }

const WORDS =
  'gauges plant calibration laboratory torque sensors line rollout support renewal licence audit training seats scanners fleet tracking migration parts framework contract platform review office machine cooling optics bench retrofit'.split(
    ' ',
  )

/** Fills a new folder: open deals with distinct titles and companies, and contacts. */
function fillScreens(folder: string): void {
  const store = openStore(folder)
  try {
    const [{ id: org } = { id: 0 }] = allOrgs(store.db)
    const deps = resourceDeps(store)
    const who = { org, member: null }
    const [companies, contacts, deals] = [companyStore(deps), contactStore(deps), dealStore(deps)]
    const word = (n: number): string => WORDS[n % WORDS.length] as string
    const ids: string[] = []
    const inParts = (count: number, one: (n: number) => void): void => {
      for (let from = 0; from < count; from += 5000)
        store.transaction(() => {
          for (let n = from; n < Math.min(count, from + 5000); n++) one(n)
        })
    }
    inParts(DEALS / 4, (n) => {
      ids.push(companies.create(who, { name: `${word(n * 7)} ${word(n * 3 + 1)} ${n} GmbH` }).id)
    })
    inParts(DEALS, (n) => {
      const title = `${word(n)} ${word(n * 5 + 2)} ${word(n * 11 + 3)} ${n}`
      deals.create(who, { title, amount: (n % 900) * 100, currency: 'EUR', company_id: ids[n % ids.length] as string })
    })
    const writers: string[] = []
    inParts(CONTACTS, (n) => {
      const { id } = contacts.create(who, { first_name: word(n * 13), last_name: `${word(n * 17 + 5)} ${n}` })
      if (n < 1000) writers.push(id)
    })
    fillInbox(store, org, writers)
    // Spread over the stages, as after months of work.
    const stages = store.db.prepare('SELECT id FROM stages WHERE org_id = ? AND is_open = 1').pluck().all(org)
    const move = store.db.prepare('UPDATE deals SET stage_id = ? WHERE org_id = ? AND id = ?')
    const all = store.db.prepare('SELECT id FROM deals WHERE org_id = ?').pluck().all(org)
    store.transaction(() => {
      for (const [n, id] of all.entries()) move.run(stages[n % stages.length], org, id)
    })
  } finally {
    store.close()
  }
}

async function screens(server: Server): Promise<Measured[]> {
  const { chromium } = await import('playwright-core')
  const executablePath =
    process.env.CHROMIUM ??
    ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell', '/usr/bin/google-chrome'].find(existsSync)
  if (!executablePath) throw new Error('This needs Chromium; CHROMIUM is the path of one elsewhere.')
  const args = ['--enable-precise-memory-info', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
  const browser = await chromium.launch({ executablePath, args })
  try {
    return await measured(browser, server)
  } finally {
    await browser.close()
  }
}

async function measured(browser: Browser, server: Server): Promise<Measured[]> {
  const origin = server.screens as string
  const found: Measured[] = []
  const add = (name: string, budget: number | null, value: number, unit = 'ms') =>
    found.push({ name, budget, found: value, unit })
  const timed = async (name: string, budget: number, times: number, measure: () => Promise<number>) => {
    const { ms, result } = await workOf(board, measure)
    found.push({ name, budget, found: result, unit: 'ms', work_ms: ms / times })
  }

  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await page.goto(server.signInUrl)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/deals/)
  await page.waitForSelector('[data-card]')
  const { cookies } = await context.storageState()
  await context.close()

  const cold = await load(browser, origin, cookies)
  add('first load of the board, nothing cached: LCP', 1000, cold.lcp)
  add('first load: scripts, brotli', 80, cold.scriptKb, 'KB')
  add('first load: styles, brotli', 25, cold.styleKb, 'KB')
  add('first load: requests until the cards are there', 8, cold.requests, '')
  const board = await open(browser, origin, cookies)
  add('load again, cached: LCP', 300, await again(board))
  add('board of 5,000 deals, from its answer to paint', 500, await boardPaint(board))
  add('cards mounted', 150, await board.locator('[data-card]').count(), '')
  await timed('scroll of a column, frame p95', 16.7, FRAMES, () => scrollFrames(board, '.cards'))
  add('a move by keys, frames until it is shown', 2, await moveFrames(board), 'frames')
  await timed('key to paint, p95', 50, KEYS, () => keyToPaint(board))
  const cdp = await board.context().newCDPSession(board)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  add('key to paint at a quarter of the speed, p95', 100, await keyToPaint(board))
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await timed('palette, from the key until it is laid out', 16, ROUNDS, () => palette(board))
  await timed('palette, records of the server', 100, 1, () => paletteServer(board, CONTACTS))
  await timed('a colleague’s change on my screen, p95', 150, CHANGES, () => colleague(board, server))
  await timed('screen from the server: contacts', 150, 1, () => routeTo(board, '/contacts', '.tbl [role=rowheader]'))
  await timed('table of 100,000 contacts, scroll frame p95', 16.7, FRAMES, () => scrollFrames(board, '.tbl'))
  await timed('table of 100,000 contacts, jump to the end', 300, 1, () => jump(board, CONTACTS))
  await inboxRows(board, timed, add)
  await timed('screen from the store: deals', 50, 1, () => routeTo(board, '/deals', '[data-card]'))
  const empty = await control(browser)
  add('for comparison, an empty page: frame p95', null, empty.frames)
  add('for comparison, an empty page: key to paint, p95', null, empty.keys)
  const heap = await heapAfter(board, cdp, server, EVENTS)
  add('heap of the board before', null, heap.before, 'MB')
  add(`heap after ${EVENTS.toLocaleString('en')} events`, 150, heap.after, 'MB')
  return found
}

function screensText(rows: Measured[], machine: string): string {
  const text = (value: number, unit: string): string =>
    `${Number.isNaN(value) ? '–' : value.toFixed(unit === '' ? 0 : 1)}${unit && ` ${unit}`}`
  const lines = rows.map(({ name, budget, found, unit, work_ms }) =>
    [
      name,
      text(found, unit),
      budget === null ? '' : `${budget}${unit && ` ${unit}`}`,
      work_ms === undefined ? '' : `${work_ms.toFixed(1)} ms`,
    ].join(' | '),
  )
  return `## Screens

\`npm run bench -- --only screens\` on ${new Date().toISOString().slice(0, 10)}: ${machine}, Node ${process.versions.node}, Chromium without a window at
1440 × 900, server and browser on the same cores; 5,000 open deals of 1,250 companies, 100,000 contacts, and
${CONVERSATIONS.toLocaleString('en')} conversations, of which 5,000 are open.
**Work** is the processor time of the page's main thread for one key, frame or change, on average, which other load on the
machine hardly changes.

what | measured | budget | work
--- | ---: | ---: | ---:
${lines.join('\n')}
`
}

const { values: options } = parseArgs({ options: { dealbox: { type: 'string' } } })
const { serve, signInUrl } = serving(options.dealbox)
const server = await serve('screens', { core: null, screens: true, fill: fillScreens })
try {
  const rows = await screens({ ...server, signInUrl: signInUrl(server) })
  console.log(screensText(rows, `${cpus().length} × ${cpus()[0]?.model.trim()}`))
} finally {
  await server.stop()
}
