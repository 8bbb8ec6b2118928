import { after, before, describe, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { recordsOf } from '../../support/records.ts'
import { PASSWORD } from '../../support/screens.ts'
import { examples, seedOf } from '../../support/seed.ts'
import { type Random, random } from '../data/support/dice.ts'
import { type Edit, History } from '../data/support/history.ts'
import { close, type Site, startSite } from './site.ts'

// Two people at real pages: three tabs of two browsers, each gesture by mouse or by keys, over a network that goes and comes,
// with sign-outs, reloads and "take back". What the data layer does on its own is in test/web/data/schedules.test.ts.

const SCHEDULES = 3
const STEPS = 14
const SEED = seedOf(1)

type Member = { id: string; email: string }
type Tab = { page: Page; context: BrowserContext; member: Member; isCut: boolean }
type World = { dice: Random; tabs: Tab[]; people: Member[]; deal: string; history: History }

describe('two people at three pages', { skip: noBrowser }, () => {
  let site: Site
  const { newDeal } = recordsOf(() => site.server)
  before(async () => {
    site = await startSite()
  })
  after(() => site.stop())

  for (let n = 0; n < examples(SCHEDULES); n++)
    test(`lose nothing, and nothing of one is said to be the other's (seed ${SEED * 1000 + n})`, () =>
      run(SEED * 1000 + n))

  async function run(seed: number): Promise<void> {
    const dice = random(seed)
    const deal = (await newDeal({ title: 't0' })).id as string
    const people = [await site.screens.newMember('member'), await site.screens.newMember('member')]
    const from = site.server.lastSeq()
    const tabs: Tab[] = []
    for (const member of people) {
      const { cookie } = await site.screens.signedIn({ id: member.id })
      const page = await site.open(`/deals/${deal}`, cookie)
      tabs.push({ page, context: page.context(), member, isCut: false })
    }
    const [first] = tabs as [Tab]
    const second = await first.context.newPage()
    await second.goto(`${site.url}/deals/${deal}`)
    tabs.push({ ...first, page: second })
    for (const { page } of tabs) await noteOn(page).waitFor()
    const world = { dice, tabs, people, deal, history: new History() }
    for (let step = 0; step < STEPS; step++) await act(world)
    await heal(world)
    const drafts = new Map<string, string>()
    for (const { id } of people) {
      const member = await site.screens.signedIn({ id })
      drafts.set(id, (await member.call('GET', `/app/drafts/note:deals:${deal}`)).text)
    }
    world.history.check(site.server.events(from), drafts)
    for (const { page } of tabs.slice(0, 2)) await close(page)
  }

  async function act(world: World): Promise<void> {
    const { dice, tabs, history } = world
    const tab = dice.pick(tabs)
    const kind = dice.below(100)
    if (kind < 30) await rename(world, tab)
    else if (kind < 45) await sendNote(world, tab)
    else if (kind < 60) await beginNote(world, tab)
    else if (kind < 72) await takeBack(tab, dice)
    else if (kind < 86) await cut(tab, !tab.isCut)
    else if (kind < 93) await reload(tab)
    else if (await signOut(tab, dice)) {
      const others = tabs.filter((each) => each.context === tab.context)
      history.giveUp(others)
      const member = dice.pick(world.people)
      await signIn(tab.page, member)
      for (const each of others) {
        each.member = member
        if (each.isCut) await cut(each, false) // or the page could not load the deal
        await each.page.goto(`${site.url}/deals/${world.deal}`)
        await noteOn(each.page).waitFor()
      }
    }
  }

  const noteOn = (page: Page) => page.getByRole('textbox', { name: 'Note' })
  const textOf = (page: Page) => noteOn(page).inputValue()
  let values = 0

  const madeAt = (tab: Tab) => ({ by: tab.member.id, page: tab, isConfirmed: false, mayBeLost: false })

  async function rename({ dice, deal, history }: World, tab: Tab): Promise<void> {
    const { page } = tab
    const opens = page.getByRole('button', { name: 'Edit Title' })
    if ((await opens.count()) === 0) return // a conflict stands there
    const seen = (await page.getByRole('heading', { level: 1 }).innerText()).trim()
    const value = `t${++values}`
    const isByMouse = dice.chance(0.5)
    if (isByMouse) await opens.click()
    else {
      await opens.focus()
      await page.keyboard.press('Enter')
    }
    const input = page.locator('.head input:focus')
    await input.waitFor()
    const shown = await input.inputValue() // which may be newer than the heading was
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(value)
    // Leaving the field by a press elsewhere saves as Enter does.
    if (isByMouse) await page.getByRole('tab', { name: 'Note', exact: true }).click()
    else await page.keyboard.press('Enter')
    await input.waitFor({ state: 'detached' })
    const edit: Edit = { ...madeAt(tab), kind: 'deals', id: deal, path: 'title', value, seen: [seen, shown], step: '' }
    for (const each of history.edits) if (each.by === edit.by && !each.isConfirmed) edit.seen.push(...each.seen)
    history.edits.push(edit)
  }

  /** Types on in the note, so that it waits as a draft. */
  async function beginNote({ history, dice }: World, tab: Tab): Promise<void> {
    const word = `w${++values}.`
    await focusNote(tab, dice)
    await tab.page.keyboard.press('ControlOrMeta+End')
    await tab.page.keyboard.type(` ${word}`)
    history.words.push({ ...madeAt(tab), word })
  }

  async function focusNote({ page }: Tab, dice: Random): Promise<void> {
    if (dice.chance(0.5)) await noteOn(page).click()
    else {
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
      await page.keyboard.press('n')
      await page.locator('textarea:focus').waitFor()
    }
  }

  async function sendNote(world: World, tab: Tab): Promise<void> {
    const { page } = tab
    if (tab.isCut) return // it waits for the network, and the button with it
    await beginNote(world, tab)
    const body = (await textOf(page)).trim()
    world.history.notes.push({ ...madeAt(tab), body, step: '' })
    if (world.dice.chance(0.5)) await page.getByRole('button', { name: 'Add note' }).click()
    else await page.keyboard.press('ControlOrMeta+Enter')
    await page
      .locator('main')
      .getByText(body.split('\n\n').at(-1) as string)
      .first()
      .waitFor() // of several paragraphs
  }

  /** By the message that offers it, or by its key; both say what became of it. */
  async function takeBack({ page, isCut }: Tab, dice: Random): Promise<void> {
    if (isCut) return
    const button = page.locator('.toast').getByRole('button', { name: /^Undo/ })
    if (dice.chance(0.5) && (await button.count()) > 0) await button.first().click({ force: true })
    else {
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
      await page.keyboard.press('z')
    }
    await page.locator('.toast').first().waitFor()
  }

  async function cut(tab: Tab, isCut: boolean): Promise<void> {
    const { page } = tab
    tab.isCut = isCut
    if (isCut) await page.route(/\/api\/|\/app\//, (route) => route.abort())
    else {
      await page.unroute(/\/api\/|\/app\//)
      await page.evaluate(() => dispatchEvent(new Event('online')))
    }
  }

  async function reload(tab: Tab): Promise<void> {
    await cut(tab, false)
    await tab.page.reload()
    await noteOn(tab.page).waitFor()
  }

  /** Returns whether the member has gone: what cannot be sent is named first. */
  async function signOut(tab: Tab, dice: Random): Promise<boolean> {
    const { page } = tab
    if (tab.isCut) return false
    if (dice.chance(0.5)) {
      await page.getByRole('button', { name: /^Acme/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
    } else {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox', { name: 'Search or jump' }).fill('sign out')
      await page.locator('dialog [role=option][aria-selected=true]', { hasText: 'Sign out' }).waitFor()
      await page.keyboard.press('Enter')
    }
    const question = page.getByRole('alertdialog', { name: 'Sign out and lose this?' })
    await question.or(page.getByLabel('Email')).waitFor()
    if ((await question.count()) > 0) await question.getByRole('button', { name: 'Sign out and lose it' }).click()
    await page.getByLabel('Email').waitFor()
    return true
  }

  async function signIn(page: Page, { email }: Member): Promise<void> {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  }

  /** The network is well again, conflicts are decided, and all is said to be saved. */
  async function heal({ tabs }: World): Promise<void> {
    for (const tab of tabs) await cut(tab, false)
    for (const { page } of tabs) {
      const saved = page.getByText('Everything saved').first()
      const theirs = page.getByRole('button', { name: /^Use (?!mine)/ }).first()
      while (!(await saved.isVisible())) {
        await saved.or(theirs).first().waitFor()
        if ((await theirs.count()) > 0) await theirs.click()
      }
      const isKept = async () => (await textOf(page)) === '' || (await page.getByText('Draft kept').count()) > 0
      while (!(await isKept())) await page.getByText('Draft kept').or(noteOn(page)).first().waitFor()
    }
  }
})
