import { sayFailed } from '../../components/say-failed.ts'
import { showToast } from '../../components/toast.tsx'
import { draft } from '../../data/drafts.ts'
import type { Fields, Message } from '../../data/types.ts'
import { opening } from '../../lib/typed-ahead.ts'
import { boxFiles } from './box-files.ts'
import { unsigned } from './signature.tsx'
import { texts } from './texts.ts'

// The keys r and n may come before the conversation is here. What is typed after them is for its composer.

export type Mode = 'reply' | 'note' | 'aside'
/** Also to pass the newest message on, which the composer knows. */
type Begun = Mode | 'forward'
type Begin = (mode: Begun) => void

let current: Begin | undefined
let waiting: { came: (begin: Begin) => void; failed: () => void }[] = []

/** Says how the composer on the page is begun; the answer takes it away. */
export function offerComposer(begin: Begin): () => void {
  current = begin
  for (const { came } of waiting) came(begin)
  waiting = []
  return () => {
    if (current === begin) current = undefined
  }
}

/** None will come: the conversation could not be read. */
export function noComposer(): void {
  for (const { failed } of waiting) failed()
  waiting = []
}

export function compose(mode: Begun): void {
  if (current) {
    current(mode)
    return
  }
  const coming = new Promise<Begin>((came, failed) => waiting.push({ came, failed }))
  opening(coming).then(
    (begin) => begin(mode),
    () => undefined,
  )
}

export const replyKey = (conversation: string): string => `reply:conversations:${conversation}`
/** A mail that opens a conversation: there may be several. */
export const mailKey = (id: string): string => `mail:${id}`
/** A forward, or an answer to somebody else than the customer: one at a time. */
export const asideKey = (conversation: string): string => `aside:conversations:${conversation}`
export const noteKey = (conversation: string): string => `inbox-note:conversations:${conversation}`

/** Throws a draft away with its files; as long as the toast stands, both can be brought back. */
export function discardDraft(key: string): void {
  const kept = draft(key)
  const box = boxFiles(key)
  const before = kept.body.peek()
  kept.clear()
  void box.discard()
  const undo = (): void => {
    if (before) kept.set({ ...before, ...kept.body.peek() })
    box.bringBack().catch((error) => sayFailed(texts().attached.notBack, error))
  }
  showToast({ text: texts().draftDiscarded, icon: 'trash', undo })
}

/** A letter that did not go is a draft again, below what is written there. False if another one has its place. */
export function unsent(message: Message, isAside: boolean, seen = ''): boolean {
  const { conversation_id, body_text, to, cc, bcc, from, forwards_message_id, in_reply_to } = message
  // To whom it was to go, and nobody else.
  const people = {
    ...(to.length + cc.length + bcc.length > 0 ? { people: { to, cc, bcc } } : {}),
    ...(from ? { from: from.email } : {}),
  }
  if (isAside) {
    const of = forwards_message_id ? { forwards: forwards_message_id } : { in_reply_to }
    return beginAside(conversation_id, { text: body_text, ...people, ...of })
  }
  const kept = draft(replyKey(conversation_id))
  const before = String(kept.body.peek()?.text ?? '')
  const { text: own, ...rest } = unsigned(body_text)
  const text = before === '' || before === own ? own : `${before}\n\n${own}`
  kept.set({ seen, ...people, ...rest, ...kept.body.peek(), text })
  return true
}

/** The same for one that failed, with its files. */
export function takeUp(message: Message, isAside: boolean): void {
  const { id, conversation_id, attachments } = message
  if (!unsent(message, isAside)) return
  if (attachments.length > 0) void takeFiles(isAside ? asideKey(conversation_id) : replyKey(conversation_id), id)
  compose(isAside ? 'aside' : 'reply')
}

const takeFiles = (key: string, message: string): Promise<void> =>
  boxFiles(key)
    .takeFrom(message)
    .catch((error) => sayFailed(texts().attached.notBack, error))

/** Passes a message on: its files are in the box, and the quoted original stands below the text. */
export function forward({ id, conversation_id, attachments }: Message): void {
  const isNew = draft(asideKey(conversation_id)).body.peek()?.forwards !== id
  const begun = beginAside(conversation_id, { text: '', forwards: id, hasQuote: true, people: NOBODY })
  if (begun && isNew && attachments.length > 0) void takeFiles(asideKey(conversation_id), id)
  compose('aside')
}

/** Answers somebody whom we asked by the side, and nobody else. */
export function answerAside({ conversation_id, external_id }: Message, to: Message['to']): void {
  beginAside(conversation_id, { text: '', in_reply_to: external_id, people: { ...NOBODY, to } })
  compose('aside')
}

const NOBODY = { to: [], cc: [], bcc: [] }

/** What is written to one must not go to another: a second one waits until the first was sent or dropped. */
function beginAside(conversation: string, body: Fields): boolean {
  const kept = draft(asideKey(conversation))
  const before = kept.body.peek()
  const isSame = before?.forwards === body.forwards && before?.in_reply_to === body.in_reply_to
  if (before && !isSame) {
    showToast({ kind: 'error', text: texts().otherAside })
    return false
  }
  if (!before || (body.text !== '' && before.text === '')) kept.set(body)
  return true
}
