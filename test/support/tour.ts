import type { Page } from 'playwright-core'

// Every screen of the browser app, and its main states: for pictures, and for the tests that look at all of them.

export type Stop = {
  name: string
  /** Of the tour's `links`, or a path. */
  path: string
  /** Seen without a session. */
  isOutside?: boolean
  /** Only where there is a keyboard and room, or only on a phone. */
  only?: 'wide' | 'phone'
  /** What is there once the screen is. */
  ready: string
  prepare?: (page: Page) => Promise<unknown>
}

const press =
  (...keys: string[]) =>
  async (page: Page) => {
    for (const key of keys) await page.keyboard.press(key)
  }

/** Presses keys, then waits until something is there. */
const until =
  (selector: string, ...keys: string[]) =>
  async (page: Page) => {
    await press(...keys)(page)
    await page.locator(selector).first().waitFor()
  }

/** Opens the page of the first record of a list. */
const openFirst = (kind: string) => async (page: Page) => {
  const first = page.locator(`main a[href^="/${kind}/"], main [role=row][data-id]`).first()
  await first.waitFor({ state: 'attached' })
  const path = (await first.getAttribute('href')) ?? `/${kind}/${await first.getAttribute('data-id')}`
  await page.goto(new URL(path, page.url()).href)
  await page.locator('.record .ev').first().waitFor({ state: 'attached' })
}

/** Opens the form for a new one on a list page, in any language. */
const openForm = async (page: Page) => {
  await page.locator('.bar .ends button').last().click()
  await page.locator('.page-form').waitFor()
}

/** Opens the panel of the first row of a list page. */
const openFirstRow = async (page: Page) => {
  await page.locator('.rows a').first().click()
  await page.locator('.pn h2').waitFor()
}

/** Opens the first conversation of the inbox; beside a list it is open already. */
const openFirstConversation = async (page: Page) => {
  if ((page.viewportSize()?.width ?? 0) <= 640) await page.locator('.cv a').first().click()
  await page.locator('.th .msg').first().waitFor()
}

const CARD = '[data-card]'
/** What the inbox of the tour needs beside the records: somebody who waits; of which contact, the caller says. */
export const WAITING = {
  direction: 'inbound',
  channel: 'chat',
  subject: 'Drawings for the spindle housing',
  body_text: 'Attached is the revised sheet. Two bores moved, everything else is as in 2024.',
}

/** Addresses in braces are links that the caller has made. */
export const TOUR: readonly Stop[] = [
  { name: 'inbox', path: '/inbox', ready: '.cv a' },
  { name: 'inbox-open', path: '/inbox?in=waiting', ready: '.cv a', prepare: openFirstConversation },
  { name: 'meetings', path: '/meetings', ready: '.meetings' },
  { name: 'sequences', path: '/sequences', ready: 'main a[href^="/sequences/"], .empty' },
  { name: 'reports', path: '/reports', ready: '.tile' },
  { name: 'board', path: '/deals', ready: CARD },
  { name: 'board-filter', path: '/deals', ready: CARD, only: 'wide', prepare: until('.popover, .pop', 'f') },
  {
    name: 'board-menu',
    path: '/deals',
    ready: CARD,
    only: 'wide',
    prepare: async (page) => {
      // Beside its title, which is a link and has the browser's own menu. Until the menu has come to the page, so has the card.
      const menu = page.getByRole('menu')
      while ((await menu.count()) === 0) {
        await page
          .locator(CARD)
          .nth(1)
          .click({ button: 'right', position: { x: 4, y: 4 } })
        await page.waitForTimeout(100)
      }
      await menu.waitFor()
    },
  },
  { name: 'board-selection', path: '/deals', ready: CARD, only: 'wide', prepare: press('j', 'x', 'Shift+J') },
  { name: 'board-lost', path: '/deals', ready: CARD, only: 'wide', prepare: press('j', 'Shift+L') },
  { name: 'board-add', path: '/deals', ready: CARD, only: 'wide', prepare: press('c', 'd') },
  {
    name: 'board-none-fits',
    path: '/deals?q=nothing-has-this-name',
    ready: 'main h1',
  },
  { name: 'deals-table', path: '/deals?shape=table', ready: 'main h1, main .bar' },
  { name: 'tasks', path: '/tasks', ready: 'main h1, main .bar' },
  { name: 'contacts', path: '/contacts', ready: 'main h1, main .bar' },
  { name: 'companies', path: '/companies', ready: 'main h1, main .bar' },
  { name: 'notices', path: '/notices', ready: 'main h1, main .bar' },
  { name: 'lists', path: '/lists', ready: 'main h1, main .bar' },
  { name: 'duplicates', path: '/duplicates', ready: 'main h1, main .bar' },
  {
    name: 'deal',
    path: '/deals',
    ready: CARD,
    prepare: openFirst('deals'),
  },
  {
    name: 'peek',
    path: '/deals',
    ready: CARD,
    only: 'wide',
    prepare: async (page) => {
      await page.locator(`${CARD} a`).first().focus()
      await until('.side-panel .ev', 'Enter')(page)
    },
  },
  { name: 'contact', path: '/contacts', ready: 'main h1, main .bar', prepare: openFirst('contacts') },
  { name: 'company', path: '/companies', ready: 'main h1, main .bar', prepare: openFirst('companies') },
  { name: 'settings-me', path: '/settings/me', ready: 'main h1, main .bar' },
  { name: 'settings-sign-in', path: '/settings/sign-in', ready: 'main h1, main .bar' },
  { name: 'settings-sessions', path: '/settings/sessions', ready: 'main h1, main .bar' },
  { name: 'settings-members', path: '/settings/members', ready: 'main h1, main .bar' },
  { name: 'settings-member', path: '/settings/members', ready: '.rows a', prepare: openFirstRow },
  { name: 'settings-invite', path: '/settings/members', ready: '.rows a', prepare: openForm },
  { name: 'settings-tokens', path: '/settings/tokens', ready: '.rows a, .empty' },
  { name: 'settings-token', path: '/settings/tokens', ready: '.rows a, .empty', prepare: openForm },
  { name: 'settings-changes', path: '/settings/changes', ready: 'main h1, main .bar' },
  { name: 'settings-rules', path: '/settings/rules', ready: '.rules, .empty' },
  { name: 'settings-satisfaction', path: '/settings/satisfaction', ready: '.asks' },
  { name: 'settings-bin', path: '/settings/bin', ready: '.bin .br, .empty' },
  { name: 'settings-operation', path: '/settings/operation', ready: '.op .checks, .empty' },
  {
    name: 'bell-changes',
    path: '/deals',
    ready: CARD,
    only: 'wide',
    prepare: async (page) => {
      await page.locator('.bell').first().click()
      await page.getByRole('tab', { name: 'My changes' }).click()
      await page.locator('.my-changes li, .my-changes .empty').first().waitFor()
    },
  },
  { name: 'palette', path: '/deals', ready: CARD, only: 'wide', prepare: until('dialog [role=option]', 'Control+k') },
  { name: 'keys', path: '/deals', ready: CARD, only: 'wide', prepare: until('dialog .keys-page', '?') },
  { name: 'not-found', path: '/nowhere', ready: '.nothing' },
  { name: 'sign-in', path: '/', isOutside: true, ready: 'form' },
  { name: 'join', path: '{join}', isOutside: true, ready: 'form' },
  { name: 'setup', path: '{setup}', isOutside: true, ready: 'form' },
  { name: 'dead-link', path: '/join#a-link-that-nobody-made', isOutside: true, ready: '.narrow h1' },
]
