import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { sayFailed } from '../../components/say-failed.ts'
import { showToast } from '../../components/toast.tsx'
import { ApiProblem } from '../../data/api.ts'
import { memberName } from '../../data/boot.ts'
import { draft as draftFor } from '../../data/drafts.ts'
import { look, presentAt } from '../../data/presence.ts'
import { create } from '../../data/records.ts'
import type { Conversation, Message } from '../../data/types.ts'
import { isMac } from '../../lib/keyboard.ts'
import { serverNow } from '../../lib/server-time.ts'
import { keyLabel } from '../../shell/commands/keys.ts'
import { AsideWriting } from './aside.tsx'
import { boxFiles, NotArrived } from './box-files.ts'
import { asideKey, discardDraft, forward, type Mode, noteKey, offerComposer, replyKey } from './composing.ts'
import { isSoon, UNDO_MS } from './held-letter.tsx'
import { HeldLetters, lettersOf } from './held-letters.tsx'
import { ModeTabs } from './mode-tabs.tsx'
import { isNobody, type People, Recipients, useRecipients } from './recipients.tsx'
import { nameOfContact } from './row.tsx'
import { showUnfilled } from './saved-replies/unfilled.ts'
import { SendLater } from './send-later.tsx'
import { Signature, signed } from './signature.tsx'
import { Stopped } from './stopped.tsx'
import { texts } from './texts.ts'
import { Writing } from './writing.tsx'

/** Of each conversation: only the member's own gesture changes it. */
const modes = new Map<string, Mode>()

type ComposerProps = {
  record: Conversation
  /** The newest message of a person that is on the screen. */
  newest: Message | undefined
  messages: readonly Message[]
  /** Whether a message is to or from others than the customer. */
  isAside: (message: Message) => boolean
}

/** Reply and note, each with a text of its own that is kept on the server until it is sent. */
export function Composer({ record, newest, messages, isAside }: ComposerProps) {
  const { id } = record
  const reply = draftFor(replyKey(id))
  const note = draftFor(noteKey(id))
  const aside = draftFor(asideKey(id))
  const isMail = record.channel === 'email'
  const { people, from, others, why } = useRecipients(id, reply.body.value?.people)
  const writer = presentAt('conversations', id).value.find(({ typing }) => typing)
  const [, redraw] = useState(0)
  const [isSending, setSending] = useState(false)
  const [stopped, setStopped] = useState<string | null>(null)
  const place = useRef<HTMLDivElement>(null)
  const words = texts()
  const replyText = String(reply.body.value?.text ?? '')
  const noteText = String(note.body.value?.text ?? '')
  // Who comes while a colleague is answering begins with a note.
  const chosen = modes.get(id)
  const mode =
    (chosen === 'aside' && !aside.body.value ? 'reply' : chosen) ??
    (replyText === '' && (noteText !== '' || writer) ? 'note' : 'reply')
  const text = mode === 'note' ? noteText : replyText
  const box = boxFiles(mode === 'note' ? noteKey(id) : replyKey(id))

  const latest = useRef({ messages, isAside })
  latest.current = { messages, isAside }
  useLayoutEffect(() => offerComposer((next) => (next === 'forward' ? passOn() : choose(next, true))), [id])

  function passOn(): void {
    const { messages, isAside } = latest.current
    const all = messages.filter(({ direction, send_at }) => direction !== 'note' && send_at === null)
    const newest = all.findLast((each) => each.direction === 'inbound' && !isAside(each)) ?? all.at(-1)
    if (newest) forward(newest)
  }

  function choose(next: Mode, isWriting: boolean): void {
    modes.set(id, next)
    redraw((count) => count + 1)
    // As soon as it is drawn, and before the next key.
    if (isWriting) queueMicrotask(() => place.current?.querySelector<HTMLElement>(fieldOf(next))?.focus())
  }

  /** A forward begins with whom it goes to. */
  function fieldOf(next: Mode): string {
    const people = aside.body.peek()?.people as People | undefined
    return next === 'aside' && people?.to.length === 0 ? '.to-lines input' : 'textarea'
  }

  function type(typed: string): void {
    modes.set(id, mode)
    const kept = mode === 'reply' ? reply : note
    const { people, from } = (mode === 'reply' && reply.body.peek()) || {}
    if (typed === '') {
      // Who was chosen stays chosen.
      if (people || from) kept.set({ text: '', ...(people ? { people } : {}), ...(from ? { from } : {}) })
      else kept.clear()
    } else if (mode === 'note') kept.set({ text: typed })
    // What its writer had read when the text was begun: what comes later stops it once.
    else kept.set({ ...reply.body.peek(), text: typed, seen: String(reply.body.peek()?.seen ?? newest?.id ?? '') })
    look({ viewing: { kind: 'conversations', id }, typing: mode === 'reply' && typed !== '' })
  }

  type Sending = { isClosing?: boolean; isInsisting?: boolean; at?: number; isUnlessAnswered?: boolean }

  async function send({ isClosing, isInsisting, at, isUnlessAnswered }: Sending = {}): Promise<void> {
    if (text.trim() === '' && box.files.peek().length === 0) return place.current?.querySelector('textarea')?.focus()
    if (isSending) return
    if (mode === 'reply' && showUnfilled(text, place.current?.querySelector('textarea'))) return
    if (mode === 'reply' && isMail && !people) return showError(words.recipientsUnknown)
    if (mode === 'reply' && isMail && people && isNobody(people)) return showError(words.needsRecipient)
    setSending(true)
    const seen = isInsisting ? newest?.id : String(reply.body.peek()?.seen || newest?.id || '')
    const kept = mode === 'reply' ? reply : note
    try {
      // Who sends before all files have arrived waits for them, and may write on.
      const ids = await box.arrived()
      const body_text = String(kept.body.peek()?.text ?? '').trim()
      const said = { conversation_id: id, body_text, ...(ids.length > 0 ? { draft_files: { key: box.key, ids } } : {}) }
      if (mode === 'note') await create('messages', { ...said, direction: 'note' })
      else {
        await create('messages', {
          ...said,
          direction: 'outbound',
          body_text: isMail ? signed(body_text, kept.body.peek()?.isUnsigned) : body_text,
          ...(isMail && people ? ((kept.body.peek()?.people as People | undefined) ?? people) : {}),
          ...(kept.body.peek()?.from ? { from: { email: kept.body.peek()?.from } } : {}),
          ...(seen ? { last_seen_message_id: seen } : {}),
          ...(isMail ? { send_at: new Date(at ?? serverNow() + UNDO_MS).toISOString() } : {}),
          ...(isUnlessAnswered ? { send_unless_reply: true } : {}),
          ...(isClosing ? { closes_conversation: true } : {}),
        })
        if (!isMail) showToast({ text: words.sentTo(nameOfContact(record.contact_id)) })
      }
      setStopped(null)
      void box.again()
      if (String(kept.body.peek()?.text ?? '').trim() === body_text) kept.clear()
      look({ viewing: { kind: 'conversations', id } })
    } catch (error) {
      if (error instanceof ApiProblem && error.code === 'newer_message')
        setStopped(String(reply.body.peek()?.seen ?? ''))
      else if (error instanceof NotArrived) showError(words.attached.notArrived(error.message))
      else sayFailed(mode === 'reply' ? words.notSentWhy : words.noteNotAdded, error)
    } finally {
      setSending(false)
    }
  }

  if (stopped !== null && mode === 'reply')
    return (
      <Stopped
        since={messages.filter(
          ({ id, direction, is_automatic }) => id > stopped && direction !== 'note' && !is_automatic,
        )}
        text={replyText}
        isSending={isSending}
        onDiscard={() => {
          discardDraft(replyKey(id))
          setStopped(null)
        }}
        onKeep={() => {
          reply.set({ ...reply.body.peek(), seen: newest?.id ?? '' })
          setStopped(null)
          choose('reply', true)
        }}
        onSend={() => void send({ isInsisting: true })}
      />
    )
  const letters = lettersOf(messages)
  const held = (
    <HeldLetters
      letters={letters}
      isAside={isAside}
      seen={newest?.id}
      onBack={(isBeside) => choose(isBeside ? 'aside' : 'reply', true)}
    />
  )
  const isLeaving = letters.some((letter) => isSoon(letter) && !isAside(letter))
  if (isLeaving && mode === 'reply' && replyText === '' && box.files.value.length === 0) return held
  const modesNow: readonly Mode[] = aside.body.value ? ['reply', 'note', 'aside'] : ['reply', 'note']
  const leave = () => place.current?.closest<HTMLElement>('.th')?.focus()
  const send_ = keyLabel('mod+Enter', isMac)
  return (
    <>
      {held}
      <div ref={place} class={mode === 'note' ? 'ic is-note' : 'ic'}>
        {writer && (
          <p class="live small" role="status">
            {words.writing(memberName(writer.member_id) ?? '')}
          </p>
        )}
        <ModeTabs modes={modesNow} mode={mode} isForward={aside.body.value?.forwards !== undefined} onChoose={choose} />
        {mode === 'reply' && isMail && people && why !== 'no_mailbox' && (
          <Recipients
            others={others}
            people={people}
            from={String(reply.body.value?.from ?? from)}
            onFrom={(email) => reply.set({ people, ...reply.body.peek(), text: replyText, from: email })}
            onChange={(next) => reply.set({ ...reply.body.peek(), text: replyText, people: next })}
          />
        )}
        {mode === 'reply' && isMail && why && (
          <p class="live small" role="status">
            {words.cannot[why]}
          </p>
        )}
        <div
          id="inbox-write"
          role="tabpanel"
          aria-labelledby={`inbox-${mode}`}
          // Who writes, or is about to, decides: no colleague who begins or stops changes it.
          onFocusIn={() => modes.set(id, mode)}
          // Before the field, which sends without closing.
          onKeyDownCapture={(event) => {
            if (event.key !== 'Enter' || !event.shiftKey || !(event.ctrlKey || event.metaKey) || mode !== 'reply')
              return
            event.preventDefault()
            event.stopPropagation()
            void send({ isClosing: true })
          }}
        >
          {mode === 'aside' ? (
            <AsideWriting
              key="aside"
              record={record}
              from={from}
              onDone={() => choose('reply', false)}
              onEscape={leave}
            />
          ) : (
            <Writing
              key={mode}
              savedReplies={`/app/inbox/${id}/saved-replies`}
              box={box}
              label={mode === 'reply' ? words.replyLabel : words.noteLabel}
              placeholder={mode === 'reply' ? words.replyPlaceholder : words.notePlaceholder}
              text={text}
              isKept={(mode === 'reply' ? reply : note).isKept.value}
              hasMentions={mode === 'note'}
              isPlain={mode === 'reply' && !isMail}
              onInput={type}
              onSend={() => void send()}
              onDiscard={() => discardDraft(box.key)}
              onEscape={leave}
              below={
                mode === 'reply' &&
                isMail && (
                  <Signature
                    text={text}
                    isUnsigned={reply.body.value?.isUnsigned === true}
                    onChange={(isUnsigned) => reply.set({ ...reply.body.peek(), text: replyText, isUnsigned })}
                  />
                )
              }
            >
              {mode === 'reply' && record.channel === 'email' && (
                <SendLater onPick={(at, isUnlessAnswered) => void send({ at, isUnlessAnswered })} />
              )}
              {mode === 'reply' && (
                <Button off={isSending ? words.sending : undefined} onClick={() => void send({ isClosing: true })}>
                  {words.sendClose}
                </Button>
              )}
              <Button
                first
                keys={send_}
                working={isSending ? (mode === 'reply' ? words.sending : words.adding) : undefined}
                onClick={() => void send()}
              >
                {mode === 'reply' ? words.send : words.addNote}
              </Button>
            </Writing>
          )}
        </div>
      </div>
    </>
  )
}

const showError = (text: string): void => void showToast({ kind: 'error', text })
