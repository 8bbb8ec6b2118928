import { Avatar } from '../../components/avatar.tsx'
import { Check } from '../../components/check.tsx'
import { Marked } from '../../components/marked.tsx'
import { Sla } from '../../components/sla.tsx'
import type { RowProps } from '../../components/windowed.tsx'
import { memberName } from '../../data/boot.ts'
import { nameOf } from '../../data/names.ts'
import { record } from '../../data/records.ts'
import type { Conversation } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { numberedPath, searchNow, useHit } from './search/hits.ts'
import { slaOf } from './sla-of.ts'
import { texts } from './texts.ts'
import { selection } from './triage/selecting.ts'
import { spamIds } from './triage/spam.ts'
import { texts as triageTexts } from './triage/texts.ts'

/** Who writes in a conversation. */
export const nameOfContact = (id: string | null): string =>
  (id === null ? undefined : nameOf('contacts', id)) ?? (id === null ? texts().nobodyKnown : '…')

type ConversationRowProps = {
  /** Undefined while it is on its way. */
  id: string | undefined
  row: RowProps
  href: string
  isHere: boolean
  hasTabStop: boolean
  onFocus: () => void
  /** Missing for who may only read. */
  onChoose: ((id: string) => void) | undefined
}

export function ConversationRow({ id, row, href, isHere, hasTabStop, onFocus, onChoose }: ConversationRowProps) {
  const found = (id === undefined ? undefined : record('conversations', id).value) as Conversation | null | undefined
  const hit = useHit(found ? id : undefined)
  // biome-ignore lint/a11y/useSemanticElements: rows are placed by their number
  if (!found) return <div {...row} class="cv" role="listitem" />
  const { contact_id, subject, preview, unread_count, owner_id, last_message_at } = found
  const sla = slaOf(found, now.value)
  const isUnread = unread_count > 0
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows are placed by their number
    <div
      {...row}
      role="listitem"
      class={['cv', isUnread && 'is-unread', selection.value.ids.has(found.id) && 'is-chosen']
        .filter(Boolean)
        .join(' ')}
    >
      <a href={href} aria-current={isHere ? 'true' : undefined} tabIndex={hasTabStop ? 0 : -1} onFocus={onFocus}>
        <span class="first">
          {isUnread && <i class="dot" role="img" aria-label={texts().unread} />}
          <span class="cut name" dir="auto">
            <Marked text={nameOfContact(contact_id)} />
          </span>
          {spamIds.value.has(found.id) && <span class="small mute">{texts().views.spam}</span>}
          {sla ? <Sla {...sla} /> : <span class="small mute">{format.value.when(last_message_at, now.value)}</span>}
        </span>
        <span class="cut subject" dir="auto">
          {numberedPath(searchNow.value) !== null && <Marked text={`#${found.number} `} />}
          {subject ? <Marked text={subject} /> : texts().noSubject}
        </span>
        <span class="last">
          <span class="cut mute grow" dir="auto">
            {hit ? <Marked text={hit.text} /> : preview}
          </span>
          {owner_id === null ? (
            <Avatar kind="nobody" name={texts().noOwner} size={16} alone />
          ) : (
            <Avatar kind="member" id={owner_id} name={memberName(owner_id)} size={16} alone />
          )}
        </span>
      </a>
      {onChoose && (
        <span class="pick">
          <Check
            tabIndex={-1}
            checked={selection.value.ids.has(found.id)}
            title={triageTexts().selectOne(nameOfContact(contact_id))}
            onChange={() => onChoose(found.id)}
          />
        </span>
      )}
    </div>
  )
}
