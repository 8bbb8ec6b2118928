import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { companyStore } from '../../src/crm/companies.ts'
import { contactStore } from '../../src/crm/contacts.ts'
import { noBrowser, startChromium } from '../support/chromium.ts'
import { openPage } from '../support/page.ts'
import { until } from '../support/until.ts'
import { type KitBoard, startKitBoard } from './deals/kit-board.ts'

// A list and a record on paper: all that is loaded, whole, in ink on white, without what acts on a screen.

const COUNT = 60

describe('on paper', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  let cookie: string
  let contact: string

  before(async () => {
    server = await startKitBoard({ only: 'settings' })
    browser = await startChromium()
    cookie = (await server.screens.signedIn({ id: server.members.AK as string })).cookie
    const { store, deps, a } = server
    const [companies, contacts] = [companyStore(deps), contactStore(deps)]
    const who = { org: a.org, member: null }
    store.transaction(() => {
      for (let n = 0; n < COUNT; n++) {
        const company_id = companies.create(who, { name: `Works ${n}` }).id
        const emails = [
          {
            email: `person.with.a.long.address.${n}@a-firm-with-a-long-name.example`,
            label: 'work' as const,
            is_primary: true,
          },
          { email: `second.${n}@other.example`, label: 'work' as const, is_primary: false },
        ]
        const owner_id = server.members.AK as string
        contact = contacts.create(who, { last_name: `Person ${n}`, company_id, owner_id, emails }).id
      }
    })
    await server.newId('/notes', { contact_ids: [contact], body: 'Asked for an offer.' })
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function open(path: string, ready: string, size: 'desktop' | 'phone' = 'desktop'): Promise<Page> {
    const page = await openPage(browser, server, { cookie }, path, { size, colorScheme: 'dark' })
    await page.locator(ready).first().waitFor()
    return page
  }

  /** What can be pressed or typed into, or is cut by its box. */
  const wrong = (page: Page) =>
    page.evaluate(() => {
      const shown = [...document.querySelectorAll<HTMLElement>('body *')].filter(
        (element) => element.checkVisibility() && element.getClientRects().length > 0 && !element.closest('.sr'),
      )
      const acts = shown.filter((element) => element.matches('input, textarea, select, button:not(.step), .side'))
      const cut = shown.filter((element) => {
        const { overflowX, overflowY } = getComputedStyle(element)
        return (
          (overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1) ||
          (overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 2)
        )
      })
      return [...acts, ...cut].map((element) => `${element.localName}.${element.className} ${element.textContent}`)
    })

  const colors = (page: Page) =>
    page.evaluate(() => {
      const { colorScheme } = getComputedStyle(document.documentElement)
      return [colorScheme, getComputedStyle(document.querySelector('main') as Element).backgroundColor]
    })

  for (const size of ['desktop', 'phone'] as const) {
    test(`a list from a ${size} has all rows that are loaded, with whole texts and heads on each page`, async () => {
      const page = await open('/contacts', size === 'phone' ? '.rowcard' : '[role=row][data-id]', size)
      const names = () => page.locator('.printed tbody td:nth-child(2)').allTextContents()
      // Names of companies that no row in view has shown come when the page has time.
      await until(async () => {
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
        if ((await names()).length >= COUNT && !(await names()).includes('…')) return true
        await page.emulateMedia({ media: 'screen', colorScheme: 'dark' })
        await page.locator('.printed').waitFor({ state: 'detached' })
        return page.evaluate(() => new Promise<void>((done) => requestIdleCallback(() => done())))
      }, 'all names are on the paper')
      const last = page.locator('.printed tr', { hasText: 'Person 59' })
      const text = (await last.innerText()).replaceAll(/\s+/g, ' ')
      for (const part of ['Works 59', 'person.with.a.long.address.59@a-firm-with-a-long-name.example', 'second.59@'])
        assert.ok(text.includes(part), `${part} in ${text}`)
      assert.match(text, /Ana/)
      assert.deepEqual(await wrong(page), [])
      assert.deepEqual(await colors(page), ['light', 'rgb(255, 255, 255)'])
      const heads = await page.evaluate(() => {
        const [head, row] = ['thead', 'tbody tr'].map((selector) =>
          getComputedStyle(document.querySelector(`.printed ${selector}`) as Element),
        )
        return [head?.display, row?.breakInside]
      })
      assert.deepEqual(heads, ['table-header-group', 'avoid'])
      await page.getByText(/^\d+ contacts$/).waitFor()
      await page.context().close()
    })
  }

  test('a print asked for by the browser has several pages, and the page is as it was after it', async () => {
    const page = await open('/contacts', '[role=row][data-id]')
    const pdf = (await page.pdf({ format: 'A4' })).toString('latin1')
    const pages = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0
    assert.ok(pages >= 2, `${pages} pages`)
    await page.locator('.printed').waitFor({ state: 'detached' })
    assert.ok(await page.locator('[role=row][data-id]').first().isVisible())
    await page.context().close()
  })

  for (const size of ['desktop', 'phone'] as const) {
    test(`a record from a ${size} has its fields, what happened, and what belongs to it`, async () => {
      const page = await open(`/contacts/${contact}`, '.record .ev', size)
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      await page.locator('.record .props').first().waitFor()
      const text = (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ')
      for (const part of ['Person 59', 'Works 59', 'Asked for an offer.', 'Ana'])
        assert.ok(text.includes(part), `${part} in ${text}`)
      assert.doesNotMatch(text, /Write a note|Add note/)
      assert.deepEqual(await wrong(page), [])
      assert.deepEqual(await colors(page), ['light', 'rgb(255, 255, 255)'])
      await page.context().close()
    })
  }
})
