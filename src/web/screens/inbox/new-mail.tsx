import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { NewMail } from '../../../personal/drafts.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { showToast } from '../../components/toast.tsx'
import { pathWith } from '../../data/api.ts'
import { client } from '../../data/current.ts'
import { draft as draftFor, draftsOf } from '../../data/drafts.ts'
import { randomKey } from '../../data/keys.ts'
import { isMac } from '../../lib/keyboard.ts'
import { format } from '../../lib/locale.ts'
import { setQuery } from '../../lib/router.ts'
import { isPhone } from '../../lib/widths.ts'
import { keyLabel } from '../../shell/commands/keys.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { boxFiles } from './box-files.ts'
import { discardDraft, mailKey } from './composing.ts'
import { HeldLetter } from './held-letter.tsx'
import { type People, Recipients, senders } from './recipients.tsx'
import { showUnfilled } from './saved-replies/unfilled.ts'
import { type LetterBody, NOBODY, useLetter } from './send-letter.ts'
import { texts } from './texts.ts'
import { Writing } from './writing.tsx'

/** `leaves` is when it was sent to leave, and `failed` that it could not: both are the server's. */
type Body = LetterBody & { subject?: string; leaves?: string | null; failed?: boolean | null }

const written = ({ text = '', subject = '', people = NOBODY }: Body): string =>
  JSON.stringify([text.trim(), subject.trim(), people.to, people.cc, people.bcc])

const openMail = (id: string): void => void setQuery({ new: id, c: null })

/** Begins another one: those that were begun before wait. */
export const beginMail = (): void => openMail(randomKey())

/** Begins a new mail, or goes on with one. */
export function NewMailButton() {
  const begun = useAsk<{ data: NewMail[] }>('/app/inbox/new-mails', ['draft']).value?.data ?? []
  const words = texts()
  if (begun.length === 0) return <IconButton plain icon="pen" title={words.newMail} onClick={beginMail} />
  return (
    <MenuButton
      plain
      class="icon"
      align="end"
      menuLabel={words.newMails}
      title={words.newMails}
      aria-label={words.newMails}
      groups={() => [
        { items: [{ label: words.newMail, icon: 'pen', keys: 'C M', onPick: beginMail }] },
        {
          label: words.begun,
          items: begun.map(({ id, subject, to }) => ({
            label: subject || words.noSubject,
            end: format.peek().list((to as People['to']).map(({ name, email }) => name || email)) || words.noRecipient,
            onPick: () => openMail(id),
          })),
        },
      ]}
    >
      <Icon name="pen" />
    </MenuButton>
  )
}

type NewMailPaneProps = {
  id: string
  /** It is sent or dropped: goes on with the conversation that it has opened. */
  onDone: (conversation: string | undefined) => void
}

/** A mail that opens a conversation. */
export function NewMailPane({ id, onDone }: NewMailPaneProps) {
  const key = mailKey(id)
  const kept = draftFor(key)
  const box = boxFiles(key)
  const place = useRef<HTMLElement>(null)
  const all = senders()
  const words = texts()
  const { text = '', subject = '', people = NOBODY, from, leaves, failed } = (kept.body.value ?? {}) as Body
  const sender = from ?? (all.find(({ isDefault }) => isDefault) ?? all[0])?.email ?? ''
  const change = (given: Body): void => kept.set({ ...kept.body.peek(), ...given })
  // On a phone it is all that is there.
  const Title = isPhone.value ? 'h1' : 'h2'

  useLayoutEffect(() => place.current?.querySelector<HTMLElement>('.to-lines input')?.focus(), [])
  // The keys of the letter are there while it waits, and the text once it is back.
  const waited = useRef(false)
  useLayoutEffect(() => {
    if (leaves) place.current?.focus()
    else if (waited.current) area()?.focus()
    waited.current = Boolean(leaves)
  }, [Boolean(leaves)])

  const departure = `/app/new-mails/${id}/departure`
  const latest = useRef(onDone)
  latest.current = onDone
  /** What this page has sent. */
  const sent = useRef<string | undefined>(undefined)
  const area = () => place.current?.querySelector('textarea')
  const { isSending, send } = useLetter<Body>({
    kept,
    box,
    people,
    failed: words.mailNotSent,
    isStopped() {
      if (subject.trim() === '') showToast({ kind: 'error', text: words.needsSubject })
      else if (text.trim() === '' && box.files.peek().length === 0) area()?.focus()
      else return showUnfilled(text, area())
      return true
    },
    fieldsOf(now) {
      sent.current = written(now)
      return {
        ...{ channel: 'email', subject: (now.subject ?? subject).trim() },
        body_text: (now.text ?? '').trim(),
      }
    },
    async post(fields, isNow) {
      // Only a draft that the server has can leave.
      await draftsOf(client()).saveAll()
      await client().api.request('PUT', pathWith(departure, isNow ? { now: true } : {}), { body: fields })
    },
  })
  useEffect(
    () =>
      client().onNotice((notice) => {
        if (notice.kind !== 'new_mail' || notice.id !== id || notice.conversation_id === null) return
        const now = kept.body.peek() as Body | undefined
        // What was typed since stays; what was sent must not be a draft of it again.
        const isTyped = now && (sent.current === undefined ? !kept.isKept.peek() : written(now) !== sent.current)
        if (isTyped) return kept.set({ ...now, leaves: null })
        if (sent.current !== undefined) kept.clear()
        void box.again()
        latest.current(String(notice.conversation_id))
      }),
    [id],
  )

  return (
    <section ref={place} class="th" aria-label={words.newMail} tabIndex={-1}>
      <header class="ih">
        <Title class="title">{words.newMail}</Title>
      </header>
      {leaves && (
        <HeldLetter
          letter={{ send_at: leaves, to: [...people.to], cc: [...people.cc], body_text: text }}
          hasKey
          takeBack={() => client().api.request('DELETE', departure)}
          sendNow={() => send(true)}
          onGone={() => undefined}
        />
      )}
      {failed && (
        <p class="late small failed" role="alert">
          <Icon name="alert" small />
          {words.mailFailed}
        </p>
      )}
      <div class="ic is-new" hidden={Boolean(leaves)}>
        <Recipients
          people={people}
          from={sender}
          isOpenAtFirst
          onFrom={(email) => change({ from: email })}
          onChange={(next) => change({ people: next })}
        />
        <div class="to-lines">
          <label class="row">
            <span class="small mute">{words.mailSubject}</span>
            <span class="input grow">
              <input
                class="bare"
                dir="auto"
                maxLength={255}
                value={subject}
                onInput={({ currentTarget }) => change({ subject: currentTarget.value })}
              />
            </span>
          </label>
        </div>
        <Writing
          box={box}
          savedReplies={pathWith('/app/inbox/saved-replies', { email: people.to[0]?.email })}
          label={words.mailLabel}
          placeholder={words.mailPlaceholder}
          text={text}
          isKept={kept.isKept.value}
          onInput={(typed) => change({ text: typed })}
          onSend={() => void send()}
          onDiscard={() => {
            discardDraft(key)
            onDone(undefined)
          }}
          onEscape={() => place.current?.focus()}
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
      </div>
    </section>
  )
}
