import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { silentLog } from '../../../src/lib/log.ts'
import { screensKinds } from '../../../src/site/app/jobs.ts'
import { type Scheduler, startScheduler } from '../../../src/store/jobs/scheduler.ts'
import type { AppServer } from '../../support/app-data.ts'
import { noBrowser } from '../../support/chromium.ts'
import { handing } from '../../support/handing.ts'
import { assertAccessible } from '../../support/page.ts'
import { type Row, recordsOf } from '../../support/records.ts'
import type { SignedIn } from '../../support/screens.ts'
import { until } from '../../support/until.ts'
import { close, type Site, startSite } from '../shell/site.ts'

describe('handing over what a member has', { skip: noBrowser }, () => {
  let site: Site
  let scheduler: Scheduler | undefined
  let ana: Row
  let ben: Row
  let owner: SignedIn
  let app: AppServer
  const { newMember, giveWork, holder, holders, statusOf } = handing(() => app)
  before(async () => {
    site = await startSite()
    app = { ...site.server, ...recordsOf(() => site.server) } as unknown as AppServer
    ana = newMember('member', 'Ana Pérez')
    ben = newMember('member', 'Ben Okafor')
    newMember('viewer', 'Vera Lund')
    owner = await site.screens.signedIn({ id: site.server.a.owner })
    start()
  })
  after(async () => {
    await scheduler?.stop()
    await site?.stop()
  })

  /** The job runs by itself. */
  function start(): void {
    const { store, deps } = site.server
    scheduler = startScheduler({ store, log: silentLog, kinds: screensKinds(deps), recurring: [], afterJump: [] })
  }

  const open = (member: Row, options: object = {}) =>
    site.open(`/settings/members?member=${member.id}`, owner.cookie, options)
  const dialog = (page: Page) => page.getByRole('dialog')
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const toast = (page: Page, text: string) => page.locator('.toast', { hasText: text })
  const deals = (owner_id: string, count: number): Promise<Row[]> =>
    Promise.all(Array.from({ length: count }, () => app.newDeal({ owner_id })))

  async function choose(page: Page, field: string | RegExp, ...names: string[]): Promise<void> {
    const input = dialog(page).getByRole('combobox', { name: field })
    for (const name of names) {
      await input.fill(name)
      await page.getByRole('option', { name: new RegExp(name) }).waitFor()
      await input.press('Enter')
    }
    await input.press('Escape')
    await page.getByRole('option').first().waitFor({ state: 'detached' })
  }

  test('is asked before deactivating, shows who will get what, and is undone with one press', async () => {
    const zoe = newMember('member', 'Zoë Lind')
    const { finished, private: own, ...mine } = await giveWork(zoe.id)
    const more = (await deals(zoe.id, 3)).map(({ id }) => id)
    const page = await open(zoe)
    const elsewhere = await site.open('/settings/members', owner.cookie)
    await elsewhere.getByRole('row', { name: /Zoë Lind/ }).waitFor()
    await button(page, 'Deactivate').click()
    await dialog(page)
      .getByText(/^Zoë Lind has 5 open deals, 1 open task, .* and 1 shared view\.$/)
      .waitFor()
    await assertAccessible(page)
    // Nobody who may only read is offered, nor the member.
    await dialog(page).getByRole('combobox', { name: 'Everything to' }).click()
    const offered = await page.getByRole('option').allInnerTexts()
    assert.ok(offered.some((each) => each.includes('Ana')) && !offered.some((each) => /Vera|Zoë Lind/.test(each)))
    await choose(page, 'Everything to', 'Ana Pérez', 'Ben')
    await choose(page, '1 contact to', 'Ben') // takes Ben away again: one kind can have others
    const preview = page.getByRole('status', { name: 'What happens' })
    await preview.getByText('Ana Pérez gets').waitFor()
    const said = await preview.innerText()
    assert.equal(await button(page, /^Deactivate and hand over/).innerText(), 'Deactivate and hand over 13 records')
    await button(page, 'Deactivate and hand over 13 records').click()
    await toast(page, 'Zoë Lind deactivated, 13 records handed over').waitFor()
    const given = Object.entries({ ...mine, deals: [...(mine.deals as string[]), ...more] })
    const now = new Map(given.map(([kind, ids]) => [kind, holders(kind, ids)]))
    for (const [member, name] of [
      [ana, 'Ana Pérez'],
      [ben, 'Ben Okafor'],
    ] as const) {
      const count = (kind: string) => now.get(kind)?.filter((id) => id === member.id).length ?? 0
      const line = said.split('\n').find((each) => each.startsWith(`${name} gets`)) ?? ''
      assert.equal(Number(/(\d+) open deals?/.exec(line)?.[1] ?? 0), count('deals'), line)
      for (const [kind, word] of Object.entries({
        tasks: 'open task',
        contacts: 'contact',
        lists: ' list',
        views: 'shared view',
      }))
        assert.equal(Number(line.includes(word)), count(kind), `${line}: ${kind}`)
    }
    assert.deepEqual(now.get('contacts'), [ana.id])
    assert.deepEqual([statusOf(zoe.id), holder('deals', finished?.[0] as string)], ['deactivated', zoe.id])
    assert.equal(holder('views', own?.[0] as string), zoe.id)
    // Pages that were open know it by themselves.
    await elsewhere.getByRole('row', { name: /Zoë Lind.*Deactivated/ }).waitFor()

    await toast(page, 'Zoë Lind deactivated').getByRole('button', { name: 'Undo' }).click()
    await toast(page, 'Taken back: Hand-over from Zoë Lind: 13 records').waitFor()
    for (const [kind, ids] of given)
      assert.deepEqual(
        holders(kind, ids),
        ids.map(() => zoe.id),
        kind,
      )
    assert.equal(statusOf(zoe.id), 'active')
    await elsewhere.getByRole('row', { name: /Zoë Lind.*Active/ }).waitFor()
    await close(elsewhere)
    await close(page)
  })

  test('asks nothing where there is nothing, and is offered later where something stayed', async () => {
    const nobody = newMember('member', 'Nell Void')
    const page = await open(nobody)
    await button(page, 'Deactivate').click()
    await toast(page, 'Nell Void deactivated').waitFor()
    assert.equal(await dialog(page).count(), 0)
    await close(page)

    const yan = newMember('member', 'Yan Ruiz')
    const [one] = await deals(yan.id, 3)
    const again = await open(yan)
    await button(again, 'Deactivate').click()
    await button(again, 'Deactivate, hand over nothing').click()
    await again.getByRole('row', { name: /Yan Ruiz.*still has 3 records/ }).waitFor()
    assert.deepEqual([statusOf(yan.id), holder('deals', one.id)], ['deactivated', yan.id])
    await again.reload()
    await again.getByText('Yan Ruiz still has 3 open deals.').waitFor()
    await button(again, 'Hand over…').click()
    // With keys alone.
    await dialog(again).locator('input:focus').waitFor()
    await again.keyboard.type('Ben')
    await again.keyboard.press('Enter')
    await again.keyboard.press('Escape')
    await button(again, 'Hand over 3 records').press('Enter')
    await toast(again, 'Handed over from Yan Ruiz: 3 records').waitFor()
    await again.getByText('Yan Ruiz still has').waitFor({ state: 'detached' })
    assert.equal(holder('deals', one.id), ben.id)
    await close(again)
  })

  test('until a date: it stands where owners are picked, and ends with a press', async () => {
    const kim = newMember('member', 'Kim Away')
    const [one] = await deals(kim.id, 2)
    const page = await open(kim)
    await button(page, 'Hand over…').click()
    await dialog(page).getByRole('radio', { name: 'Until a date' }).click()
    await choose(page, 'Everything to', 'Ana Pérez')
    assert.equal(await button(page, 'Hand over 2 records').getAttribute('aria-disabled'), 'true')
    await dialog(page).getByLabel('Back on').fill('2026-12-03')
    // What was chosen stays where the dialog is closed by mistake.
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await button(page, 'Hand over…').click()
    assert.equal(await dialog(page).getByLabel('Back on').inputValue(), '2026-12-03')
    await button(page, 'Hand over 2 records').click()
    await toast(page, 'Kim Away is away: 2 records handed over').waitFor()
    await page.getByRole('row', { name: /Kim Away.*Away until 3 Dec/ }).waitFor()
    await page.getByRole('heading', { name: 'Away until 3 Dec 2026' }).waitFor()
    assert.deepEqual([statusOf(kim.id), holder('deals', one.id)], ['active', ana.id])
    await assertAccessible(page)

    const record = await site.open(`/deals/${one.id}`, owner.cookie)
    await record.getByRole('button', { name: /Owner/ }).first().click()
    await record.getByRole('option', { name: /Kim Away.*away until 3 Dec/ }).waitFor()
    await close(record)

    await button(page, 'Back now').click()
    await toast(page, 'Kim Away is back').waitFor()
    await page.getByRole('row', { name: /Kim Away.*Active/ }).waitFor()
    await until(() => holder('deals', one.id) === kim.id) // by a job
    await close(page)
  })

  test('says it if the member has more by now, with the new numbers', async () => {
    const lea = newMember('member', 'Lea More')
    await deals(lea.id, 1)
    const page = await open(lea)
    await button(page, 'Hand over…').click()
    await choose(page, 'Everything to', 'Ben')
    await deals(lea.id, 1)
    await button(page, 'Hand over 1 record').click()
    await dialog(page).getByRole('alert').getByText('Lea More has more by now').waitFor()
    await button(page, 'Hand over 2 records').click()
    await toast(page, 'Handed over from Lea More: 2 records').waitFor()
    await close(page)
  })

  test('shows how far it is, and is stopped', async () => {
    const max = newMember('member', 'Max Many')
    const rows = await deals(max.id, 4)
    const page = await open(max)
    await scheduler?.stop()
    await button(page, 'Hand over…').click()
    await choose(page, 'Everything to', 'Ben')
    await button(page, 'Hand over 4 records').click()
    await toast(page, 'Handing over: 0 of 4').getByRole('button', { name: 'Stop' }).click()
    await toast(page, '4 records not: they stay with Max Many').waitFor()
    start()
    await scheduler?.tick()
    assert.deepEqual(new Set(rows.map(({ id }) => holder('deals', id))), new Set([max.id]))
    await close(page)
  })

  test('is one notice for who gets it, in their language, on a phone', async () => {
    const ida = newMember('member', 'Ida Grün')
    await deals(ida.id, 2)
    await app.newRecord('/tasks', { title: 'Call', owner_id: ida.id })
    const cid = await site.screens.signedIn('member')
    const { status } = await owner.call('POST', `/app/members/${ida.id}/hand-over`, {
      to: { deals: [cid.id], tasks: [cid.id] },
      returns_on: '2026-12-03',
    })
    assert.equal(status, 202)
    await scheduler?.tick()
    await cid.call('PATCH', '/app/preferences', { language: 'de' })
    const page = await site.open('/notices', cid.cookie, { width: 390, height: 844 })
    const notice = page.locator('.one')
    await notice.getByText('hat dir übergeben, was Ida Grün hatte').waitFor()
    await notice.getByText('2 Deals und 1 Aufgabe, bis 3. Dez.').waitFor()
    assert.equal(await notice.count(), 1)
    assert.equal(await notice.getAttribute('href'), '/deals')
    await close(page)
  })

  test('fits a phone, and refuses what the server refuses in words', async () => {
    const page = await site.open(`/settings/members?member=${owner.id}`, owner.cookie, {
      width: 390,
      height: 844,
      theme: 'dark',
    })
    await deals(owner.id, 1)
    await button(page, 'Hand over…').click()
    await choose(page, 'Everything to', 'Ben')
    const { scroll, width } = await dialog(page).evaluate((element) => ({
      scroll: element.scrollWidth,
      width: element.clientWidth,
    }))
    assert.ok(scroll <= width)
    await assertAccessible(page)
    site.server.store.db.prepare("UPDATE members SET role = 'viewer' WHERE id = ?").run(ben.id)
    await button(page, /^Hand over \d+ records?$/).click()
    await dialog(page).getByRole('alert').getByText('This member may only read').waitFor()
    site.server.store.db.prepare("UPDATE members SET role = 'member' WHERE id = ?").run(ben.id)
    await close(page)
  })
})
