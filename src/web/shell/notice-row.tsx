import { Avatar } from '../components/avatar.tsx'
import { Icon, type IconName } from '../components/icon.tsx'
import { memberName } from '../data/boot.ts'
import { format } from '../lib/locale.ts'
import { now } from '../lib/now.ts'
import { texts as workTexts } from '../lib/texts/work/texts.ts'
import { texts } from './bell/texts.ts'
import { KIND_ICONS } from './commands/palette-rows.tsx'
import type { Notice } from './notice-data.ts'

type NoticeRowProps = {
  notice: Notice
  /** Null where there is nothing to open. */
  href: string | null
  isHere?: boolean | undefined
  onOpen: (event: MouseEvent) => void
}

/** A notice in two lines: what happened, and to which record. */
export function NoticeRow({ notice, href, isHere, onOpen }: NoticeRowProps) {
  const { at, actor_id, record, read_at } = notice
  const name = memberName(actor_id ?? '')
  const content = (
    <>
      {actor_id !== null && name !== undefined ? (
        <Avatar kind="member" id={actor_id} name={name} />
      ) : (
        <Icon name={(KIND_ICONS[record.kind] ?? (record.kind === 'server' ? 'server' : 'clock')) as IconName} />
      )}
      <span class="grow">
        <span>{whatOf(notice)}</span>
        <b class="cut" dir="auto">
          {titleOf(notice)}
        </b>
      </span>
      <time class="small mute" dateTime={at}>
        {format.value.when(at, now.value)}
      </time>
      {read_at === null && <span class="sr">{texts().isNew}</span>}
    </>
  )
  const look = `one${read_at === null ? ' is-new' : ''}${isHere ? ' is-at' : ''}`
  if (href === null) return <div class={look}>{content}</div>
  return (
    <a href={href} class={look} aria-current={isHere ? 'true' : undefined} onClick={onOpen}>
      {content}
    </a>
  )
}

/** "Ana mentioned you". */
export function whatOf({ kind, actor_id, record, detail }: Notice): string {
  const by = memberName(actor_id ?? '')
  if (!detail) return texts().noticeOf(kind, by)
  if ('bad' in detail) return detail.bad.length > 0 ? texts().needs : texts().isWell
  return kind === 'returned' ? workTexts().cameBack : workTexts().gotFrom(by, record.title)
}

/** The record, or of a hand-over "19 deals and 6 tasks, until 3 Dec", or the checks of the server. */
export function titleOf({ record, detail }: Notice): string {
  if (!detail) return record.title
  if ('bad' in detail) {
    const checks = detail.bad.length > 0 ? detail.bad : detail.well
    return format.value.list(checks.map((name) => texts().check(name)))
  }
  const { counts, until } = detail
  const what = format.value.list(Object.entries(counts).map(([kind, count]) => workTexts().all(kind, count)))
  return until === undefined ? what : workTexts().until(what, format.value.day(until, now.value))
}
