import { useEffect, useState } from 'preact/hooks'
import { KIND_ICONS } from '../commands/palette-rows.tsx'
import { Avatar } from '../components/avatar.tsx'
import { Button } from '../components/button.tsx'
import { Icon, type IconName } from '../components/icon.tsx'
import { boot, memberName, page } from '../data/boot.ts'
import { client } from '../data/current.ts'
import { format } from '../lib/locale.ts'
import { findEntry } from '../router/match.ts'
import { entries } from '../router.ts'
import { newNotices } from './new-notices.ts'
import { texts } from './texts.ts'
import './notices.css'

type Notice = {
  id: string
  kind: string
  at: string
  actor_id: string | null
  record: { kind: string; id: string; title: string }
  read_at: string | null
}

const noteUnread = (notifications: number): void => {
  const now = boot.peek()
  page.value = { ...now, counts: { ...now.counts, notifications } }
}

/** Marks them as read, or all. */
async function markRead(body: { ids: string[] } | { all: true }): Promise<void> {
  const answer = await client().api.request<{ unread: number }>('POST', '/app/notifications/read', { body })
  noteUnread(answer.body.unread)
}

/** What concerns me, newest first. */
export function Notices({ close }: { close: () => void }) {
  const [notices, setNotices] = useState<Notice[] | 'failed' | null>(null)
  useEffect(() => {
    client()
      .api.get<{ data: Notice[] }>('/app/notifications')
      .then(({ data }) => setNotices(data))
      .catch(() => setNotices('failed'))
  }, [])

  return (
    <>
      <header>
        <h2>{texts().notices}</h2>
        {newNotices.value > 0 && (
          <Button plain onClick={() => void markRead({ all: true }).then(close, () => setNotices('failed'))}>
            {texts().markRead}
          </Button>
        )}
      </header>
      {notices === 'failed' && <p class="none">{texts().noticesFailed}</p>}
      {Array.isArray(notices) && notices.length === 0 && (
        <div class="none">
          <b class="mid">{texts().noNotices}</b>
          <p class="mute small">{texts().noNoticesBody}</p>
        </div>
      )}
      {Array.isArray(notices) && notices.length > 0 && (
        <ul data-scroll="notices">
          {notices.map((notice) => (
            <li key={notice.id}>
              <NoticeRow notice={notice} close={close} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function NoticeRow({ notice, close }: { notice: Notice; close: () => void }) {
  const { id, kind, at, actor_id, record, read_at } = notice
  const name = memberName(actor_id ?? '')
  const href = `/${record.kind}/${record.id}`
  // A conversation has no screen yet: then the row only says what happened.
  const hasScreen = findEntry(entries.value, href) !== null
  function open(): void {
    // Only the mark is lost if the server does not answer.
    if (read_at === null) void markRead({ ids: [id] }).catch(() => undefined)
    close()
  }
  const content = (
    <>
      {actor_id !== null && name !== undefined ? (
        <Avatar kind="member" id={actor_id} name={name} />
      ) : (
        <Icon name={(KIND_ICONS[record.kind] ?? 'clock') as IconName} />
      )}
      <span class="grow">
        <span>{texts().noticeOf(kind, name)}</span>
        <b class="cut">{record.title}</b>
      </span>
      <time class="small mute" dateTime={at}>
        {format.value.when(at, Date.now())}
      </time>
      {read_at === null && <span class="sr">{texts().isNew}</span>}
    </>
  )
  const look = read_at === null ? 'one is-new' : 'one'
  return hasScreen ? (
    <a href={href} class={look} onClick={open}>
      {content}
    </a>
  ) : (
    <div class={look}>{content}</div>
  )
}
