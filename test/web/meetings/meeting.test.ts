import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { SUPPORT, setMailboxes } from '../../support/mailbox.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import { recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const HOUR_MS = 3_600_000

describe('the page of a meeting', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let ana: SignedIn
  let page: Page
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-test-'))
  const { newContact } = recordsOf(() => server)

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now()) // pages go by the clock of the server
    screens = await startScreens(server)
    browser = await startChromium()
    ana = await screens.signedIn('member')
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(() => page?.context().close())

  const at = (ms: number) => new Date(server.now() + ms).toISOString()
  const ok = async (method: string, path: string, body?: unknown) => {
    const answer = await ana.call(method, `/api/v1${path}`, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const make = (title: string, ms: number, more: Record<string, unknown> = {}) =>
    ok('POST', '/meetings', { title, starts_at: at(ms), ends_at: at(ms + HOUR_MS), ...more })
  const read = (id: string) => ok('GET', `/meetings/${id}`)
  const transcript = (id: string) => ok('GET', `/meetings/${id}/transcript?limit=100`)
  const show = async (path: string, options = {}, member = ana) => {
    page = await openPage(browser, screens, member, path, options)
    await page.locator('main h1').waitFor()
  }
  const SPEAKERS = [
    { key: 'jonas', name: 'Jonas Lindqvist' },
    { key: 'speaker_2', name: null },
    { key: 'speaker_3', name: null },
  ]
  const said = (speaker: string, seconds: number, text: string, length = 10) => ({
    speaker,
    start_ms: seconds * 1000,
    end_ms: (seconds + length) * 1000,
    text,
  })
  const TALK = [
    said('jonas', 0, 'So that is the picture for one line.'),
    said('speaker_2', 20, 'Can one gateway serve'),
    said('speaker_2', 30, 'both halls? We sit in St. Gallen.'),
    said('jonas', 60, 'One gateway is enough, a second gateway is a spare.'),
    said('speaker_3', 754, 'Then we take the gateway.', 240),
  ]
  const talk = async (title: string, more: Record<string, unknown> = {}) => {
    const meeting = await make(title, -2 * HOUR_MS, more)
    await ok('PUT', `/meetings/${meeting.id}/transcript`, { language: 'en', speakers: SPEAKERS, segments: TALK })
    return meeting
  }
  const find = () => page.getByRole('searchbox', { name: 'Search in what was said' })
  const here = () => page.locator('.segment.is-at')

  test('has an outcome from its start on, not before, and it can be taken back', async () => {
    const early = await make('Not yet', HOUR_MS)
    await show(`/meetings/${early.id}`)
    assert.equal(await page.getByRole('group', { name: 'What came of it' }).count(), 0)
    await page.context().close()
    const { id } = await make('It began', -HOUR_MS / 2)
    await show(`/meetings/${id}`)
    await page.getByRole('button', { name: 'Nobody came' }).click()
    await until(async () => (await read(id)).status === 'no_show')
    await page.getByRole('button', { name: 'It was held' }).click()
    await until(async () => (await read(id)).status === 'completed')
    await page.keyboard.press('z')
    await until(async () => (await read(id)).status === 'no_show')
    await page.getByRole('button', { name: 'Nobody came' }).click()
    await until(async () => (await read(id)).status === 'scheduled')
    await assertAccessible(page)
  })

  test('says who comes, and its facts are edited where they are read', async () => {
    const contact = await newContact({ first_name: 'Margit', last_name: 'Larsen' })
    const { id } = await make('Facts', HOUR_MS, {
      description: 'First the halls.\nThen the price.',
      participants: [
        { member_id: ana.id, role: 'organizer', response: 'accepted' },
        { contact_id: contact.id, response: 'tentative' },
        { email: 'roche@snam.example', response: 'declined' },
      ],
    })
    await show(`/meetings/${id}`)
    const people = page.getByRole('region', { name: 'Who comes' })
    assert.equal(
      await people.getByRole('link', { name: 'Margit Larsen' }).getAttribute('href'),
      `/contacts/${contact.id}`,
    )
    assert.deepEqual(await people.locator('.state').allTextContents(), ['tentative', 'declined'])
    await page.getByText('Then the price.').waitFor()
    await page.getByRole('region', { name: 'Summary' }).getByRole('button').click()
    await page.getByRole('textbox', { name: 'Summary' }).fill('Both plants in one order.')
    await page.keyboard.press('Control+Enter')
    await until(async () => (await read(id)).summary === 'Both plants in one order.')
    // Another tab follows.
    await ok('PATCH', `/meetings/${id}`, { title: 'Facts, again' })
    await page.getByRole('heading', { name: 'Facts, again' }).waitFor()
  })

  test('names who gets which mail before it is cancelled, and sends nothing if that is chosen', async () => {
    setMailboxes(server, [SUPPORT])
    const guests = { participants: [{ email: 'margit@oresund.example', name: 'Margit' }], send_invitations: true }
    const mails = () =>
      server.store.db.prepare("SELECT count(*) FROM messages WHERE direction = 'outbound'").pluck().get() as number
    const { id } = await make('To be cancelled', 48 * HOUR_MS, guests)
    const sent = mails()
    await show(`/meetings/${id}`)
    await page.keyboard.press('e')
    const form = page.getByRole('dialog', { name: 'Edit meeting' })
    await form.getByRole('textbox', { name: 'Place' }).fill('Room 4')
    await form.getByText('Margit (margit@oresund.example)').waitFor()
    await form.getByRole('button', { name: 'Save and send 1 mail' }).waitFor()
    await form.getByRole('checkbox', { name: /^Send the participants/ }).click()
    await form.getByText('keep in their calendars').waitFor()
    await form.getByRole('button', { name: 'Save', exact: true }).click()
    await until(async () => (await read(id)).location === 'Room 4')
    assert.equal(mails(), sent)
    await ok('PATCH', `/meetings/${id}`, { send_invitations: true })
    const before = mails()
    await form.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'What can be done with the meeting' }).click()
    await page.getByRole('menuitem', { name: 'Cancel the meeting' }).click()
    const ask = page.getByRole('dialog', { name: 'Cancel “To be cancelled”?' })
    await ask.getByText('A cancellation to').waitFor()
    await assertAccessible(page)
    await ask.getByRole('button', { name: 'Cancel the meeting' }).click()
    await until(async () => (await read(id)).status === 'canceled')
    assert.equal(mails(), before + 1)
  })

  test('finds a phrase across two lines as one hit, counts what it marks, and goes to each by keys', async () => {
    const { id } = await talk('Search')
    await show(`/meetings/${id}`)
    await page.locator('.segment').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('serve both halls')
    await page.getByText('1 of 1').waitFor()
    assert.deepEqual(await page.locator('.segment mark').allTextContents(), ['serve', 'both halls'])
    await find().fill('st gallen')
    await page.getByText('1 of 1').waitFor()
    assert.deepEqual(await page.locator('.segment mark').allTextContents(), ['St. Gallen'])
    await find().fill('gateway')
    await page.getByText(/of 4$/).waitFor()
    assert.equal(await page.locator('.segment mark').count(), 4)
    const first = await page.locator('.find-bar [role=status]').innerText()
    await page.keyboard.press('Enter')
    await page.waitForFunction((text) => document.querySelector('.find-bar [role=status]')?.textContent !== text, first)
    await page.keyboard.press('Escape')
    await page.keyboard.press('n')
    await page.keyboard.press('Shift+n')
    assert.equal(await page.locator('.lane .hit').count(), 4)
    await find().fill('nowhere')
    await page.getByText('no hit').waitFor()
    await assertAccessible(page)
  })

  test('opens at the second of its address, and a quote and a task lead back to it', async () => {
    const { id } = await talk('Quotes', { recording_url: 'https://rec.example/talk.mp4' })
    await show(`/meetings/${id}#t=754`)
    await here().getByText('Then we take the gateway.').waitFor()
    await page.keyboard.press('q')
    const note = page.getByRole('dialog', { name: 'Note with what was said' })
    await note.getByRole('button', { name: 'Add the note' }).click()
    await note.waitFor({ state: 'detached' })
    const [made] = (await ok('GET', `/notes?meeting_id=${id}`)).data
    assert.equal(
      made.body.trim(),
      `> Then we take the gateway.\n\nspeaker_3, [12:34](${screens.url}/meetings/${id}#t=754)`,
    )
    await page.keyboard.press('t')
    const task = page.getByRole('dialog', { name: 'Make a task' })
    await task.getByRole('textbox', { name: 'What is to be done' }).fill('Order the gateway')
    await task.getByRole('button', { name: 'Make a task' }).click()
    await page.getByRole('region', { name: 'Tasks from this meeting' }).getByText('Order the gateway').waitFor()
    await page.locator('.segment').first().click()
    await here().getByText('So that is the picture').waitFor()
    await page.getByRole('region', { name: 'Notes' }).getByRole('link', { name: '12:34' }).click()
    await here().getByText('Then we take the gateway.').waitFor()
    // The recording begins 30 seconds before the transcript's clock.
    const play = here().getByRole('link', { name: 'Play from 12:34' })
    assert.equal(await play.getAttribute('href'), 'https://rec.example/talk.mp4#t=754')
    await page.getByRole('spinbutton').fill('30')
    await page.keyboard.press('Tab')
    await until(async () => (await read(id)).recording_url === 'https://rec.example/talk.mp4#shift=30')
    assert.equal(await play.getAttribute('href'), 'https://rec.example/talk.mp4#t=784')
    await assertAccessible(page)
  })

  test('what is chosen over two lines is quoted from where it begins', async () => {
    const { id } = await talk('Selection')
    await show(`/meetings/${id}`)
    await page.locator('.segment', { hasText: 'both halls' }).click()
    await page.evaluate(() => {
      const [one, other] = [...document.querySelectorAll('.segment .words')].filter((words) =>
        /gateway serve|both halls/.test(words.textContent ?? ''),
      )
      getSelection()?.setBaseAndExtent(one?.firstChild as Node, 8, other?.firstChild as Node, 11)
    })
    await page.getByRole('button', { name: 'Quote in a note' }).click()
    const text = await page.getByRole('dialog').getByRole('textbox').inputValue()
    assert.match(text, /^> gateway serve both halls\?\n\nspeaker_2, \[0:23\]\(.+#t=23\)/)
  })

  test('a speaker is named once and remembered, two are merged, one line is given away; each is one step with undo', async () => {
    const contact = await newContact({ first_name: 'Aïcha', last_name: 'Benhaddou' })
    const { id } = await talk('Speakers')
    await show(`/meetings/${id}`)
    const talkTime = page.getByRole('region', { name: 'Talk time' })
    await talkTime.getByRole('button', { name: 'Who speaker_2 is' }).click()
    await page.getByRole('menuitem', { name: 'Who is this?' }).click()
    await page.getByRole('combobox', { name: 'Who is this?' }).fill('Aïcha')
    await page.getByRole('option', { name: /Aïcha Benhaddou/ }).waitFor()
    await page.keyboard.press('Enter')
    const speaker = async (key: string) =>
      (await transcript(id)).speakers.find((each: { key: string }) => each.key === key)
    await until(async () => (await speaker('speaker_2')).contact_id === contact.id)
    await talkTime.getByRole('link', { name: 'Aïcha Benhaddou' }).waitFor()
    await talkTime.getByRole('button', { name: 'Who Aïcha Benhaddou is' }).click()
    await page.getByRole('menuitem', { name: 'speaker_3' }).click()
    await until(async () => (await speaker('speaker_2')) === undefined)
    const one = await speaker('speaker_3')
    assert.deepEqual([one.name, one.contact_id, one.talk_ms], ['Aïcha Benhaddou', contact.id, 260_000])
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await until(async () => (await speaker('speaker_2'))?.contact_id === contact.id)
    await page.locator('.segment', { hasText: 'both halls' }).click()
    await here().getByRole('button', { name: 'Somebody else said this' }).click()
    await page
      .getByRole('menuitemcheckbox', { name: 'Jonas Lindqvist' })
      .or(page.getByRole('menuitemradio', { name: 'Jonas Lindqvist' }))
      .click()
    await until(async () => (await transcript(id)).segments[2].speaker === 'jonas')
    assert.equal((await transcript(id)).segments[1].speaker, 'speaker_2')
    await assertAccessible(page)
  })

  test('a change of others is not lost: it is shown, and mine is refused', async () => {
    const { id } = await talk('Others')
    await show(`/meetings/${id}`)
    await page.locator('.segment').first().waitFor()
    await ok('PUT', `/meetings/${id}/transcript`, { speakers: SPEAKERS, segments: TALK.slice(0, 2) })
    await page.locator('.segment', { hasText: 'both halls' }).click()
    await here().getByRole('button', { name: 'Somebody else said this' }).click()
    await page
      .getByRole('menuitemcheckbox', { name: 'Jonas Lindqvist' })
      .or(page.getByRole('menuitemradio', { name: 'Jonas Lindqvist' }))
      .click()
    await page.locator('.segment', { hasText: 'both halls' }).waitFor({ state: 'detached' })
    assert.equal((await transcript(id)).segments.length, 2)
  })

  test('takes a caption file by button and by drop, replaces and removes it with undo, and says what is none', async () => {
    const { id } = await make('Files', -HOUR_MS, { participants: [{ member_id: ana.id }] })
    const vtt = join(folder, 'talk.vtt')
    writeFileSync(vtt, 'WEBVTT\n\n00:00:01.000 --> 00:00:03.000\n<v A member>Good morning.\n')
    await show(`/meetings/${id}`)
    await page.getByRole('button', { name: 'Add a transcript' }).waitFor()
    await assertAccessible(page)
    await page.locator('.transcript input[type=file]').setInputFiles(vtt)
    await page.locator('.segment', { hasText: 'Good morning.' }).waitFor()
    assert.equal((await transcript(id)).speakers[0].member_id, ana.id)
    const drop = (name: string, text: string) =>
      page.evaluate(
        ([name, text]) => {
          const dataTransfer = new DataTransfer()
          dataTransfer.items.add(new File([text as string], name as string))
          document
            .querySelector('.transcript')
            ?.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
        },
        [name, text],
      )
    await drop('other.srt', '1\n00:00:01,000 --> 00:00:03,000\nSomething else.\n')
    await page.locator('.segment', { hasText: 'Something else.' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.locator('.segment', { hasText: 'Good morning.' }).waitFor()
    await until(async () => (await transcript(id)).segments[0].text === 'Good morning.')
    await drop('notes.pdf', 'x')
    await page.getByText('“notes.pdf” is neither WebVTT').first().waitFor()
    await drop('broken.vtt', 'WEBVTT\n\nno time\n')
    await page.getByText('“broken.vtt” cannot be read: its line 3').first().waitFor()
    await page.getByRole('button', { name: 'What can be done with the transcript' }).click()
    await page.getByRole('menuitem', { name: 'Remove the transcript' }).click()
    await page.getByRole('button', { name: 'Add a transcript' }).waitFor()
    await until(async () => (await read(id)).has_transcript === false)
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.locator('.segment', { hasText: 'Good morning.' }).waitFor()
    await until(async () => (await read(id)).has_transcript === true)
  })

  test('20,000 lines: the last hit comes into view, few rows are in the page, naming answers at once', async () => {
    const { id } = await make('Long', -HOUR_MS)
    const segments = Array.from({ length: 20_000 }, (_, n) =>
      said(
        n % 2 ? 'speaker_2' : 'jonas',
        n,
        n % 5000 === 4999 ? `the needle ${n}` : `Line ${n} of a long talk, said by somebody`,
        1,
      ),
    )
    await ok('PUT', `/meetings/${id}/transcript`, { speakers: SPEAKERS.slice(0, 2), segments })
    await show(`/meetings/${id}`)
    await page.locator('.segment').first().waitFor()
    await find().fill('needle')
    await page.getByText('1 of 4').waitFor()
    await page.keyboard.press('Shift+Enter')
    await page.getByText('4 of 4').waitFor()
    await here().getByText('the needle 19999').waitFor()
    assert.equal(
      await here().evaluate((row) => {
        const [box, view] = [
          row.getBoundingClientRect(),
          (row.closest('[data-scroller]') as Element).getBoundingClientRect(),
        ]
        return box.top >= view.top - 1 && box.bottom <= view.bottom + 1
      }),
      true,
    )
    assert.ok((await page.locator('.segment').count()) < 80)
    await page.getByRole('button', { name: 'Who speaker_2 is' }).click()
    await page.getByRole('menuitem', { name: 'Who is this?' }).click()
    await page.getByRole('combobox', { name: 'Who is this?' }).fill('Guénolé')
    await page
      .getByRole('option', { name: /Guénolé/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Talk time' }).getByText('Guénolé').waitFor()
    await here().getByText('the needle 19999').waitFor()
    await until(async () => (await transcript(id)).speakers[1].name === 'Guénolé')
  })

  test('in German and on a phone: transcript and facts are two parts', async () => {
    const { id } = await talk('Telefon', { summary: 'Beide Werke' })
    const ben = await screens.signedIn('member')
    await ben.call('PATCH', '/app/preferences', { language: 'de' })
    await show(`/meetings/${id}#t=60`, { size: 'phone', locale: 'de' }, ben)
    await here().getByText('One gateway is enough').waitFor()
    await here().getByRole('button', { name: 'In Notiz zitieren' }).waitFor()
    await assertAccessible(page)
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390)
    await page.getByRole('tab', { name: 'Wer und was' }).click()
    await page.getByText('Beide Werke').waitFor()
    await assertAccessible(page)
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390)
  })
})
