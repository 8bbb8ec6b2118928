import { messageStore } from '../../../../src/inbox/messages/messages.ts'
import type { NoAnswer } from '../../../../src/web/data/api.ts'
import { ApiProblem } from '../../../../src/web/data/api.ts'
import type { Fields, Message } from '../../../../src/web/data/types.ts'
import { newestOf } from '../../../../src/web/screens/inbox/thread-data.ts'
import { rows } from '../../../../src/web/tables/table/rows.ts'
import type { Org } from '../../../support/org.ts'
import type { Row } from '../../../support/records.ts'
import type { SignedIn } from '../../../support/screens.ts'
import type { TestServer } from '../../../support/server.ts'
import type { Random } from './dice.ts'
import type { Browser, Page } from './world.ts'

// What three members do with the conversations of a schedule, as the screens of the inbox do it: src/web/screens/inbox.

export type Answer = { member: string; body: string; seen: string; isInsisted: boolean; isConfirmed: boolean }
export type Word = { member: string; key: string; word: string; isGivenUp: boolean }

export type SharedInbox = {
  server: TestServer
  org: Org
  dice: Random
  members: string[]
  conversations: string[]
  reader: Pick<SignedIn, 'call'>
  answers: Answer[]
  notes: Omit<Answer, 'seen' | 'isInsisted'>[]
  words: Word[]
}

/** The views whose rows change by events alone: the others by the clock, too. */
const LASTING = ['open', 'mine', 'nobody', 'waiting', 'snoozed', 'closed'] as const
const MINUTE = 60_000

const replyKey = (id: string) => `reply:conversations:${id}`
const noteKey = (id: string) => `inbox-note:conversations:${id}`

let values = 0
const nextValue = () => ++values

/** A customer writes, into a conversation or a new one. */
export function write({ server, org }: Pick<SharedInbox, 'server' | 'org'>, into?: string): string {
  const who = { org: org.org, member: org.owner }
  const n = nextValue()
  const place = into
    ? { conversation_id: into }
    : { channel: 'chat' as const, from: { email: `customer${n}@firm.example`, name: null } }
  const post = () =>
    messageStore(server.deps).post(who as never, { direction: 'inbound', body_text: `c${n}`, ...place } as never)
  return (server.store.transaction(post) as Message).conversation_id
}

/** What a page shows of the inbox: one view, and the threads that were opened. */
export function screenOf(page: Page, dice: Random, hasList: boolean) {
  const { client } = page
  const view = dice.pick(LASTING)
  const list = rows(client, 'conversations', { view, sort: 'due' })
  const threads = new Map<string, readonly Message[]>()
  const stopped = new Set<string>()
  const sending = new Set<string>()
  /** What has changed since it was read. */
  const old = new Set<string>()
  const rounds = new Map<string, number>()
  let isListOld = hasList
  let reading = 0

  const counted = (job: Promise<unknown>) => {
    reading++
    void job.catch(() => undefined).finally(() => reading--)
  }

  async function read(id: string): Promise<void> {
    const round = (rounds.get(id) ?? 0) + 1
    rounds.set(id, round)
    old.delete(id)
    try {
      const { data } = await client.api.get<{ data: Message[] }>(
        `/api/v1/conversations/${id}/messages?sort=-created_at&limit=100`,
      )
      if (rounds.get(id) === round) threads.set(id, data.toReversed())
    } catch {
      old.add(id)
    }
  }

  async function readList(): Promise<void> {
    isListOld = false
    list.ensure(0, 20)
    await list.reload()
    isListOld ||= list.error.peek() !== undefined
  }

  client.events.onEvent(({ data: { object } }, kind) => {
    if (kind === 'conversations') isListOld = hasList
    const id = String(kind === 'messages' ? object.conversation_id : object.id)
    if (threads.has(id)) old.add(id)
  })
  if (hasList) client.refreshers.add(readList)
  client.refreshers.add(async () => {
    for (const id of threads.keys()) await read(id)
  })

  const drafts = new Map<string, ReturnType<typeof page.drafts.draft>>()
  const draft = (key: string) => {
    const found = page.drafts.draft(key)
    if (!drafts.has(key)) found.body.subscribe(() => undefined)
    drafts.set(key, found)
    return found
  }

  return {
    drafts: () => [...drafts.values()],
    page,
    client,
    view,
    list,
    hasList,
    threads,
    stopped,
    sending,
    draft,
    /** It is on the screen. */
    show(record: Row, messages: readonly Message[]): void {
      client.store.accept('conversations', record as never, { since: client.store.moment() })
      client.store.entry('conversations', record.id).view.subscribe(() => undefined)
      threads.set(record.id, messages)
    },
    newest: (id: string) => newestOf(threads.get(id) ?? []),
    isReading: () => reading > 0 || list.isLoading.peek(),
    isCurrent: () => old.size === 0 && !isListOld,
    /** Reads what has changed: of one conversation, or all. */
    look(only?: string): void {
      for (const id of old) if (only === undefined || id === only) counted(read(id))
      if (isListOld && only === undefined) counted(readList())
    },
    dispose: () => list.dispose(),
  }
}
export type Screen = ReturnType<typeof screenOf>

/** A member does something on a page. */
export function gesture(inbox: SharedInbox, screen: Screen): void {
  const { dice, conversations } = inbox
  const id = dice.pick(conversations)
  if (dice.chance(0.1)) screen.look(dice.chance(0.8) ? id : undefined)
  const kind = dice.below(100)
  if (kind < 14) change(inbox, screen, id)
  else if (kind < 44) begin(inbox, screen, id)
  else if (kind < 76) void answer(inbox, screen, id)
  else if (kind < 84) decide(inbox, screen, id)
  else if (kind < 90) void note(inbox, screen, id)
  else if (kind < 96) void merge(inbox, screen, id)
  else void split(inbox, screen, id)
}

function change({ dice, members, server }: SharedInbox, { client }: Screen, id: string): void {
  if (!client.store.entry('conversations', id).view.peek()) return
  const soon = new Date(server.now() + MINUTE).toISOString()
  const fields: Fields = dice.pick<() => Fields>([
    () => ({ owner_id: dice.pick([null, ...members]) }),
    () => ({ status: 'closed' }),
    () => ({ status: dice.pick(['open', 'pending']) }),
    () => ({ status: 'snoozed', snoozed_until: soon }),
    () => ({ priority: dice.pick(['low', 'normal', 'high', 'urgent']) }),
  ])()
  client.asStep(() => void client.queue.patch('conversations', id, fields).catch(() => undefined))
}

/** Types on, as Composer does. Nobody begins where the newest is an answer. */
function begin({ dice, words }: SharedInbox, screen: Screen, id: string): void {
  const isReply = dice.chance(0.8)
  const newest = screen.newest(id)
  const key = isReply ? replyKey(id) : noteKey(id)
  const draft = screen.draft(key)
  const before = draft.body.peek()
  if (isReply && (!newest || screen.stopped.has(id) || (!before && newest.direction !== 'inbound'))) return
  const made = { member: screen.page.member, key, word: `w${nextValue()}.`, isGivenUp: false }
  words.push(made)
  const text = `${before?.text ?? ''} ${made.word}`.trim()
  draft.set(isReply ? { ...before, text, seen: String(before?.seen || newest?.id) } : { text })
}

async function answer({ dice, answers }: SharedInbox, screen: Screen, id: string, isInsisted = false): Promise<void> {
  const draft = screen.draft(replyKey(id))
  const { newest } = screen
  const text = String(draft.body.peek()?.text ?? '').trim()
  if (text === '' || screen.sending.has(id) || (screen.stopped.has(id) && !isInsisted)) return
  const seen = isInsisted ? newest(id)?.id : String(draft.body.peek()?.seen || newest(id)?.id || '')
  if (!seen) return
  // Each try has a text of its own, so that one that is stored twice shows.
  const body = `${text} #${nextValue()}`
  const made = { member: screen.page.member, body, seen, isInsisted, isConfirmed: false }
  answers.push(made)
  screen.sending.add(id)
  try {
    await screen.client.create('messages', {
      ...{ conversation_id: id, direction: 'outbound', body_text: body, last_seen_message_id: seen },
      ...(dice.chance(0.2) ? { closes_conversation: true } : {}),
    })
    made.isConfirmed = true
    screen.stopped.delete(id)
    if (String(draft.body.peek()?.text ?? '').trim() === text) draft.clear()
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'newer_message') screen.stopped.add(id)
  } finally {
    screen.sending.delete(id)
  }
}

/** Decides what was stopped: go on with mine, discard mine, send all the same. */
function decide(inbox: SharedInbox, screen: Screen, id: string): void {
  if (!screen.stopped.has(id) || screen.sending.has(id)) return
  const draft = screen.draft(replyKey(id))
  const kind = inbox.dice.below(3)
  if (kind === 0) return void answer(inbox, screen, id, true)
  screen.stopped.delete(id)
  if (kind === 1) {
    const text = String(draft.body.peek()?.text ?? '')
    for (const each of inbox.words)
      if (each.member === screen.page.member && text.includes(each.word)) each.isGivenUp = true
    draft.clear()
  } else if (screen.newest(id)?.direction === 'inbound') {
    draft.set({ ...draft.body.peek(), seen: screen.newest(id)?.id ?? '' })
  } else screen.stopped.add(id)
}

async function note({ notes }: SharedInbox, screen: Screen, id: string): Promise<void> {
  const draft = screen.draft(noteKey(id))
  const text = String(draft.body.peek()?.text ?? '').trim()
  const body = `${text} n${nextValue()}`.trim()
  const made = { member: screen.page.member, body, isConfirmed: false }
  notes.push(made)
  try {
    await screen.client.create('messages', { conversation_id: id, direction: 'note', body_text: body })
    made.isConfirmed = true
    if (text !== '' && String(draft.body.peek()?.text ?? '').trim() === text) draft.clear()
  } catch {
    // said to the one who wrote it
  }
}

const moved = ({ client }: Screen, path: string, body: Fields): Promise<string | undefined> => {
  let key = ''
  client.asStep(() => {
    key = client.newKey()
  })
  return client.api.request<{ id: string }>('POST', path, { body, key }).then(
    ({ body }) => body.id,
    (_: ApiProblem | NoAnswer) => undefined,
  )
}

async function merge({ dice, conversations }: SharedInbox, screen: Screen, id: string): Promise<void> {
  const into_id = dice.pick(conversations)
  if (into_id !== id) await moved(screen, `/app/conversations/${id}/merge`, { into_id })
}

async function split({ dice }: SharedInbox, screen: Screen, id: string): Promise<void> {
  const message = dice.pick(screen.threads.get(id)?.filter(({ direction }) => direction === 'inbound') ?? [])
  if (message) await moved(screen, `/app/messages/${message.id}/split`, {})
}

/** What a member has left in the browser is taken up by the next page. */
export function takeUp({ words }: Pick<SharedInbox, 'words'>, screen: Screen): void {
  for (const { member, key } of words) if (member === screen.page.member) screen.draft(key)
}

export type Desk = { browser: Browser; member: string; screen: Screen | undefined; hasList: boolean; isAnew?: boolean }
