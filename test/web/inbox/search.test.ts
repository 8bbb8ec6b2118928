import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { pieces, runsIn } from '../../../src/web/lib/found.ts'
import { wordsToMark } from '../../../src/web/shell/commands/match.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { inboxOf } from '../../support/inbox.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import type { Row } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

test('words are marked as they are folded: at the beginning of words, all of them, and ß as a whole', () => {
  const marked = (text: string, ...words: string[]) =>
    pieces(text, words, true)
      .map(({ text, isHit }) => (isHit ? `[${text}]` : text))
      .join('')
  assert.equal(marked('Große Grosse, gross', 'gros'), '[Groß]e [Gros]se, [gros]s')
  assert.equal(marked('Straße', 'strass'), '[Straß]e')
  assert.equal(marked('Zoë zoe\u0308 azoe', 'zoe'), '[Zoë] [zoe\u0308] azoe')
  assert.equal(marked('a.b@c.example', 'b', 'c'), 'a.[b]@[c].example')
  assert.equal(marked('aaa', 'a', 'aa'), '[aa]a')
  assert.equal(marked('<b>x</b>', 'b'), '<[b]>x</[b]>')
  assert.deepEqual(runsIn('', ['x'], true), [])
})

test('marks stand where the words are, also behind umlauts and in the other spelling', () => {
  const marked = (text: string, typed: string) =>
    pieces(text, wordsToMark(typed), true)
      .map(({ text, isHit }) => (isHit ? `[${text}]` : text))
      .join('')
  const sentence = 'Für uns steht der Mensch im Mittelpunkt'
  assert.equal(marked(sentence, 'steht'), 'Für uns [steht] der Mensch im Mittelpunkt')
  assert.equal(marked('Wärmeschutz', 'wärmeschutz'), '[Wärmeschutz]')
  for (const typed of ['uber', 'über', 'ueber', 'Ueber']) assert.equal(marked('Über', typed), '[Über]', typed)
  for (const typed of ['Köln', 'Koeln']) assert.equal(marked('Köln, Koeln', typed), '[Köln], [Koeln]', typed)
  assert.equal(marked('Linßen Linssen', 'linssen'), '[Linßen] [Linssen]')
  assert.equal(marked('A4R, xA4R', 'a4r'), '[A4R], xA4R')
})

test('no more than 500 marks stand in a text, the first ones', () => {
  const text = 'a '.repeat(100_000)
  const marked = pieces(text, ['a'], true)
  assert.deepEqual([marked.filter(({ isHit }) => isHit).length, marked.length], [500, 1000])
  assert.equal(marked.map((piece) => piece.text).join(''), text)
  assert.deepEqual(runsIn('b a '.repeat(1000), ['a', 'b'], true).at(-1), { start: 998, end: 999 })
})

describe('searching in the inbox', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let inbox: ReturnType<typeof inboxOf>
  let member: SignedIn
  let page: Page

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now())
    screens = await startScreens(server)
    browser = await startChromium()
    inbox = inboxOf(server)
    member = await screens.signedIn('member')
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })

  const opened = (name: string, given: Row = {}): Promise<Row> =>
    inbox.opened({ channel: 'email', from: { name, email: `${name.toLowerCase()}@firm.example` }, ...given })
  async function show(path: string, options = {}): Promise<Page> {
    await page?.context().close()
    page = await openPage(browser, screens, member, path, options)
    await page.locator('.il .find-line input').waitFor()
    return page
  }
  const row = (name: string) => page.locator('.cv', { hasText: name })
  const marks = (place: string) => page.locator(`${place} mark`).allTextContents()

  test('marks subject and the line of the text, in closed conversations too, and goes to the message', async () => {
    const { id } = await opened('Ada', { subject: 'Die Größe', body_text: 'Hello\nWelche grosse Kiste <b>x</b>?' })
    for (let count = 0; count < 30; count++)
      await inbox.say('inbound', id, { body_text: `Later ${'line\n'.repeat(8)}` })
    await inbox.patch(id, { status: 'closed' })
    await opened('Bea', { subject: 'Else' })
    await show('/inbox')
    await page.getByLabel('Search text, people and files').fill('gros')
    await row('Ada').locator('.last mark').waitFor()
    assert.equal(await row('Ada').locator('.last .cut').textContent(), 'Welche grosse Kiste <b>x</b>?')
    assert.deepEqual(await marks('.cv .subject'), ['Größ'])
    assert.deepEqual(await marks('.cv .last'), ['gros'])
    assert.equal(await row('Bea').count(), 0)
    await page.getByRole('heading', { name: 'Found' }).waitFor()
    await row('Ada').locator('a').click()
    const mark = page.locator('.msg mark')
    await mark.first().waitFor()
    assert.deepEqual(await marks('.msg .said'), ['gros'])
    await until(() =>
      mark.first().evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect()
        const box = element.closest('.msgs')?.getBoundingClientRect() as DOMRect
        return top >= box.top && bottom <= box.bottom
      }),
    )
    await assertAccessible(page)
    await page.getByLabel('Search text, people and files').fill('')
    await until(async () => (await marks('.ix')).length === 0)
  })

  test('opens a folded quote and shows a note with the hit; names and files are marked', async () => {
    const said = 'The quick brown fox jumps over the lazy dog'
    const { id } = await opened('Cem', {
      subject: 'Quotes',
      body_text: said,
      attachments: [{ name: 'foxes.pdf', data: '' }],
    })
    await inbox.say('inbound', id, { body_text: `Yes\n\n> ${said}\n` })
    await inbox.say('note', id, { body_text: 'A **fox** and `fox_trot`' })
    await show(`/inbox?c=${id}`)
    await page.locator('details.quoted').waitFor()
    assert.equal(await page.locator('details.quoted[open]').count(), 0)
    await show(`/inbox?c=${id}&q=fox`)
    await page.locator('details.quoted[open] mark').waitFor()
    assert.deepEqual(await marks('.msg.is-note .markdown'), ['fox', 'fox'])
    assert.deepEqual(await marks('.files'), ['fox'])
    await show(`/inbox?c=${id}&q=cem`)
    await page.locator('.msg header mark').first().waitFor()
    await assertAccessible(page)
  })

  test('marks inside of the frame of a mail, without making markup of its text', async () => {
    const body_html = '<p>Die Straße &lt;i&gt;strasse&lt;/i&gt;</p><p title="strasse">x</p>'
    const { id } = await opened('Dov', { body_text: 'strasse', body_html })
    await show(`/inbox?c=${id}&q=STRASSE`)
    const frame = page.frameLocator('.mail-frame')
    await frame.locator('mark').first().waitFor()
    assert.deepEqual(await frame.locator('mark').allTextContents(), ['Straße', 'strasse'])
    assert.equal(await frame.locator('i').count(), 0)
    await page.getByLabel('Search text, people and files').fill('die')
    await until(async () => (await frame.locator('mark').allTextContents()).join() === 'Die')
  })

  test('puts the conversation with the number first, by keyboard', async () => {
    const one = await opened('Eli', { subject: 'Numbered' })
    await inbox.patch(one.id, { status: 'closed' })
    await opened('Fay', { body_text: `In the address of a picture: ${one.number}` })
    await show('/inbox')
    await page.keyboard.press('/')
    await page.keyboard.type(String(one.number))
    await until(async () => (await page.locator('.cv .name').allTextContents()).join() === 'Eli,Fay')
    await page.locator('.cv .subject', { hasText: `#${one.number} Numbered` }).waitFor()
    await page.keyboard.press('Tab')
    await page.locator('.cv a').first().focus()
    await page.keyboard.press('Enter')
    await page.locator('.th').getByRole('heading', { name: 'Numbered' }).waitFor()
    await page.locator('.cv a').first().focus()
    await page.keyboard.press('j')
    await until(async () => (await page.locator('.cv a[aria-current]').textContent())?.includes('Fay') === true)
  })

  test('on a phone and in German', async () => {
    await member.call('PATCH', '/app/preferences', { language: 'de' })
    await show('/inbox?q=gros', { size: 'phone' })
    await page.getByLabel('Text, Personen und Dateien durchsuchen').waitFor()
    await row('Ada').locator('.last mark').waitFor()
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
    await assertAccessible(page)
  })
})
