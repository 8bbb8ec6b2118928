import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { emojiIn, searchFor } from '../../../src/web/lib/emoji.ts'
import { fit, searchable, wordsOf } from '../../../src/web/shell/commands/match.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { openBoard } from '../deals/board-page.ts'
import { type KitBoard, startKitBoard } from '../deals/kit-board.ts'

// An emoji is a name, and can be searched for.

test('flags, families and tones of skin are one emoji each, and words stay words', () => {
  assert.deepEqual(emojiIn('a 🇩🇪🇫🇷 👍🏽 👨‍👩‍👧 ❤️ 7'), ['🇩🇪', '🇫🇷', '👍🏽', '👨‍👩‍👧', '❤️'])
  assert.deepEqual(searchFor('deals', 'Roll 🚀 out'), {
    q: 'Roll   out',
    parts: [{ field: 'title', op: 'contains', value: '🚀' }],
  })
  assert.deepEqual(searchFor('contacts', 'Ana'), { q: 'Ana', parts: [] })
})

test('at hand, an emoji is found anywhere, with or without its tone', () => {
  const finds = (text: string, typed: string) => fit(searchable(text), wordsOf(typed)) !== null
  assert.ok(finds('Rocket🚀 Ltd', '🚀'))
  assert.ok(finds('👍🏽 Ana', '👍') && finds('👍🏽 Ana', 'ana 👍🏽'))
  assert.ok(finds('➡ next', '➡️') && finds('✅ done', '✅'), 'with or without the sign that makes it coloured')
  assert.ok(!finds('👍🏽 Ana', '👎') && !finds('🇫🇷 Lyon', '🇩🇪'))
  assert.ok(!finds('Banana', 'nan'), 'a word still begins one')
})

describe('emoji on the screens', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  before(async () => {
    server = await startKitBoard({ only: 'settings' })
    browser = await startChromium()
    await server.newId('/contacts', { last_name: '👍🏽 Ana' })
    await server.newId('/contacts', { last_name: '👎 Ben' })
    await server.newId('/companies', { name: '🇩🇪🚀' })
    await server.newId('/companies', { name: '🇫🇷' })
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  test('tables and the palette find them on the server', async () => {
    const { page, context } = await openBoard(browser, server, { path: '/contacts?q=👍 ana' })
    await page.locator('.tfoot', { hasText: '1 of 2' }).waitFor()
    await page.locator('.tbl [data-id]', { hasText: 'Ana' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump' }).fill('🇩🇪 🚀')
    await page.getByRole('option', { name: /🇩🇪🚀/ }).first().waitFor()
    assert.equal(await page.getByRole('option', { name: /🇫🇷/ }).count(), 0)
    await context.close()
  })
})
