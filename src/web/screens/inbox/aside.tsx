import { Button } from '../../components/button.tsx'
import { showToast } from '../../components/toast.tsx'
import { draft as draftFor } from '../../data/drafts.ts'
import { create } from '../../data/records.ts'
import type { Conversation, Message } from '../../data/types.ts'
import { isMac } from '../../lib/keyboard.ts'
import { format } from '../../lib/locale.ts'
import { serverNow } from '../../lib/server-time.ts'
import { keyLabel } from '../../shell/commands/keys.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { boxFiles } from './box-files.ts'
import { asideKey, discardDraft } from './composing.ts'
import { UNDO_MS } from './held-letter.tsx'
import { Recipients } from './recipients.tsx'
import { type LetterBody, NOBODY, useLetter } from './send-letter.ts'
import { texts } from './texts.ts'
import { Writing } from './writing.tsx'

type AsideProps = {
  record: Conversation
  from: string
  onDone: () => void
  onEscape: () => void
}

type Body = LetterBody & {
  forwards?: string
  hasQuote?: boolean
  in_reply_to?: string | null
}

/** What goes to somebody else than the customer: a forward, or an answer to what came from the side. */
export function AsideWriting({ record, from, onDone, onEscape }: AsideProps) {
  const { id } = record
  const kept = draftFor(asideKey(id))
  const box = boxFiles(asideKey(id))
  const words = texts()
  const { text = '', people = NOBODY, forwards, hasQuote = false } = (kept.body.value ?? {}) as Body
  const original = useAsk<Message>(hasQuote && forwards ? `/api/v1/messages/${forwards}` : null).value
  const quote = hasQuote && original ? quoteOf(original, record) : ''
  const change = (given: Body): void => kept.set({ ...kept.body.peek(), ...given })

  const { isSending, send } = useLetter<Body>({
    kept,
    box,
    people,
    failed: words.notSentWhy,
    isStopped() {
      if (hasQuote && !original) showToast({ kind: 'error', text: words.recipientsUnknown })
      else return text.trim() === '' && quote === '' && box.files.peek().length === 0
      return true
    },
    fieldsOf: (now) => ({
      conversation_id: id,
      body_text: [now.text?.trim(), now.hasQuote ? quote : ''].filter(Boolean).join('\n\n'),
      ...(now.forwards ? { forwards_message_id: now.forwards } : { in_reply_to: now.in_reply_to }),
      send_at: new Date(serverNow() + UNDO_MS).toISOString(),
    }),
    async post(fields) {
      await create('messages', fields)
      kept.clear()
      void box.again()
      onDone()
    },
  })

  return (
    <>
      <p class="live small">{words.asideHint}</p>
      <Recipients
        people={people}
        from={(kept.body.value as Body | undefined)?.from ?? from}
        isOpenAtFirst={forwards !== undefined}
        onFrom={(email) => change({ from: email })}
        onChange={(next) => change({ people: next })}
      />
      {forwards && (
        <p class="to-line row small mute cut" dir="auto">
          {words.subjectOf(`Fwd: ${bare(record.subject ?? words.noSubject)}`)}
        </p>
      )}
      <Writing
        box={box}
        label={forwards ? words.forwardLabel : words.asideLabel}
        placeholder={forwards ? words.forwardPlaceholder : words.asidePlaceholder}
        text={text}
        isKept={kept.isKept.value}
        onInput={(typed) => change({ text: typed })}
        onSend={() => void send()}
        onDiscard={() => discardDraft(box.key)}
        onEscape={onEscape}
        below={
          quote !== '' && (
            <div class="to-line row">
              <details class="quoted grow">
                <summary class="small mute">{words.original}</summary>
                <p class="said" dir="auto">
                  {quote}
                </p>
              </details>
              <Button plain onClick={() => change({ hasQuote: false })}>
                {words.withoutOriginal}
              </Button>
            </div>
          )
        }
      >
        <Button
          first
          keys={keyLabel('mod+Enter', isMac)}
          working={isSending ? words.sending : undefined}
          onClick={() => void send()}
        >
          {words.send}
        </Button>
      </Writing>
    </>
  )
}

/** As the server begins it: without what earlier answers have put in front. */
const bare = (subject: string): string => subject.replace(/^(?:(?:re|aw|fwd?|wg):\s*)+/i, '')

/** The original as mail programs quote it: who wrote it when to whom, and each of its lines behind a sign. */
function quoteOf({ author, sent_at, to, cc, body_text }: Message, { subject }: Conversation): string {
  const { heads, forwardHead } = texts()
  const named = (all: Message['to']) => all.map(({ name, email }) => (name ? `${name} <${email}>` : email)).join(', ')
  const by = author.email === null ? (author.name ?? '') : named([{ name: author.name, email: author.email }])
  const lines = [
    forwardHead,
    `${heads.from}: ${by}`,
    `${heads.date}: ${format.peek().full(sent_at)}`,
    subject && `${heads.subject}: ${subject}`,
    to.length > 0 && `${heads.to}: ${named(to)}`,
    cc.length > 0 && `${heads.cc}: ${named(cc)}`,
  ]
  const quoted = body_text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
  return [...lines.filter(Boolean), '', ...quoted].join('\n')
}
