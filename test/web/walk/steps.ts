import assert from 'node:assert/strict'
import { PASSWORD } from '../../support/screens.ts'
import { BOARD } from './board.ts'
import type { Step } from './hand.ts'
import { LISTS } from './lists.ts'

const TITLE = 'Pressure test stand'
const NOTE = 'They want the stand before Easter.'

/** In the order of a day; each goes on where the one before ended. */
export const STEPS: readonly Step[] = [
  {
    does: 'signs in',
    begins: ({ page }) => page.getByLabel('Email').waitFor(),
    async keyboard({ page, who }, { type, press }) {
      await type(`${who.key.toLowerCase()}@tarn.example`)
      await press('Tab')
      if ((await page.evaluate(() => document.activeElement?.getAttribute('type'))) !== 'password') await press('Tab')
      await type(PASSWORD)
      await press('Enter')
    },
    async mouse({ page, who }, { write, click }) {
      await write(page.getByLabel('Email'), `${who.key.toLowerCase()}@tarn.example`)
      await write(page.getByLabel('Password', { exact: true }), PASSWORD)
      await click('Sign in')
    },
    ends: ({ page }) => page.locator('[data-card]').first().waitFor(),
  },
  {
    does: 'finds a deal in the palette and opens it',
    keyboard: (_, { findByKeys }) => findByKeys('pressure test', TITLE),
    mouse: (_, { findByMouse }) => findByMouse('pressure test', TITLE),
    async ends({ page, server }) {
      await page.waitForURL(`**/deals/${server.deals[TITLE].id}`)
      await page.getByRole('heading', { name: TITLE }).first().waitFor()
    },
  },
  {
    does: 'writes a note on the open deal',
    begins: ({ page }) => page.getByRole('tab', { name: 'Note', exact: true }).waitFor(),
    async keyboard({ page, who }, { type, press }) {
      await press('n')
      await page.locator('textarea:focus').waitFor()
      await type(`${who.key}: ${NOTE}`)
      await press('Control+Enter')
    },
    async mouse({ page, who }, { type, click }) {
      await click('Note', 'tab')
      await page.locator('textarea:focus').waitFor()
      await type(`${who.key}: ${NOTE}`)
      await click(/^Add note/)
    },
    async ends({ page, server, who }, { saved }) {
      await page.locator('main .ev').getByText(`${who.key}: ${NOTE}`).first().waitFor()
      await saved()
      const { data } = await server.getRecord(`/notes?deal_id=${server.deals[TITLE].id}`)
      assert.ok(data.some(({ body }: { body: string }) => body === `${who.key}: ${NOTE}`))
    },
  },
  ...BOARD,
  ...LISTS,
  {
    does: 'changes the appearance',
    async keyboard(_, { press, findByKeys }) {
      await press('Escape')
      await findByKeys('dark app', 'Dark')
    },
    async mouse(_, { click }) {
      await click(/^Tarn Instruments/)
      await click('Dark', 'menuitemradio')
    },
    ends: ({ page }) => page.locator('html[data-theme=dark]').waitFor(),
  },
  {
    does: 'signs out',
    async keyboard(_, { findByKeys }) {
      await findByKeys('sign out', 'Sign out')
    },
    async mouse(_, { click }) {
      await click(/^Tarn Instruments/)
      await click(/^Sign out/, 'menuitem')
    },
    async ends({ page }) {
      await page.getByLabel('Password').first().waitFor()
      const names = (await page.context().cookies()).map(({ name }) => name)
      assert.deepEqual(
        names.filter((name) => !name.includes('device')),
        [],
      )
    },
  },
]
