import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { factsIn, readCall } from '../../../src/web/shell/calls/call.ts'
import { noBrowser } from '../../support/chromium.ts'
import { type Row, recordsOf } from '../../support/records.ts'
import { becomes } from '../../support/until.ts'
import { close, type Site, startSite } from '../shell/site.ts'

// A call in one line: from the record, from the palette and by a key. It is a task of the type call that is done.

let site: Site
const pages: Page[] = []
const { newContact, newDeal, getRecord } = recordsOf(() => site.server)
before(async () => {
  if (!noBrowser) site = await startSite()
})
afterEach(async () => {
  for (const page of pages.splice(0)) await close(page)
})
after(() => site?.stop())

async function open(path: string, options: Parameters<Site['openAs']>[2] = {}): Promise<Page> {
  const { page } = await site.openAs('member', path, options)
  pages.push(page)
  return page
}
const calls = async (link: string): Promise<Row[]> => (await getRecord(`/tasks?type=call&${link}`)).data

test('a line says how a call went, in both languages', () => {
  const lines: [string, object][] = [
    ['reached her, wants the offer by Friday', { direction: 'outgoing', outcome: 'reached' }],
    ['Left a message', { direction: 'outgoing', outcome: 'message left' }],
    ['no answer', { direction: 'outgoing', outcome: 'no answer' }],
    ["didn't reach him", { direction: 'outgoing', outcome: 'no answer' }],
    ['she called about the invoice', { direction: 'incoming' }],
    ['Nicht erreicht', { direction: 'outgoing', outcome: 'no answer' }],
    ['Erreicht, will das Angebot', { direction: 'outgoing', outcome: 'reached' }],
    ['Hat angerufen wegen der Rechnung', { direction: 'incoming' }],
    ['wants the offer by Friday', {}],
    ['the unreached goal', {}],
  ]
  for (const [line, facts] of lines) assert.deepEqual(readCall(line), facts, line)
  assert.deepEqual(factsIn('Long text\nDirection: incoming\nOutcome: no answer'), {
    direction: 'incoming',
    outcome: 'no answer',
    rest: 'Long text',
  })
  assert.deepEqual(factsIn('Outcome: married'), { rest: 'Outcome: married' })
})

describe('a call', { skip: noBrowser }, () => {
  test('is logged by a key and a line, is there for programs, and Z takes it back', async () => {
    const ana = await newContact({ first_name: 'Ana', last_name: 'Calls' })
    const page = await open(`/contacts/${ana.id}`)
    await page.getByRole('tab', { name: 'Call', exact: true }).waitFor()
    await page.keyboard.press('p')
    await page.keyboard.type('reached her, wants the offer by Friday')
    assert.equal(await page.getByRole('combobox', { name: 'Outcome' }).inputValue(), 'reached')
    await page.keyboard.press('Enter')
    await page.getByText('Call logged').first().waitFor()
    const [call] = await calls(`contact_id=${ana.id}`)
    assert.deepEqual(
      [call.title, call.status, call.body, call.completed_at !== null, call.owner_id !== null],
      ['reached her, wants the offer by Friday', 'done', 'Direction: outgoing\nOutcome: reached', true, true],
    )
    const entry = page.locator('.timeline, .tl').first()
    await entry.getByText('reached her, wants the offer by Friday').waitFor()
    assert.equal(await entry.getByText('Outgoing · Reached').count(), 1)
    // It was never to be done.
    assert.equal(await entry.getByText('reached her, wants the offer by Friday').count(), 1)
    assert.equal(await page.getByRole('textbox', { name: 'What was said' }).inputValue(), '')
    await page.locator('.toast').getByRole('button', { name: /Undo/ }).click()
    await becomes(async () => (await calls(`contact_id=${ana.id}`)).length, 0)
  })

  test('has the day, the direction and the outcome that were chosen; a long text is kept whole', async () => {
    const ana = await newContact({ first_name: 'Ana', last_name: 'Chosen' })
    const deal = await newDeal({ title: 'Chosen deal', primary_contact_id: ana.id })
    const page = await open(`/deals/${deal.id}`, { width: 390, height: 800 })
    await page.goto(`${site.url}/deals/${deal.id}?compose=call`)
    const text = `They want ${'all of it and '.repeat(30)}the rest`
    await page.getByRole('textbox', { name: 'What was said' }).fill(text)
    await page.getByRole('combobox', { name: 'Direction' }).selectOption('Incoming')
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('Message left')
    await page.getByLabel('Day of the call').fill('2026-01-15')
    await page.getByLabel('Time of the call').fill('16:30')
    await page.getByRole('button', { name: 'Log call' }).click()
    await page.getByText('Call logged').first().waitFor()
    const [call] = await calls(`contact_id=${ana.id}`)
    assert.deepEqual([call.deal_ids, call.due_at, [...call.title].length], [[deal.id], '2026-01-15T15:30:00.000Z', 255])
    assert.equal(call.body, `${text}\nDirection: incoming\nOutcome: message left`)
    await page.getByText('Incoming · Message left').waitFor()
  })

  test('is logged from the palette, with the one who is named', async () => {
    const zed = await newContact({ first_name: 'Zedna', last_name: 'Only' })
    const twins = [
      await newContact({ first_name: 'Twinna', last_name: 'One' }),
      await newContact({ first_name: 'Twinna', last_name: 'Two' }),
    ]
    const page = await open('/deals')
    await page.locator('h1').first().waitFor()
    const say = async (text: string) => {
      await page.keyboard.press('Control+k')
      await page
        .getByRole('combobox', { name: /Search/ })
        .first()
        .fill(text)
      await page
        .getByRole('option', { name: /Log call/ })
        .first()
        .waitFor()
      await page.keyboard.press('Enter')
    }
    await say('log call Zedna: no answer')
    await page.getByText('Call with Zedna Only logged').first().waitFor()
    assert.deepEqual(
      (await calls(`contact_id=${zed.id}`)).map(({ title }) => title),
      ['no answer'],
    )

    // Of two it is not certain which.
    await say('log call Twinna: left a message')
    const dialog = page.getByRole('dialog', { name: 'Log a call' })
    await dialog.getByRole('button', { name: 'Log call' }).click()
    await dialog.getByText('Say with whom.').waitFor()
    await dialog.getByRole('combobox', { name: 'With whom' }).click()
    await dialog.getByRole('option', { name: /Twinna Two/ }).click()
    assert.equal(await dialog.getByRole('combobox', { name: 'Outcome' }).inputValue(), 'message left')
    await dialog.getByRole('button', { name: 'Log call' }).click()
    await page.getByText('Call with Twinna Two logged').first().waitFor()
    assert.equal((await calls(`contact_id=${twins[1].id}`)).length, 1)
    assert.equal((await calls(`contact_id=${twins[0].id}`)).length, 0)
    // By its keys, without anybody on the page.
    await page.keyboard.press('c')
    await page.keyboard.press('l')
    await dialog.waitFor()
    await page.keyboard.press('Escape')
  })
})
