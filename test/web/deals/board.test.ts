import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { ECHO } from '../../../src/web/data/headers.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { becomes } from '../../support/until.ts'
import { type Opened, openBoard } from './board-page.ts'
import { type KitBoard, startKitBoard } from './kit-board.ts'

// The board of the design in Chromium, against a real server.

describe('the board of deals', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  const opened: Opened[] = []
  /** The page of the member of the board, which goes on from test to test. */
  let own: Opened | undefined

  before(async () => {
    server = await startKitBoard()
    browser = await startChromium()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })
  afterEach(async () => {
    for (const each of opened.splice(0)) {
      await each.context.close()
    }
  })

  const open = async (options?: Parameters<typeof openBoard>[2]): Promise<Page> => {
    if (!options && own) await own.page.goto(`${server.url}/deals`)
    const made = (options ? undefined : own) ?? (await openBoard(browser, server, options))
    if (options) opened.push(made)
    else own = made
    await made.page.waitForSelector(options?.touch ? '[data-card]' : '[data-card][draggable=true]')
    return made.page
  }
  const card = (page: Page, title: string): Locator => page.locator('[data-card]', { hasText: title })
  const column = (page: Page, stage: string): Locator => page.locator(`[data-stage="${server.stageIds[stage]}"]`)
  const headOf = async (page: Page, stage: string): Promise<string> =>
    ((await column(page, stage).getByRole('heading', { level: 2 }).getAttribute('aria-label')) ?? '').replaceAll(
      '\u00a0',
      ' ',
    )
  const titlesIn = (page: Page, stage: string): Promise<string[]> => column(page, stage).locator('h3').allTextContents()
  /** As the API has it. */
  const stageOf = async (title: string): Promise<string> => {
    const { stage, status } = await server.getRecord(`/deals/${server.deals[title].id}`)
    return status === 'open' ? (Object.entries(server.stageIds).find(([, id]) => id === stage)?.[0] ?? '') : status
  }
  const said = (page: Page, text: string): Promise<void> =>
    page.locator('[role=status]', { hasText: text }).first().waitFor({ state: 'attached' })
  const back = (title: string, stage: string) =>
    server.patchRecord(`/deals/${server.deals[title].id}`, { stage: server.stageIds[stage] })

  test('columns say their name, count and sums', async () => {
    const page = await open()
    assert.equal(await headOf(page, 'lead'), 'Lead in, 6 deals, EUR 96,400, GBP 18,000')
    assert.equal(await headOf(page, 'proposal'), 'Proposal sent, 5 deals, EUR 124,200, CHF 100,000, GBP 43,200')
    assert.match(
      await page.locator('.sumbar').innerText(),
      /26 open\s+EUR\s*733,000\s+CHF\s*148,500\s+GBP\s*61,200\s+\+1/,
    )
    assert.match(await page.locator('[data-end=won]').innerText(), /Won\s*2 this month/)
    assert.match(await page.locator('[data-end=lost]').innerText(), /Lost\s*3 this month/)
    assert.equal(await page.getByRole('list', { name: 'Deals in Lead in' }).getByRole('listitem').count(), 6)
    assert.equal(
      await page.locator('[aria-posinset="3"][aria-setsize="6"]').first().locator('h3').innerText(),
      'Torque sensors for assembly line 7',
    )
  })

  test('cards say what is late, next, idle and missing, late first', async () => {
    const page = await open()
    assert.deepEqual(await titlesIn(page, 'qualified'), [
      'Loggers for 14 delivery vans',
      'Portable analysers, first fleet of twelve',
      'Annual service, 38 instruments',
      'Spindle monitoring retrofit',
      'Test rig for the second shift',
      'Flow meters for the Rheinfelden works',
      'Ultrasonic thickness gauges',
    ])
    const lineOf = async (title: string) =>
      (await card(page, title).locator('.next').innerText()).replaceAll(/\s+/g, ' ')
    assert.equal(await lineOf('Loggers for 14'), 'Answer questions 1 d late')
    assert.equal(await lineOf('Portable analysers'), 'Demo Wed 09:30')
    assert.equal(await lineOf('Spindle monitoring'), 'Send offer Fri')
    assert.equal(await lineOf('Flow meters'), 'Idle 21 days')
    assert.equal(await lineOf('Inquiry from'), 'No next task')
    assert.match(await card(page, 'Inquiry from').innerText(), /No amount\s+1.d/)
  })

  test('a card is dragged to another stage, with what it would gain, and undone', async () => {
    const page = await open()
    const spindle = card(page, 'Spindle monitoring')
    await spindle.hover()
    await page.mouse.down()
    const to = await column(page, 'demo').boundingBox()
    assert.ok(to)
    await page.mouse.move(to.x + 60, to.y + 420, { steps: 12 })
    await page.locator('.in-hand').waitFor()
    assert.match(await column(page, 'demo').locator('header').innerText(), /\+1[\s\S]*\+ 48,500/)
    assert.equal(await column(page, 'demo').locator('.slot').count(), 1)
    assert.match((await spindle.first().getAttribute('class')) ?? '', /is-gone/)
    await page.mouse.up()
    await becomes(() => stageOf('Spindle monitoring retrofit'), 'demo')
    assert.equal(await headOf(page, 'demo'), 'Demo held, 6 deals, EUR 234,600, JPY 5,400,000')
    assert.ok((await titlesIn(page, 'demo')).includes('Spindle monitoring retrofit'))
    assert.equal(await page.locator('.in-hand').count(), 0)
    await page.getByRole('button', { name: /Undo/ }).click()
    await becomes(() => stageOf('Spindle monitoring retrofit'), 'qualified')
    await becomes(() => headOf(page, 'qualified'), 'Qualified, 7 deals, EUR 214,300, CHF 48,500')
  })

  test('a deal dropped on Lost is asked for its reason there; Esc leaves it where it was', async () => {
    const page = await open()
    const drop = async () => {
      await card(page, 'Pressure test stand').hover()
      await page.mouse.down()
      const to = await page.locator('[data-end=lost]').boundingBox()
      assert.ok(to)
      await page.mouse.move(to.x + 20, to.y + 100, { steps: 12 })
      await page.locator('[data-end=lost].is-target').waitFor()
      await page.mouse.up()
      await page.getByRole('menu', { name: 'Why was it lost?' }).waitFor()
    }
    await drop()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    assert.equal(await stageOf('Pressure test stand'), 'negotiation')
    await drop()
    await page.getByRole('menuitem', { name: 'Too expensive' }).click()
    await becomes(() => stageOf('Pressure test stand'), 'lost')
    await card(page, 'Pressure test stand').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /Undo/ }).click()
    await becomes(() => stageOf('Pressure test stand'), 'negotiation')
    await card(page, 'Pressure test stand').waitFor()
  })

  test('by keys alone: arrows lead, Space lifts, arrows choose, Enter drops, and the focus stays', async () => {
    const page = await open()
    await card(page, 'Replacement gauges').getByRole('link').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await becomes(focused, 'Portable analysers, first fleet of twelve')
    await page.keyboard.press('Space')
    await said(page, 'lifted from Qualified')
    await page.keyboard.press('ArrowRight')
    await said(page, 'Demo held, would be 3 of 6')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Escape')
    await said(page, 'put back')
    assert.equal(await stageOf('Portable analysers, first fleet of twelve'), 'qualified')
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await said(page, 'Moved to Demo held, 3 of 6')
    await becomes(() => stageOf('Portable analysers, first fleet of twelve'), 'demo')
    await becomes(focused, 'Portable analysers, first fleet of twelve')
    await page.keyboard.press('Control+z')
    await becomes(() => stageOf('Portable analysers, first fleet of twelve'), 'qualified')
  })

  test('a focus that comes late goes to its card, wherever that is by then', async () => {
    const page = await open()
    const title = 'Portable analysers, first fleet of twelve'
    await card(page, title).getByRole('link').focus()
    await page.keyboard.press('Space')
    await page.evaluate(() => {
      const asked: FrameRequestCallback[] = []
      window.requestAnimationFrame = (job) => asked.push(job)
      Object.assign(window, { drawFrame: () => asked.splice(0).map((job) => job(performance.now())) })
    })
    const drawFrame = () => page.evaluate('void drawFrame()')
    await page.keyboard.press('Escape')
    await drawFrame() // the focus of the card that was put back waits for the next frame
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await becomes(() => stageOf(title), 'demo')
    for (let frames = 0; frames < 5; frames++) await drawFrame()
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), title)
    await back(title, 'qualified')
  })

  test('the menu of a card moves it, without dragging', async () => {
    const page = await open()
    await card(page, 'Optical comparators').hover()
    await page.getByRole('button', { name: 'More for Optical comparators' }).click()
    await page.getByRole('menuitem', { name: 'Move the deal to a stage' }).click()
    await page.getByRole('menuitemradio', { name: 'Proposal sent' }).click()
    await becomes(() => stageOf('Optical comparators'), 'proposal')
    await back('Optical comparators', 'negotiation')
  })

  test('keys of the list act on the card that has the focus', async () => {
    const page = await open()
    await card(page, 'Tierney Foods').getByRole('link').focus()
    await page.keyboard.press('s')
    await page.getByRole('menu', { name: 'Move to stage' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('a')
    await page.getByRole('combobox', { name: 'Assign' }).fill('mateo')
    await page.keyboard.press('Enter')
    const id = server.deals['Framework agreement 2027 to 2029'].id
    await becomes(async () => (await server.getRecord(`/deals/${id}`)).owner_id, server.members.MI)
    await page.keyboard.press('$')
    await page.getByRole('textbox', { name: 'Amount' }).fill('CHF 12,500')
    await page.keyboard.press('Enter')
    await becomes(async () => {
      const { amount, currency } = await server.getRecord(`/deals/${id}`)
      return [amount, currency]
    }, [12500, 'CHF'])
    await server.patchRecord(`/deals/${id}`, { amount: 74000, currency: 'EUR', owner_id: server.members.JL })
  })

  test('a new deal is added in its column, with its company, and the form stays for the next', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Add a deal to Demo held' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Title' }).fill('Service contract for 4 test benches')
    await page.getByRole('combobox', { name: 'Company' }).fill('Bench & Sons')
    await page.getByRole('option', { name: /Create “Bench & Sons”/ }).click()
    await page.getByRole('textbox', { name: 'Amount' }).fill('12,345.50')
    await page.keyboard.press('Enter')
    await card(page, 'Service contract').waitFor()
    await becomes(async () => (await server.getRecord('/deals?q=Service%20contract')).data.length, 1)
    const find = async () => (await server.getRecord('/deals?q=Service%20contract')).data[0]
    await becomes(async () => (await find()).stage, server.stageIds.demo)
    const { amount, currency, owner_id, company_id } = await find()
    assert.deepEqual([amount, currency, owner_id], [12345.5, 'EUR', server.members.JL])
    assert.equal((await server.getRecord(`/companies/${company_id}`)).name, 'Bench & Sons')
    assert.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), '')
    await page.keyboard.press('Enter')
    await page.getByText('Give the deal a title.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('textbox', { name: 'Title' }).waitFor({ state: 'detached' })
  })

  test('filters narrow cards and sums, stand in the address, and are saved as a view', async () => {
    const page = await open()
    await page.keyboard.press('f')
    await page.getByRole('combobox', { name: 'Find a field' }).fill('owner')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: /Priya Raman/ }).click()
    await page.waitForURL(/owner_id\.in=/)
    await page.keyboard.press('Escape')
    await becomes(() => headOf(page, 'qualified'), 'Qualified, 2 deals, EUR 63,500')
    await page.goto(page.url())
    await page.waitForSelector('[data-card]')
    await becomes(() => headOf(page, 'qualified'), 'Qualified, 2 deals, EUR 63,500')
    await page.getByRole('button', { name: 'Save as view' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Priya’s deals')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\?view=[0-9a-f-]+$/)
    await becomes(() => headOf(page, 'qualified'), 'Qualified, 2 deals, EUR 63,500')
    await page.keyboard.press('m')
    await page.getByText('View changed').waitFor()
    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByText('View changed').waitFor({ state: 'detached' })
    await becomes(() => headOf(page, 'qualified'), 'Qualified, 2 deals, EUR 63,500')
  })

  test('a filter on what the rows do not have is answered by the server', async () => {
    const id = server.deals['Wind tunnel probes'].id
    const contact = await server.newId('/contacts', { last_name: 'Zbinden' })
    await server.patchRecord(`/deals/${id}`, { primary_contact_id: contact })
    const page = await open({ path: `/deals?primary_contact_id.in=${contact}` })
    await becomes(() => page.locator('[data-card] h3').allTextContents(), ['Wind tunnel probes'])
    await page.getByText('Zbinden').first().waitFor()
  })

  test('without a match, the filters are named and taken back', async () => {
    const page = await open()
    await page.goto(`${server.url}/deals?owner_id.in=${server.members.PR}&amount.gte=1000000`)
    await page.getByRole('heading', { name: 'No deal fits both filters' }).waitFor()
    await page.getByText('there would be 8.').waitFor()
    await page.getByRole('button', { name: 'Remove that filter' }).click()
    await page.waitForSelector('[data-card]')
  })

  test('a colleague sees a move at once, and who is looking at it', async () => {
    const mine = await open()
    const hers = await open({ as: 'PR' })
    await card(mine, 'Gas detection').getByRole('link').focus()
    await mine.keyboard.press('Space')
    await mine.keyboard.press('ArrowRight')
    await mine.keyboard.press('Enter')
    await column(hers, 'qualified').locator('h3', { hasText: 'Gas detection' }).waitFor()
    assert.match(await headOf(hers, 'lead'), /^Lead in, 5 deals/)
    const looking = { tab: 'a-tab-of-jonas', viewing: { kind: 'deals', id: server.deals['Wind tunnel probes'].id } }
    const jonas = await server.screens.signedIn({ id: server.members.JL as string })
    assert.equal((await jonas.call('POST', '/app/presence', looking)).status, 200)
    await card(hers, 'Wind tunnel probes').getByRole('img', { name: 'Jonas Lindqvist is looking at it' }).waitFor()
    await back('Gas detection, tank farm', 'lead')
    await column(hers, 'lead').locator('h3', { hasText: 'Gas detection' }).waitFor()
  })

  test('under the pointer nothing moves: what came is counted, what left is an outline', async () => {
    const page = await open()
    await card(page, 'Calibration lab').hover()
    await back('Replacement gauges, plant 2', 'demo')
    await card(page, 'Replacement gauges').locator('.moved', { hasText: 'Moved to Demo held' }).waitFor()
    assert.equal((await titlesIn(page, 'lead'))[0], 'Replacement gauges, plant 2')
    await back('Replacement gauges, plant 2', 'lead')
    await becomes(async () => card(page, 'Replacement gauges').locator('.moved').count(), 0)
  })

  test('two who move the same deal: the second sees both and decides', async () => {
    const page = await open()
    const title = 'Colour measurement, glaze line'
    await page.context().setOffline(true)
    await card(page, title).getByRole('link').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await back(title, 'lead')
    await page.context().setOffline(false)
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await page.getByText(/moved it to Lead in. You chose Proposal sent/).waitFor()
    await page.getByRole('button', { name: 'Use mine' }).click()
    await becomes(() => stageOf(title), 'proposal')
    await back(title, 'demo')
  })

  test('what the server refuses goes back, and is said', async () => {
    const page = await open()
    const title = 'Humidity control, archive rooms'
    await page.route('**/api/v1/deals/*', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({
            status: 422,
            headers: { [ECHO]: route.request().headers()[ECHO.toLowerCase()] as string },
            contentType: 'application/problem+json',
            body: JSON.stringify({
              status: 422,
              code: 'invalid_fields',
              detail: 'x',
              errors: [{ pointer: '/stage', code: 'stage_not_open', message: 'must be an open stage' }],
            }),
          })
        : route.continue(),
    )
    await card(page, title).getByRole('link').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page
      .getByText(/was not moved/)
      .first()
      .waitFor()
    assert.equal(await stageOf(title), 'proposal')
    await page.unrouteAll()
  })

  test('the selection is changed together', async () => {
    const page = await open()
    await card(page, 'Loggers for 14').getByRole('link').focus()
    await page.keyboard.press('x')
    await page.keyboard.press('Shift+J')
    const bar = page.getByRole('toolbar', { name: 'Change the selected deals' })
    await bar.getByText('2 selected').waitFor()
    await page.keyboard.press('s')
    await page.getByRole('menuitemradio', { name: 'Demo held' }).click()
    await becomes(() => stageOf('Portable analysers, first fleet of twelve'), 'demo')
    await becomes(() => stageOf('Loggers for 14 delivery vans'), 'demo')
    await page.keyboard.press('Control+z')
    await becomes(() => stageOf('Loggers for 14 delivery vans'), 'qualified')
    await becomes(() => stageOf('Portable analysers, first fleet of twelve'), 'qualified')
    await page.keyboard.press('Escape')
    await bar.waitFor({ state: 'detached' })
  })

  test('on a phone there is one stage at a time, and the menu moves', async () => {
    const page = await open({ width: 390, height: 844, touch: true })
    await page.getByRole('tab', { name: /Qualified/ }).tap()
    await card(page, 'Loggers for 14').waitFor()
    assert.equal(await card(page, 'Replacement gauges').count(), 0)
    await page.getByRole('button', { name: 'More for Annual service, 38 instruments' }).tap()
    await page.getByRole('menuitem', { name: 'Move the deal to a stage' }).tap()
    await page.getByRole('menuitemradio', { name: 'Lead in' }).tap()
    await becomes(() => stageOf('Annual service, 38 instruments'), 'lead')
    await back('Annual service, 38 instruments', 'qualified')
    const small = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('.stages button, .card .more, .bar button')]
        .filter(
          (each) =>
            each.getClientRects().length > 0 &&
            (each.offsetWidth < 44 || each.offsetHeight < 44) &&
            each.offsetHeight < 44,
        )
        .map((each) => each.outerHTML.slice(0, 80)),
    )
    assert.deepEqual(small, [])
  })

  test('keeps nothing of what it has drawn before', async () => {
    const page = await open()
    const ids = await page
      .locator('[data-card]')
      .evaluateAll((all) => all.map((each) => each.getAttribute('data-card') as string))
    const session = await page.context().newCDPSession(page)
    const heapAfter = async (from: number, to: number): Promise<number> => {
      for (let number = from; number < to; number++) {
        await server.patchRecord(`/deals/${ids[number % ids.length]}`, { title: `Event ${number}.` })
        await card(page, `Event ${number}.`).waitFor()
      }
      await session.send('HeapProfiler.collectGarbage')
      return (await session.send('Runtime.getHeapUsage')).usedSize
    }
    const before = await heapAfter(0, 20)
    const grown = (await heapAfter(20, 60)) - before
    assert.ok(grown < 1_000_000, `${grown} bytes in 40 events`)
  })
})
