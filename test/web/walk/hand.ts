import type { Locator, Page } from 'playwright-core'
import type { KitBoard } from '../deals/kit-board.ts'

// What the steps of a day's work are made of: each is done by keyboard and by mouse, and ends the same.

export type Way = 'keyboard' | 'mouse'

/** Who works, and what they make: it differs from what the other one has made before. */
export type Who = { key: string; contact: string; industry: string; amount: number }

/** What steps share: `id` is the deal or company that is worked on. */
export type Day = { page: Page; server: KitBoard; who: Who; id: string; before: string; shown: number; own: number }

export type Do = (day: Day, hand: Hand) => Promise<unknown>
export type Step = { does: string; begins?: Do; keyboard: Do; mouse: Do; ends: Do }

export type Hand = ReturnType<typeof handOf>

/** The hand on the page of a day. By mouse, keys only write into fields. */
export function handOf({ page, server }: Pick<Day, 'page' | 'server'>) {
  const type = (text: string) => page.keyboard.type(text)
  async function press(...keys: string[]): Promise<void> {
    for (const key of keys) await page.keyboard.press(key)
  }
  const click = (
    name: string | RegExp,
    role: 'button' | 'link' | 'option' | 'menuitem' | 'menuitemradio' | 'tab' = 'button',
  ) =>
    page
      .getByRole(role, { name, exact: typeof name === 'string' })
      .first()
      .click()
  /** Writes over what is in a field. */
  async function write(field: Locator, text: string): Promise<void> {
    await field.click({ clickCount: 3 })
    await type(text)
  }
  const saved = () => page.getByText('Everything saved').first().waitFor()

  /** By the palette: `typed` finds the row with this text. */
  async function find(
    typed: string,
    row: string,
    open: () => Promise<unknown>,
    choose: (row: Locator) => Promise<unknown>,
  ) {
    await open()
    await page.locator('dialog [role=option]').first().waitFor()
    await type(typed)
    const found = page.locator('dialog [role=option][aria-selected=true]', { hasText: row })
    await found.waitFor()
    await choose(found)
    await page.locator('dialog [role=option]').first().waitFor({ state: 'detached' })
  }
  /** From anywhere, also from inside a field. */
  const findByKeys = (typed: string, row: string) =>
    find(
      typed,
      row,
      () => press('Control+k'),
      () => press('Enter'),
    )
  /** The screen before stays until the code of the next one is here, with its table and its search. */
  const arrives = (place: string) => page.getByRole('heading', { name: place, level: 1, exact: true }).waitFor()
  async function goByKeys(place: string): Promise<void> {
    await findByKeys(`go to ${place}`, `Go to ${place}`)
    await arrives(place)
  }
  const findByMouse = (typed: string, row: string) =>
    find(
      typed,
      row,
      () => page.locator('.side .find').click(),
      (found) => found.click(),
    )
  async function goByMouse(place: string): Promise<void> {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place }).first().click()
    await arrives(place)
  }

  const dealOf = ({ id }: Day) => server.getRecord(`/deals/${id}`)
  const menuOf = async (card: Locator, item: string) => {
    await card.hover()
    await card.getByRole('button', { name: /^More for/ }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  const cardOf = ({ id }: Day) => page.locator(`[data-card="${id}"]`)
  return {
    type,
    press,
    click,
    write,
    saved,
    findByKeys,
    goByKeys,
    findByMouse,
    goByMouse,
    dealOf,
    menuOf,
    cardOf,
  }
}
