import { sayFailed } from '../../components/say-failed.ts'
import { showToast } from '../../components/toast.tsx'
import { draft } from '../../data/drafts.ts'
import type { Message } from '../../data/types.ts'
import { opening } from '../../lib/typed-ahead.ts'
import { boxFiles } from './box-files.ts'
import { texts } from './texts.ts'

// The keys r and n may come before the conversation is here. What is typed after them is for its composer.

export type Mode = 'reply' | 'note'
type Begin = (mode: Mode) => void

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

export function compose(mode: Mode): void {
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

/** A reply that did not go is a draft again, below what is written there. */
export function takeUp({ id, conversation_id, body_text, to, cc, bcc, attachments }: Message): void {
  const kept = draft(replyKey(conversation_id))
  const before = String(kept.body.peek()?.text ?? '')
  // To whom it was to go, and nobody else.
  const people = to.length + cc.length + bcc.length > 0 ? { people: { to, cc, bcc } } : {}
  kept.set({ ...people, ...kept.body.peek(), text: before === '' ? body_text : `${before}\n\n${body_text}` })
  if (attachments.length > 0)
    boxFiles(replyKey(conversation_id))
      .takeFrom(id)
      .catch((error) => sayFailed(texts().attached.notBack, error))
  compose('reply')
}
