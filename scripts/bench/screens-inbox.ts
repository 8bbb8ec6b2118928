import type { Page } from 'playwright-core'
import { resourceDeps } from '../../src/app/deps.ts'
import { conversationStore } from '../../src/inbox/conversations/conversations.ts'
import type { Message } from '../../src/inbox/messages/message.ts'
import { messageStore } from '../../src/inbox/messages/messages.ts'
import { rfc3339 } from '../../src/lib/time.ts'
import type { OpenedStore } from '../../src/store/open.ts'
import { FRAMES, KEYS, keyTimes, routeTo, scrollFrames, until } from './screens-page.ts'

// The inbox of the screens, with 100,000 conversations.

export const CONVERSATIONS = 100_000
/** The rest is closed. */
const OPEN = 5000
const CLOSED = CONVERSATIONS - OPEN
const CLOSED_TEXT = CLOSED.toLocaleString('en')
const THREAD = 500
const IN_ONE_GO = 2000

/** Conversations of one message each; the newest one has 500. */
export function fillInbox(store: OpenedStore, org: number, contacts: readonly string[]): void {
  const deps = resourceDeps(store)
  const who = { org, member: null }
  const messages = messageStore(deps)
  const conversations = conversationStore(deps)
  const first = store.clock.now() - CONVERSATIONS * 60_000
  const open = (n: number): void => {
    const { conversation_id: id } = messages.post(who, {
      contact_id: contacts[n % contacts.length] as string,
      channel: 'chat',
      subject: `Question ${n}`,
      direction: 'inbound',
      body_text: `Hello, this is about order ${n}. When will it arrive?`,
      sent_at: rfc3339(first + n * 60_000),
    }) as Message
    if (n < CLOSED) conversations.patch(who, conversations.byId(who, id), { status: 'closed' })
    if (n < CONVERSATIONS - 1) return
    for (let more = 1; more < THREAD; more++)
      messages.post(who, {
        conversation_id: id,
        direction: more % 3 === 0 ? 'note' : 'inbound',
        body_text: `Message ${more} of this long story, with a sentence or two about the order.`,
      })
  }
  for (let from = 0; from < CONVERSATIONS; from += IN_ONE_GO)
    store.transaction(() => {
      for (let n = from; n < from + IN_ONE_GO; n++) open(n)
    })
}

type Timed = (name: string, budget: number, times: number, measure: () => Promise<number>) => Promise<void>
type Add = (name: string, budget: number | null, value: number, unit?: string) => void

const NAME = '.cv .name'
const LAST = `.cv[aria-posinset="${CLOSED}"] .name`

export async function inboxRows(page: Page, timed: Timed, add: Add): Promise<void> {
  await timed('screen from the server: inbox', 150, 1, () => routeTo(page, '/inbox', NAME))
  await page.waitForSelector('.th [data-message]')
  add('conversations mounted', 60, await page.locator('.cv').count(), '')
  // The one that waits longest is first; the long one came last.
  await timed('next conversation by j, key to paint, p95', 50, KEYS, () => keyTimes(page, () => 'j'))
  const long = page.getByRole('radio', { name: 'Newest first' })
  await long.click()
  await page.waitForSelector(`.cv:first-child a[href*="c="]`)
  await timed('thread of 500 messages, from the click to its last one', 150, 1, () =>
    until(
      page,
      `.th h2[title="Question ${CONVERSATIONS - 1}"], .th [data-message] ~ [data-message] ~ [data-message]`,
      () => page.locator('.cv a', { hasText: `Question ${CONVERSATIONS - 1}` }).click(),
    ),
  )
  await timed(`${CLOSED_TEXT} closed conversations, from the click to their rows`, 300, 1, () =>
    until(page, `.cv[aria-setsize="${CLOSED}"] .name`, () => page.locator('.iv a[href^="/inbox?in=closed"]').click()),
  )
  await timed(`${CLOSED_TEXT} closed conversations, scroll frame p95`, 16.7, FRAMES, () => scrollFrames(page, '.ls'))
  await page.locator('.cv a').first().focus()
  await timed(`${CLOSED_TEXT} closed conversations, jump to the end`, 300, 1, () =>
    until(page, LAST, () => page.keyboard.press('End')),
  )
}
