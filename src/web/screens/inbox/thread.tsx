import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { HistoryLine } from '../../../site/app/inbox-history.ts'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { Bar as Grey } from '../../components/skeleton.tsx'
import { me } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { hasRole } from '../../data/may.ts'
import { look } from '../../data/presence.ts'
import type { Conversation, Message } from '../../data/types.ts'
import { setQuery } from '../../lib/router.ts'
import { words as common } from '../../lib/texts/words/texts.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { markRead } from './acts.ts'
import { Composer } from './composer.tsx'
import { noComposer } from './composing.ts'
import { Head } from './head.tsx'
import { MessageView } from './message.tsx'
import { saidBefore } from './quotes.ts'
import { useGoToHit } from './search/go-to-hit.ts'
import { useHit } from './search/hits.ts'
import { SystemLine } from './system-line.tsx'
import { texts } from './texts.ts'
import { newestOf, placeOf, useThread } from './thread-data.ts'

const NONE: readonly HistoryLine[] = []

/** As it was sent, which answers quote: some mails ended with a question. */
const sentText = ({ id, body_text }: Message, lines: readonly HistoryLine[]): string =>
  [body_text, ...lines.flatMap(({ asked }) => (asked?.message_id === id ? asked.text : []))].join('\n')

type Aside = { id: string; to: Message['to'] }
const NO_ASIDES: readonly Aside[] = []

/** Messages and what was done, by when it was; before the earliest message that is here, nothing is told. */
function inOrder(
  messages: readonly Message[],
  lines: readonly HistoryLine[],
  isCut: boolean,
): (Message | HistoryLine)[] {
  const shown = messages.filter(isShown)
  const first = shown[0] ? placeOf(shown[0]) : 0
  const told = lines.filter(({ at }) => !isCut || Date.parse(at) >= first)
  const timeOf = (each: Message | HistoryLine) => ('field' in each ? Date.parse(each.at) : placeOf(each))
  return [...shown, ...told].sort((one, other) => timeOf(one) - timeOf(other))
}

/** My own letters that wait stand where they were written. */
const isShown = ({ send_at, author }: Message): boolean => send_at === null || author.id !== me.value.id

/** The message by which a conversation was opened: the last that had come by then. */
function openedBy(
  { field, after, before, at }: HistoryLine,
  messages: readonly Message[],
  besideOf: (message: Message) => Message['to'] | undefined,
): { by?: Message; isBeside?: boolean } {
  if (field !== 'status' || after !== 'open' || before === null) return {}
  const time = Date.parse(at)
  const by = messages.findLast(
    ({ direction, created_at }) => direction === 'inbound' && Math.abs(time - Date.parse(created_at)) < OPENING_MS,
  )
  return by ? { by, isBeside: besideOf(by) !== undefined } : {}
}

/** A message and what it opens are written at once. */
const OPENING_MS = 1000

/** Who runs past with j has read nothing. */
const READ_MS = 1000

type ThreadPaneProps = { record: Conversation; onClose: () => void; onContact: () => void }

/** A conversation: its head, its messages in the order in which they came, and what is written next. */
export function ThreadPane({ record, onClose, onContact }: ThreadPaneProps) {
  const { id } = record
  const thread = useThread(id)
  const scroller = useRef<HTMLDivElement>(null)
  const messages = thread.messages.value
  const newest = messages?.at(-1)?.id
  const history = useAsk<{ data: HistoryLine[]; merged_into: string | null }>(`/app/inbox/${id}/history`, [
    'conversations',
  ]).value
  const lines = history?.data ?? NONE
  const said = useMemo(() => saidBefore((messages ?? []).map((each) => sentText(each, lines))), [messages, lines])
  // What leads to one that was merged leads to where its messages are.
  const moved = history?.merged_into
  useEffect(() => {
    if (moved) void setQuery({ c: moved }, { replace: true })
  }, [moved])

  const asides =
    useAsk<{ data: Aside[] }>(`/app/inbox/${id}/asides`, ['messages', 'conversations']).value?.data ?? NO_ASIDES
  const besideOf = (message: Message) => asides.find((each) => each.id === message.id)?.to
  /** With somebody else than the customer: what came from them, a forward, and an answer to what came. */
  const isAside = (message: Message): boolean =>
    message.forwards_message_id !== null ||
    besideOf(message) !== undefined ||
    (message.in_reply_to !== null &&
      messages?.some((each) => each.external_id === message.in_reply_to && besideOf(each)) === true)

  useEffect(() => {
    look({ viewing: { kind: 'conversations', id } })
    return () => look({ viewing: null })
  }, [id])
  // Once for each message that comes: who marks it as unread meanwhile is not contradicted.
  useEffect(() => {
    if (newest === undefined || !hasRole('member')) return
    return client().timers.after(READ_MS, () => {
      if (!document.hidden) markRead(id)
    })
  }, [id, newest])
  const hasFailed = thread.error.value !== undefined && messages === undefined
  useEffect(() => {
    if (hasFailed) noComposer()
  }, [hasFailed])
  // Who opens it sees the newest message; a later one moves nothing while somebody reads further up.
  const seenEnd = useRef<string | undefined>(undefined)
  const hit = useHit(id)
  useGoToHit(scroller, thread, hit)
  useLayoutEffect(() => {
    const box = scroller.current
    if (!box || newest === undefined) return
    const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < 240
    if (seenEnd.current !== id || isNear) box.scrollTop = box.scrollHeight
    seenEnd.current = id
  }, [id, newest])

  return (
    <section class="th" aria-label={record.subject || texts().noSubject} tabIndex={-1}>
      <Head record={record} onClose={onClose} onContact={onContact} />
      <div class="msgs" ref={scroller} data-scroll="thread">
        {thread.earlier.value !== null && (
          <Button plain onClick={() => void thread.more()}>
            {texts().earlier}
          </Button>
        )}
        {messages === undefined &&
          thread.error.value === undefined &&
          [0, 1, 2].map((row) => <Grey key={row} row={row} />)}
        {hasFailed && (
          <Empty
            icon="alert"
            title={texts().threadFailed}
            actions={<Button onClick={() => void thread.again()}>{common().again}</Button>}
          >
            {sayWhy(thread.error.value)}
          </Empty>
        )}
        {inOrder(messages ?? [], lines, thread.earlier.value !== null).map((each) =>
          'field' in each ? (
            <SystemLine key={each.id} line={each} {...openedBy(each, messages ?? [], besideOf)} />
          ) : (
            <MessageView
              key={each.id}
              message={each}
              isKnown={said(messages?.indexOf(each) ?? 0)}
              beside={besideOf(each)}
              isAside={isAside(each)}
            />
          ),
        )}
      </div>
      {messages && hasRole('member') && (
        <Composer key={id} record={record} newest={newestOf(messages)} messages={messages} isAside={isAside} />
      )}
    </section>
  )
}
