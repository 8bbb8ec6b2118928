import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { NewMail } from '../../../personal/drafts.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { sayFailed } from '../../components/say-failed.ts'
import { showToast } from '../../components/toast.tsx'
import { draft as draftFor } from '../../data/drafts.ts'
import { randomKey } from '../../data/keys.ts'
import { create } from '../../data/records.ts'
import { isMac } from '../../lib/keyboard.ts'
import { format } from '../../lib/locale.ts'
import { setQuery } from '../../lib/router.ts'
import { isPhone } from '../../lib/widths.ts'
import { keyLabel } from '../../shell/commands/keys.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { boxFiles, NotArrived } from './box-files.ts'
import { discardDraft, mailKey } from './composing.ts'
import { type People, Recipients, senders } from './recipients.tsx'
import { texts } from './texts.ts'
import { Writing } from './writing.tsx'

type Body = { text?: string; subject?: string; people?: People; from?: string }

const NOBODY: People = { to: [], cc: [], bcc: [] }

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
  const [isSending, setSending] = useState(false)
  const all = senders()
  const words = texts()
  const { text = '', subject = '', people = NOBODY, from } = (kept.body.value ?? {}) as Body
  const sender = from ?? (all.find(({ isDefault }) => isDefault) ?? all[0])?.email ?? ''
  const change = (given: Body): void => kept.set({ ...kept.body.peek(), ...given })
  // On a phone it is all that is there.
  const Title = isPhone.value ? 'h1' : 'h2'

  useLayoutEffect(() => place.current?.querySelector<HTMLElement>('.to-lines input')?.focus(), [])

  async function send(): Promise<void> {
    if (isSending) return
    if (people.to.length === 0) return void showToast({ kind: 'error', text: words.needsRecipient })
    if (subject.trim() === '') return void showToast({ kind: 'error', text: words.needsSubject })
    if (text.trim() === '' && box.files.peek().length === 0) return place.current?.querySelector('textarea')?.focus()
    setSending(true)
    try {
      const ids = await box.arrived()
      const now = (kept.body.peek() ?? {}) as Body
      const { conversation_id } = await create('messages', {
        ...{ channel: 'email', direction: 'outbound', subject: (now.subject ?? subject).trim() },
        ...(now.people ?? people),
        ...(now.from ? { from: { email: now.from } } : {}),
        body_text: (now.text ?? '').trim(),
        ...(ids.length > 0 ? { draft_files: { key, ids } } : {}),
      })
      kept.clear()
      void box.again()
      onDone(conversation_id)
    } catch (error) {
      if (error instanceof NotArrived) showToast({ kind: 'error', text: words.attached.notArrived(error.message) })
      else sayFailed(words.mailNotSent, error)
    } finally {
      setSending(false)
    }
  }

  return (
    <section ref={place} class="th" aria-label={words.newMail} tabIndex={-1}>
      <header class="ih">
        <Title class="title">{words.newMail}</Title>
      </header>
      <div class="ic is-new">
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
