import { Avatar } from '../../components/avatar.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { State } from '../../components/state.tsx'
import { memberName } from '../../data/boot.ts'
import { hasRole } from '../../data/may.ts'
import type { Conversation } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { isPhone } from '../../lib/widths.ts'
import { Present } from '../../shell/present.tsx'
import { PRIORITIES, setOwner, setPriority, setStatus, snooze } from './acts.ts'
import { Clocks } from './clocks.tsx'
import { texts } from './texts.ts'
import { Labels } from './triage/labels.tsx'
import { More } from './triage/more.tsx'
import { mayOwn } from './triage/owners.tsx'
import { snoozeItems } from './triage/snooze-items.ts'

const LOOKS = { open: 'good', pending: 'hollow', snoozed: 'hollow', closed: undefined } as const

type HeadProps = { record: Conversation; onClose: () => void; onContact: () => void }

/** The head of the conversation: what it is about, its clock, and what can be done with it. */
export function Head({ record, onClose, onContact }: HeadProps) {
  const { id, subject, number, status, priority, owner_id } = record
  const words = texts()
  // On a phone it is all that is there.
  const Title = isPhone.value ? 'h1' : 'h2'
  const mayWrite = hasRole('member')
  const off = mayWrite ? undefined : words.failed
  return (
    <header class="ih">
      <div class="row">
        <Title class="title grow cut" dir="auto">
          {subject || words.noSubject}
        </Title>
        <Present kind="conversations" id={id} />
        <span class="small mute">#{format.value.number(number)}</span>
      </div>
      <div class="row acts">
        <MenuButton
          menuLabel={words.status}
          data-act="status"
          off={off}
          groups={() => [
            {
              items: (['open', 'pending', 'closed'] as const).map((each) => ({
                label: words.statuses[each],
                checked: each === status,
                onPick: () => setStatus(id, each),
              })),
            },
          ]}
        >
          <State {...(LOOKS[status] && { is: LOOKS[status] })}>{words.statuses[status]}</State>
        </MenuButton>
        <MenuButton
          menuLabel={words.priority}
          data-act="priority"
          icon="flag"
          off={off}
          groups={() => [
            {
              items: PRIORITIES.map((each) => ({
                label: words.priorities[each],
                checked: each === priority,
                onPick: () => setPriority(id, each),
              })),
            },
          ]}
        >
          {words.priorities[priority]}
        </MenuButton>
        <MenuButton
          menuLabel={words.owner}
          data-act="owner"
          off={off}
          groups={() => [
            { items: [{ label: words.noOwner, checked: owner_id === null, onPick: () => setOwner(id, null) }] },
            {
              items: mayOwn().map((member) => ({
                label: member.name,
                checked: member.id === owner_id,
                onPick: () => setOwner(id, member.id),
              })),
            },
          ]}
        >
          {owner_id === null ? (
            <Avatar kind="nobody" size={16} />
          ) : (
            <Avatar kind="member" id={owner_id} name={memberName(owner_id)} size={16} />
          )}
          <span class="cut">{owner_id === null ? words.noOwner : memberName(owner_id)}</span>
        </MenuButton>
        <span class="grow" />
        <IconButton plain class="show-contact" icon="person" title={words.showContact} onClick={onContact} />
        {status !== 'closed' && (
          <MenuButton
            plain
            icon="snooze"
            menuLabel={words.snooze}
            data-act="snooze"
            title={words.snooze}
            aria-label={words.snooze}
            align="end"
            off={off}
            groups={() => [{ items: snoozeItems((until) => snooze(id, until)) }]}
          />
        )}
        <More record={record} off={off} />
        {status === 'closed' ? (
          <Button off={off} onClick={() => setStatus(id, 'open')}>
            {words.reopen}
          </Button>
        ) : (
          <Button icon="check" keys="E" off={off} onClick={onClose}>
            {words.close}
          </Button>
        )}
      </div>
      <Clocks record={record} />
      <Labels record={record} />
    </header>
  )
}
