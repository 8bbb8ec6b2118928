import { useState } from 'preact/hooks'
import { Avatar } from '../../../components/avatar.tsx'
import { BulkBar } from '../../../components/bulk-bar.tsx'
import type { Choice } from '../../../components/choices.tsx'
import type { IconName } from '../../../components/icon.tsx'
import { MenuButton } from '../../../components/menu.tsx'
import type { MenuItem } from '../../../components/menu-items.ts'
import { PickerPopover } from '../../../components/picker.tsx'
import { myMailboxes } from '../../../data/mailboxes.ts'
import { hasRole } from '../../../data/may.ts'
import { format } from '../../../lib/locale.ts'
import { BulkButton } from '../../../shell/commands/bulk-button.tsx'
import { commandHints } from '../../../shell/commands/listen.ts'
import { Failures } from '../../../tables/bulk-failures.tsx'
import { TagPicker } from '../../../tables/tag-picker.tsx'
import { PRIORITIES } from '../acts.ts'
import { texts as inboxTexts } from '../texts.ts'
import { mailboxChoices } from './moving.ts'
import { owners } from './owners.tsx'
import { changeAll, chosenIds, clear, closeAll, giveByLoad, moveAll } from './selecting.ts'
import { snoozeItems } from './snooze-items.ts'
import { texts } from './texts.ts'

/** What is done with the chosen conversations, over the foot of the inbox. */
export function SelectionBar({ onClear }: { onClear: () => void }) {
  const ids = chosenIds()
  return (
    <div class="ix-bar">
      {ids.length > 0 && hasRole('member') && <Bar ids={ids} onClear={onClear} />}
      <Failures />
    </div>
  )
}

function Bar({ ids, onClear }: { ids: readonly string[]; onClear: () => void }) {
  const [open, setOpen] = useState<{ name: Pick; at: HTMLElement } | null>(null)
  const words = inboxTexts()
  const close = () => setOpen(null)
  const picks = (name: Pick, icon: IconName, label: string) => (
    <BulkButton
      command={`inbox.${name}`}
      icon={icon}
      data-act={name}
      aria-haspopup="dialog"
      onClick={({ currentTarget }) => setOpen({ name, at: currentTarget })}
    >
      {label}
    </BulkButton>
  )
  const menu = (name: string, icon: IconName, label: string, items: () => MenuItem[]) => {
    const { keys, aria } = commandHints(`inbox.${name}`)
    return (
      <MenuButton
        plain
        icon={icon}
        menuLabel={label}
        data-act={name}
        keys={keys}
        aria-keyshortcuts={aria}
        groups={() => [{ items: items() }]}
      >
        {label}
      </MenuButton>
    )
  }
  return (
    <>
      <BulkBar
        text={texts().selected(ids.length, format.value.number(ids.length))}
        label={texts().bar}
        clear={texts().clear}
        onClear={() => {
          clear()
          onClear()
        }}
      >
        {picks('owner', 'person', words.owner)}
        {menu('status', 'inbox', words.status, () =>
          (['open', 'pending'] as const).map((status) => ({
            label: words.statuses[status],
            onPick: () => void changeAll(ids, { patch: { status } }),
          })),
        )}
        {menu('priority', 'flag', words.priority, () =>
          PRIORITIES.map((priority) => ({
            label: words.priorities[priority],
            onPick: () => void changeAll(ids, { patch: { priority } }),
          })),
        )}
        {picks('tags', 'tag', texts().tags)}
        {myMailboxes().length > 1 && picks('mailbox', 'mail', texts().mailboxLabel)}
        {menu('snooze', 'snooze', words.snooze, () =>
          snoozeItems((until) =>
            changeAll(ids, { patch: { status: 'snoozed', snoozed_until: new Date(until).toISOString() } }),
          ),
        )}
        <BulkButton command="inbox.close" icon="check" onClick={() => void closeAll(ids)}>
          {words.close}
        </BulkButton>
      </BulkBar>
      {open?.name === 'owner' && (
        <PickerPopover
          anchor={open.at}
          label={words.owner}
          choices={[
            { value: LOAD, label: texts().byLoad, note: texts().byLoadNote },
            ...owners(),
            { value: '', label: words.noOwner, mark: <Avatar kind="nobody" size={16} /> },
          ]}
          chosen={[]}
          onClose={close}
          onPick={({ value }: Choice) =>
            void (value === LOAD ? giveByLoad(ids) : changeAll(ids, { patch: { owner_id: value || null } }))
          }
        />
      )}
      {open?.name === 'mailbox' && (
        <PickerPopover
          anchor={open.at}
          label={texts().mailboxLabel}
          choices={mailboxChoices()}
          chosen={[]}
          onClose={close}
          onPick={({ value }) => void moveAll(ids, value)}
        />
      )}
      {open?.name === 'tags' && (
        <TagPicker
          kind="conversations"
          ids={ids}
          anchor={open.at}
          onClose={close}
          onPick={(change) => void changeAll(ids, change)}
        />
      )}
    </>
  )
}

type Pick = 'owner' | 'tags' | 'mailbox'

/** No member has this id. */
const LOAD = 'load'
