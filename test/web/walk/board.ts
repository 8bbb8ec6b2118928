import assert from 'node:assert/strict'
import { becomes, until } from '../../support/until.ts'
import type { Day, Do, Hand, Step } from './hand.ts'

// Work on the board.

/** Goes to the next card of the board. */
const toCard: Do = async (day, { press, goByKeys }) => {
  const { page } = day
  await goByKeys('Deals')
  await page.locator('[data-card]').first().waitFor()
  const focused = () =>
    page.evaluate(() => document.activeElement?.closest('[data-card]')?.getAttribute('data-card') ?? null)
  const before = await focused()
  await press('j')
  day.id = await until(async () => {
    const now = await focused()
    return now !== before && now
  }, 'another card has the focus')
}

const pickCard: Do = async (day, { goByMouse }) => {
  await goByMouse('Deals')
  const card = day.page.locator('[data-card]').first()
  await card.waitFor()
  day.id = (await card.getAttribute('data-card')) as string
}

const isMoved = async (day: Day, { dealOf }: Hand) => (await dealOf(day)).stage !== day.before

const shows =
  (number: (day: Day) => number): Do =>
  (day) =>
    becomes(() => day.page.locator('[data-card]').count(), number(day))

export const BOARD: readonly Step[] = [
  {
    does: 'moves a deal to the next stage',
    async keyboard(day, hand) {
      await toCard(day, hand)
      day.before = (await hand.dealOf(day)).stage
      await hand.press('Space', 'ArrowRight', 'Enter')
    },
    async mouse(day, hand) {
      await pickCard(day, hand)
      day.before = (await hand.dealOf(day)).stage
      const { mouse } = day.page
      await hand.cardOf(day).hover()
      await mouse.down()
      const next = await day.page.locator(`[data-stage="${day.before}"] + [data-stage]`).boundingBox()
      assert.ok(next)
      await mouse.move(next.x + 60, next.y + 300, { steps: 12 })
      await day.page.locator('.in-hand').waitFor()
      await mouse.up()
    },
    ends: (day, hand) => becomes(() => isMoved(day, hand), true),
  },
  {
    does: 'takes the move back',
    keyboard: (_, { press }) => press('Control+z'),
    mouse: ({ page }) => page.locator('.toast').getByRole('button', { name: 'Undo' }).click(),
    ends: (day, hand) => becomes(() => isMoved(day, hand), false),
  },
  {
    does: 'changes an amount in place',
    async keyboard(day, hand) {
      await toCard(day, hand)
      await hand.press('$')
      await day.page.locator('input:focus').waitFor()
      await hand.press('Control+a')
      await hand.type(String(day.who.amount))
      await hand.press('Enter')
    },
    async mouse(day, hand) {
      await pickCard(day, hand)
      await hand.menuOf(hand.cardOf(day), 'Set the amount')
      const dialog = day.page.getByRole('dialog', { name: 'Amount' })
      await hand.write(dialog.getByRole('textbox'), String(day.who.amount))
      await dialog.getByRole('button', { name: 'Save' }).click()
    },
    async ends(day, { cardOf, saved, dealOf }) {
      await cardOf(day).getByText(day.who.amount.toLocaleString('en')).waitFor()
      await saved()
      assert.equal(Number((await dealOf(day)).amount), day.who.amount)
    },
  },
  {
    does: 'closes a deal as lost, with its reason',
    async keyboard(day, hand) {
      await toCard(day, hand)
      await hand.press('Shift+L')
      await day.page.locator('[role=menuitem]:focus', { hasText: 'Too expensive' }).waitFor()
      await hand.press('Enter')
    },
    async mouse(day, hand) {
      await pickCard(day, hand)
      await hand.menuOf(hand.cardOf(day), 'Close as lost')
      await hand.click('Too expensive', 'menuitem')
    },
    async ends(day, { cardOf, saved, dealOf }) {
      await cardOf(day).waitFor({ state: 'detached' })
      await saved()
      assert.equal((await dealOf(day)).status, 'lost')
    },
  },
  {
    does: 'sees only the own deals',
    async begins(day) {
      const { data } = await day.server.getRecord(
        `/deals?status=open&owner_id=${day.server.members[day.who.key]}&limit=100`,
      )
      day.own = data.length
      day.shown = await day.page.locator('[data-card]').count()
      assert.ok(day.own < day.shown)
    },
    async keyboard(day, hand) {
      await toCard(day, hand)
      await hand.press('m')
    },
    async mouse({ page }, { click }) {
      await click(/^Filter/)
      await click('Owner', 'option')
      await page.getByRole('option', { name: /^Me/ }).click()
    },
    ends: shows(({ own }) => own),
  },
  {
    does: 'sees all deals again',
    keyboard: (_, { press }) => press('m'),
    mouse: ({ page }) =>
      page
        .locator('.filters .chip')
        .getByRole('button', { name: /^Remove/ })
        .click(),
    ends: shows(({ shown }) => shown),
  },
]
