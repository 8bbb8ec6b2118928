import type { Answer } from '../../../mail/satisfaction/words.ts'
import type { HistoryLine } from '../../../site/app/inbox-history.ts'
import { Icon, type IconName } from '../../components/icon.tsx'
import { memberName } from '../../data/boot.ts'
import type { Message } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { sources } from '../../shell/sources.ts'
import type { Priority, Status } from './acts.ts'
import { hrefHere } from './address.ts'
import { nameOfAuthor } from './message.tsx'
import { texts } from './texts.ts'
import { texts as triageTexts } from './triage/texts.ts'

const ICONS: Readonly<Record<HistoryLine['field'], IconName>> = {
  merged: 'merge',
  merged_in: 'merge',
  split_off: 'merge',
  split_from: 'merge',
  status: 'check',
  owner_id: 'person',
  priority: 'flag',
  rule: 'filter',
  mailbox: 'mail',
  rating: 'star',
}

type SystemLineProps = {
  line: HistoryLine
  /** The message that has opened the conversation, and whether it is from somebody else than the customer. */
  by?: Message
  isBeside?: boolean
}

/** Between the messages: who has closed, opened, assigned or raised it. */
export function SystemLine({ line, by, isBeside = false }: SystemLineProps) {
  return (
    <p class="told small" data-line={line.id}>
      <Icon name={line.after === 'snoozed' ? 'snooze' : ICONS[line.field]} small />
      <span class="grow">
        {by ? texts().lines.openedBy(nameOfAuthor(by), isBeside) : wordsOf(line)}
        {line.comment && <q dir="auto">{line.comment}</q>}
        {line.field.startsWith('split_') && (
          <>
            {' '}
            <a class="link" href={hrefHere(line.after ?? '')}>
              {triageTexts().openOther(line.before ?? '')}
            </a>
          </>
        )}
      </span>
      <time dateTime={line.at} title={format.value.full(line.at)}>
        {format.value.when(line.at, now.value)}
      </time>
    </p>
  )
}

type MoveLine = HistoryLine & { field: keyof ReturnType<typeof triageTexts>['movedLines'] }
const isMove = (line: HistoryLine): line is MoveLine => line.field in triageTexts().movedLines

function wordsOf(line: HistoryLine): string {
  const { field, before, after, actor_id, until, done } = line
  const { lines, priorities } = texts()
  if (field === 'rule') return lines.rule(after ?? '', didOf(done ?? {}))
  if (field === 'rating') return after === null ? lines.rated.asked : lines.rated[after as Answer](line.by ?? '')
  const by = (actor_id && memberName(actor_id)) || ''
  if (field === 'mailbox') return triageTexts().movedTo(after ?? '…', by)
  if (isMove(line)) return triageTexts().movedLines[line.field](before ?? '', by)
  if (field === 'priority') return lines.priority(priorities[after as Priority], by)
  if (field === 'owner_id' && after !== null && after === actor_id) return lines.took(by)
  if (field === 'owner_id') return after === null ? lines.noOwner(by) : lines.owner(memberName(after) ?? '…', by)
  if (after === 'snoozed') return lines.snoozed(until ? format.value.when(until, now.value) : '', by)
  return lines[after as Exclude<Status, 'snoozed'>](by)
}

function didOf({ owner_id, tag_ids = [], priority, is_answered, is_closed }: NonNullable<HistoryLine['done']>): string {
  const { lines, priorities } = texts()
  const tags = tag_ids.map((id) => sources.tags().find((tag) => tag.id === id)?.name ?? '…')
  return [
    owner_id && lines.did.owner(memberName(owner_id) ?? '…'),
    tags.length > 0 && lines.did.tags(format.value.list(tags)),
    priority && lines.did.priority(priorities[priority]),
    is_answered && lines.did.answered,
    is_closed && lines.did.closed,
  ]
    .filter(Boolean)
    .join(', ')
}
