import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { boardRows } from '../../../src/web/data/board-wire.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { until } from '../../support/until.ts'
import { openBoard } from './board-page.ts'
import { type KitBoard, NOW, startKitBoard } from './kit-board.ts'

// A board of 5,000 open deals: the budgets of what is mounted and sent, and one of more than it can show. No times are asserted.

const COUNT = 5000
const TOO_MANY = 24_000
const CURRENCIES = ['EUR', 'EUR', 'EUR', 'CHF', 'GBP']

/** As rows of the database: by requests this would take a minute. `stageOf` is the place of the stage of each. */
function fill(server: KitBoard, count: number, stageOf = (index: number, stages: number) => index % stages): void {
  const { db, clock } = server.store
  const stages = Object.values(server.stageIds)
  const owners = Object.values(server.members)
  const insert = db.prepare(
    `INSERT INTO deals (org_id, id, title, title_key, amount_micros, currency, stage_id, status, owner_id, tag_ids,
       expected_close_date, stage_changed_at, created_at, updated_at, version)
     VALUES (@org, @id, @title, @title, @amount, @currency, @stage, 'open', @owner, '[]', '2026-12-18', @at, @at, @at, 1)`,
  )
  server.store.transaction(() => {
    for (let index = 0; index < count; index++) {
      insert.run({
        org: server.a.org,
        id: clock.id(),
        title: index % 3 === 0 ? `deal ${index} with a title that takes two lines of its card` : `deal ${index}`,
        amount: index * 1_000_000,
        currency: CURRENCIES[index % CURRENCIES.length] ?? 'EUR',
        stage: stages[stageOf(index, stages.length)] ?? '',
        owner: owners[index % owners.length] ?? '',
        at: NOW - (index % 40) * 86_400_000,
      })
    }
  })
}

describe('a board of 5,000 deals', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  let page: Page

  before(async () => {
    server = await startKitBoard({ only: 'settings' })
    fill(server, COUNT)
    browser = await startChromium()
    const opened = await openBoard(browser, server)
    page = opened.page
    await page.waitForSelector('[data-card]')
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  const counts = () =>
    page.evaluate(() => ({
      cards: document.querySelectorAll('[data-card]').length,
      elements: document.querySelectorAll('*').length,
    }))

  test('has at most 150 cards in the page, wherever its columns are scrolled to', async () => {
    assert.match(await page.locator('.sumbar').innerText(), /5,?000 open/)
    const first = await counts()
    assert.ok(first.cards >= 30 && first.cards <= 150, `${first.cards} cards`)
    assert.ok(first.elements <= 2500, `${first.elements} elements`)
    for (const part of [0.3, 0.7, 1]) {
      await page.evaluate((share) => {
        for (const cards of document.querySelectorAll('.cards')) cards.scrollTop = cards.scrollHeight * share
      }, part)
      await page.waitForFunction(() => {
        const cards = document.querySelector('.cards')
        const box = cards?.getBoundingClientRect()
        if (!cards || !box) return false
        return [...cards.querySelectorAll('[data-card]')].some((card) => {
          const own = card.getBoundingClientRect()
          return own.top < box.top + box.height / 2 && own.bottom > box.top
        })
      })
      const { cards } = await counts()
      assert.ok(cards <= 150, `${cards} cards at ${part}`)
    }
  })

  test('is sent in one answer of at most 150 KB', async () => {
    const { cookie } = await server.screens.signedIn({ id: server.members.JL as string })
    const { status, text } = await server.screens.send('GET', `/app/board?pipeline_id=${server.pipeline}`, undefined, {
      cookie,
    })
    assert.equal(status, 200)
    const bytes = gzipSync(text).length
    assert.ok(bytes <= 150_000, `${bytes} bytes`)
    assert.equal(boardRows(JSON.parse(text)).length, COUNT)
  })

  test('leads by keys from the first to the last card of a column', async () => {
    await page.locator('[data-card] a').first().focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('End')
    await page.waitForFunction(() => document.activeElement?.closest('[aria-posinset="1000"]') !== null)
    await page.keyboard.press('ArrowUp')
    await page.waitForFunction(() => document.activeElement?.closest('[aria-posinset="999"]') !== null)
  })

  test('takes a key while the focus is on its way to a card that is not in the page yet', async () => {
    // Far from both ends, so that neither card is in the page.
    await page.evaluate(() => {
      const cards = document.querySelector('.cards') as HTMLElement
      cards.scrollTop = cards.scrollHeight / 2
    })
    await page.waitForFunction(() => document.querySelector('[aria-posinset="500"]') !== null)
    await page.locator('[aria-posinset="500"] a').first().focus()
    await page.evaluate(() => {
      const held: FrameRequestCallback[] = []
      const real = window.requestAnimationFrame
      window.requestAnimationFrame = (callback) => held.push(callback)
      Object.assign(window, {
        nextFrame: () => {
          for (const callback of held.splice(0)) callback(performance.now())
        },
        frames: () => {
          window.requestAnimationFrame = real
          for (const callback of held.splice(0)) real(callback)
        },
      })
    })
    await page.keyboard.press('Home')
    await page.evaluate('nextFrame()')
    await page.keyboard.press('End')
    await page.evaluate('frames()')
    await page.waitForFunction(() => document.activeElement?.closest('[aria-posinset="1000"]') !== null)
  })
})

describe('a board of more deals than it can show', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  let page: Page

  before(async () => {
    server = await startKitBoard({ only: 'settings' })
    // All but a few in one stage: read one after the other, the others would be empty.
    fill(server, TOO_MANY, (index, stages) => (index % 100 === 0 ? 1 + ((index / 100) % (stages - 1)) : 0))
    browser = await startChromium()
    ;({ page } = await openBoard(browser, server))
    await page.waitForSelector('.board-beyond')
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  /** The number in the head of each column. */
  const heads = () => page.locator('[data-stage] header .n').allInnerTexts()

  function counted(): string[] {
    const { db } = server.store
    const count = db.prepare('SELECT count(*) FROM deals WHERE org_id = ? AND stage_id = ?').pluck()
    const numbers = new Intl.NumberFormat('en-GB')
    return Object.values(server.stageIds).map((stage) => numbers.format(count.get(server.a.org, stage) as number))
  }

  test('says so, and counts and adds up all of them', async () => {
    assert.match(await page.locator('.board-beyond').innerText(), /20,000 of 24,000/)
    await until(async () => (await heads()).join() === counted().join()) // the sums come after the cards
    assert.match(await page.locator('.sumbar').innerText(), /24,000 open/)
    const { db } = server.store
    const [sum] = db
      .prepare("SELECT sum(amount_micros) / 1000000 FROM deals WHERE org_id = ? AND currency = 'EUR'")
      .raw()
      .get(server.a.org) as [number]
    assert.ok((await page.locator('.sumbar').innerText()).includes(new Intl.NumberFormat('en-GB').format(sum)))
  })

  test('brings those that a filter asks for, whichever were here, and all again without it', async () => {
    const search = page.getByPlaceholder('Search in this view')
    // The first ones of the large stage, or the last ones, are beyond what is read.
    await search.focus() // it has no width before
    for (const title of ['deal 7003', 'deal 23999']) {
      await search.fill(title)
      const name = new RegExp(`^${title}( |$)`)
      await until(async () => (await page.getByRole('link', { name }).count()) > 0)
      await until(async () => (await page.locator('.board-beyond').count()) === 0) // all that fit are here
    }
    await search.fill('')
    await until(async () => (await heads()).join() === counted().join())
    assert.match(await page.locator('.board-beyond').innerText(), /20,000 of 24,000/)
  })
})
