import assert from 'node:assert/strict'
import { stepsOf, takeBack, unansweredStep, waitingStep } from '../../../../src/web/data/take-back.ts'
import type { Fields, Kind } from '../../../../src/web/data/types.ts'
import { pathsOf, same, valueAt } from '../../../../src/web/data/values.ts'
import { typedSince } from '../../../../src/web/record/typed-since.ts'
import type { TestServer } from '../../../support/server.ts'
import type { Random } from './dice.ts'
import type { History, Target } from './history.ts'
import { trace } from './trace.ts'
import { type Browser, type Page, settled } from './world.ts'

// What people do in a schedule.

export type People = {
  server: TestServer
  dice: Random
  people: string[]
  browsers: Browser[]
  targets: Target[]
  stages: string[]
  history: History
}

/** Somebody does something on a page that is open, or opens one. */
export async function gesture(world: People, browser: Browser): Promise<void> {
  const { dice } = world
  const tab = dice.pick(browser.people)
  const page = tab.page()
  if (!page) return tab.open()
  if (!tab.isAwake()) return tab.thaw()
  if (page.client.isSignedOut.peek()) return // a dialog is over the page
  if (browser.isLeaving) return // the same person sits at all tabs
  const kind = dice.below(100)
  if (kind < 52) edit(world, page)
  else if (kind < 60) note(world, page)
  else if (kind < 70) decide(world, page)
  else if (kind < 84) type(world, page)
  else if (kind < 88) sendDraft(world, page)
  else if (kind < 97) void takeNewestBack(world, page)
  else page.client.wake(dice.chance(0.3))
}

/** Changes one or two fields of a record that is on the screen, or loads it. */
function edit({ dice, targets, stages, history }: People, page: Page): void {
  const { kind, id } = dice.pick(targets)
  const { client, member: by } = page
  const view = client.store.entry(kind, id).view.peek()
  if (!view) {
    void client.load(kind, id).catch(() => undefined)
    return
  }
  const fields = fieldsOf(kind, dice, stages)
  const common = { kind, id, by, page, isConfirmed: false, mayBeLost: false }
  let done: Promise<unknown> = Promise.resolve()
  const step = client.asStep(() => {
    done = client.queue.patch(kind, id, fields)
  })
  trace('edit', page.client.tab, kind, JSON.stringify(fields))
  const made = pathsOf(fields).map((path) => {
    const before = history.edits.filter((each) => each.id === id && each.path === path && each.by === by)
    const seen = [valueAt(view, path), ...before.filter(({ isConfirmed }) => !isConfirmed).flatMap(({ seen }) => seen)]
    return { ...common, path, value: valueAt(fields, path), seen, step }
  })
  history.edits.push(...made)
  confirm(done, made)
}

const confirm = (done: Promise<unknown>, made: readonly { isConfirmed: boolean }[]): void =>
  void done.then(
    () => {
      for (const each of made) each.isConfirmed = true
    },
    () => undefined,
  )

let values = 0

function fieldsOf(kind: Kind, dice: Random, stages: readonly string[]): Fields {
  const value = ++values
  const title = dice.chance(0.1) ? ' ' : `t${value}`
  const choices: Fields[] =
    kind === 'deals'
      ? [
          { title },
          { amount: value },
          { title, amount: value },
          { stage: dice.pick(stages) },
          { title: `t${value}e\u0301` },
        ]
      : [
          { last_name: `l${value}` },
          { address: { city: `c${value}` } },
          { address: { line1: `s${value}` }, source: `f${value}` },
        ]
  return dice.pick(choices)
}

function note({ targets, history }: People, page: Page, text?: string): Promise<unknown> {
  const body = `${text ?? ''} n${++values}`.trim()
  trace('note', page.client.tab, body)
  const [deal] = targets as [Target]
  let done: Promise<unknown> = Promise.resolve()
  const step = page.client.asStep(() => {
    done = page.client.create('notes', { body, deal_ids: [deal.id] })
  })
  const made = { body, by: page.member, page, step, isConfirmed: false, mayBeLost: false }
  history.notes.push(made)
  confirm(done, [made])
  return done
}

export const noteKey = ({ targets }: Pick<People, 'targets'>): string => `note:deals:${targets[0]?.id}`

/** The draft, which the page shows from then on. */
export function draftOf(world: Pick<People, 'targets'>, { drafts }: Page) {
  const draft = drafts.draft(noteKey(world))
  draft.body.subscribe(() => undefined)
  return draft
}

/** Types on in a note that is not sent. */
function type(world: People, page: Page): void {
  const draft = draftOf(world, page)
  if (!draft.isLoaded.peek() && world.dice.chance(0.5)) return
  const word = `w${++values}.`
  trace('types', page.client.tab, word, 'after', draft.body.peek()?.text, draft.isLoaded.peek())
  const made = { word, by: page.member, page, isConfirmed: false, mayBeLost: false }
  world.history.words.push(made)
  draft.set({ text: `${draft.body.peek()?.text ?? ''} ${word}`.trim() })
}

/** Sends the note that was begun, as the composer does. */
function sendDraft(world: People, page: Page): void {
  const draft = draftOf(world, page)
  const text = String(draft.body.peek()?.text ?? '')
  if (text === '') return
  void note(world, page, text).then(
    () => {
      if (page.isOver) return
      const rest = typedSince(text, draft.body.peek()?.text)
      if (rest === '') draft.clear()
      else draft.set({ text: rest })
    },
    () => undefined,
  )
}

/** As Z does: see shell/steps/take-back.ts. */
async function takeNewestBack({ history }: People, page: Page): Promise<void> {
  const { client, member: by } = page
  try {
    const waiting = unansweredStep(client) ?? waitingStep(client)
    const step = waiting ?? (await stepsOf(client, 50)).find(({ is_undone }) => !is_undone)?.id
    if (step === undefined || page.isOver) return
    const back: History['backs'][number] = { by, step }
    history.backs.push(back)
    trace('Z', client.tab, step)
    back.told = await takeBack(client, step)
  } catch {
    // said to the one who pressed Z
  }
}

/** Decides a conflict or a refusal that is on the screen. */
export function decide({ dice, history }: Pick<People, 'dice' | 'history'>, page: Page, isFinal = false): void {
  const { queue } = page.client
  for (const { kind, id, key, seen, parked } of queue.writes.peek()) {
    if (!parked || parked.why === 'deleted' || (!isFinal && dice.chance(0.5))) continue
    if (parked.why === 'old' || parked.why === 'front') {
      queue.decideStuck(key, true)
      continue
    }
    const [path] = Object.keys(seen) as [string]
    const state = queue.fieldState(kind, id, path).peek()
    if (state?.state !== 'conflict' || dice.chance(0.5)) {
      queue.useTheirs(kind, id, path)
      continue
    }
    // Beside my value stood theirs.
    const mine = history.edits.findLast((each) => each.id === id && each.path === path && same(each.value, state.mine))
    mine?.seen.push(state.theirs)
    void queue.useMine(kind, id, path).catch(() => undefined)
  }
}

/** The session ends, somebody signs out, or in again: the same one, or the other. */
export async function sessionOf(world: People, browser: Browser): Promise<void> {
  const { dice, people } = world
  const tab = dice.pick(browser.people)
  const page = tab.page()
  const kind = dice.below(10)
  if (page?.client.isSignedOut.peek() && tab.isAwake()) {
    if (kind < 7) {
      await browser.signIn(page.member)
      return void tab.signInAgain()
    }
    // As another member: the page is left, with what could be kept.
    if (page.client.isLoose()) return
    tab.leave('reload')
    await browser.signIn(dice.pick(people))
    return tab.open()
  }
  if (!page && !browser.isSignedIn()) {
    await browser.signIn(dice.pick(people))
    return tab.open()
  }
  if (kind < 4) return browser.endSession()
  if (kind < 8 && page && tab.isAwake()) void signOut(world, browser, tab)
}

async function signOut({ dice, history }: People, browser: Browser, tab: Browser['tabs'][number]): Promise<void> {
  if (browser.isLeaving) return
  browser.isLeaving = true
  const { member } = tab.page() as Page
  // What another tab could not keep, it asks about itself; if there is room just then, it goes with the others.
  history.giveUp(browser.openPages(member).filter(({ client }) => client.isLoose()))
  try {
    const agrees = () => {
      if (dice.chance(0.4)) return false
      const pages = browser.pagesOf(member)
      history.giveUp(pages)
      return true
    }
    if (!(await tab.signOut(agrees))) return
    await settled() // the other tabs have heard it
    // One that cannot keep all that it has does not go: it asks first, and has the rest here.
    if (browser.openPages(member).some(({ client }) => client.isLoose())) return
    const left = [...browser.texts.keys(), ...(await browser.disk.all()).map((write) => write.member)]
    assert.ok(!left.some((each) => each.includes(member)), `left behind: ${left}`)
  } catch (error) {
    if (error instanceof assert.AssertionError) browser.faults.push(error)
  } finally {
    browser.isLeaving = false
  }
}
