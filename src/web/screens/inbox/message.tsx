import { useContext, useState } from 'preact/hooks'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Found, Marked } from '../../components/marked.tsx'
import { MenuButton } from '../../components/menu.tsx'
import type { MenuItem } from '../../components/menu-items.ts'
import { hasRole } from '../../data/may.ts'
import type { Message } from '../../data/types.ts'
import { runsIn } from '../../lib/found.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { Markdown, Pictures } from '../../record/markdown/markdown.tsx'
import { answerAside, compose, forward, takeUp } from './composing.ts'
import { Files, pictureOf } from './files.tsx'
import { MailFrame } from './mail-frame.tsx'
import { openOriginal } from './original/open.ts'
import { partsOf, remoteImages } from './quotes.ts'
import { texts } from './texts.ts'
import { split } from './triage/moving.ts'
import { texts as triageTexts } from './triage/texts.ts'

type MessageProps = {
  message: Message
  /** Whether three words in a row were said before, to fold its quotes. */
  isKnown: (three: string) => boolean
  /** From somebody else than the customer: whom an answer goes to. */
  beside?: Message['to'] | undefined
  isAside?: boolean
}

/** An answer of a rule has the name of the address that it left by. */
export const nameOfAuthor = ({ author, direction, from }: Message): string =>
  author.name ||
  author.email ||
  author.phone ||
  (direction === 'outbound' && (from?.name || from?.email)) ||
  texts().nobodyKnown

/** One message of the thread: a mail, a reply of ours or a note. */
export function MessageView({ message, isKnown, beside, isAside = false }: MessageProps) {
  const { id, direction, author, body_html, sent_at, status, error, is_automatic } = message
  const [isText, setText] = useState(false)
  const [hasImages, setImages] = useState(false)
  const words = texts()
  const acts = words.messageActs
  const name = nameOfAuthor(message)
  const isNote = direction === 'note'
  const held = body_html === null ? 0 : remoteImages(body_html)
  const hasMail = body_html !== null && !isText
  return (
    <article
      class={isNote ? 'msg is-note' : 'msg'}
      aria-label={[name, format.value.when(sent_at, now.value), isNote && words.note].filter(Boolean).join(', ')}
      data-message={id}
    >
      <header>
        <Avatar kind={author.type === 'contact' ? 'contact' : 'member'} id={author.id ?? ''} name={name} size={24} />
        <b class="mid cut" dir="auto">
          <Marked text={name} />
        </b>
        <span class="small mute cut grow" dir="auto">
          <Marked text={isNote ? words.onlyMembers : toWords(message)} />
          {is_automatic && ` · ${words.automatic}`}
          {beside && ` · ${words.fromBeside}`}
          {status === 'queued' &&
            ` · ${message.send_at ? words.heldBy(format.value.when(message.send_at, now.value)) : words.queued}`}
        </span>
        <time class="small mute" dateTime={sent_at} title={format.value.full(sent_at)}>
          {format.value.when(sent_at, now.value)}
        </time>
        {!isNote && (hasRole('member') || message.channel === 'email') && (
          <MenuButton
            plain
            class="icon"
            align="end"
            menuLabel={acts}
            title={acts}
            aria-label={acts}
            icon="dots"
            groups={() => [{ items: actsOf(message, beside) }]}
          />
        )}
      </header>
      {status === 'failed' && (
        <p class="late small failed" role="alert">
          <Icon name="alert" small />
          {words.notSent}: {error}{' '}
          <Button plain onClick={() => takeUp(message, isAside)}>
            {words.writeAgain}
          </Button>
        </p>
      )}
      <div class="body">
        {hasMail && held > 0 && !hasImages && (
          <div class="held-line">
            <Icon name="shield" small />
            <span class="grow">{words.held(held)}</span>
            <Button plain onClick={() => setImages(true)}>
              {words.load}
            </Button>
          </div>
        )}
        {hasMail ? (
          <MailFrame key={String(hasImages)} id={id} name={name} hasImages={hasImages} />
        ) : isNote ? (
          <Pictures.Provider value={(name) => pictureOf(message, name)}>
            <Markdown text={message.body_text} />
          </Pictures.Provider>
        ) : (
          <PlainText text={message.body_text} isKnown={isKnown} hasFiles={message.attachments.length > 0} />
        )}
        <Files message={message} />
        {body_html !== null && (
          <Button plain class="as-text" aria-pressed={isText} onClick={() => setText(!isText)}>
            {isText ? words.asMail : words.asText}
          </Button>
        )}
      </div>
    </article>
  )
}

type PlainTextProps = Pick<MessageProps, 'isKnown'> & { text: string; hasFiles: boolean }

function PlainText({ text, isKnown, hasFiles }: PlainTextProps) {
  const words = useContext(Found)
  const parts = partsOf(text, isKnown)
  if (parts.length === 0) return hasFiles ? null : <p class="mute">{texts().empty}</p>
  return (
    <>
      {parts.map((part, at) =>
        part.kind === 'text' || parts.length === 1 ? (
          <p key={at} class="said" dir="auto">
            <Marked text={part.text} />
          </p>
        ) : (
          <details key={at} class="quoted" open={runsIn(part.text, words, false).length > 0}>
            <summary class="small mute">{texts().quoted(part.lines)}</summary>
            <p class="said" dir="auto">
              <Marked text={part.text} />
            </p>
          </details>
        ),
      )}
    </>
  )
}

function actsOf(message: Message, beside: Message['to'] | undefined): MenuItem[] {
  const words = texts()
  const isHeld = message.send_at !== null
  const off = isHeld || message.status === 'queued' ? { off: words.queued } : {}
  const own: MenuItem = { label: triageTexts().split, icon: 'merge', ...off, onPick: () => void split(message.id) }
  if (message.channel !== 'email') return [own]
  const original: MenuItem = { label: words.showOriginal, icon: 'mail', ...off, onPick: () => openOriginal(message.id) }
  if (!hasRole('member')) return [original]
  return [
    {
      label: beside ? words.replyAside : words.reply,
      icon: 'reply',
      onPick: () => (beside ? answerAside(message, beside) : compose('reply')),
    },
    { label: words.forward, icon: 'to', ...(isHeld ? { off: words.queued } : {}), onPick: () => forward(message) },
    own,
    original,
  ]
}

function toWords(message: Message): string {
  const { to, cc, direction, from, channel } = message
  const words = texts()
  if (channel !== 'email') return direction === 'outbound' ? '' : words.to(words.us)
  const names = (all: Message['to']) => format.value.list(all.map(({ name, email }) => name || email))
  const isForward = message.forwards_message_id !== null
  const parts = [
    to.length > 0 && (isForward ? words.forwardedTo : words.to)(names(to)),
    cc.length > 0 && words.cc(names(cc)),
  ]
  if (direction === 'outbound' && from) parts.push(words.from(from.email))
  return parts.filter(Boolean).join(', ')
}
