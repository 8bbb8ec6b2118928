import { useRef, useState } from 'preact/hooks'
import { later } from '../../../components/later.tsx'
import { MenuButton } from '../../../components/menu.tsx'
import { PickerPopover } from '../../../components/picker.tsx'
import type { Conversation } from '../../../data/types.ts'
import { sources } from '../../../shell/sources.ts'
import { setDeal, setTags } from '../acts.ts'
import { nameOfContact } from '../row.tsx'
import { texts as inboxTexts } from '../texts.ts'
import { findOthers, mailboxChoices, mayMove, merge, toMailbox } from './moving.ts'
import { giveByLoad } from './selecting.ts'
import { markSpam, spamIds } from './spam.ts'
import { texts } from './texts.ts'

const TagPicker = later(() => import('../../../tables/tag-picker.tsx').then((module) => module.TagPicker), {
  takesFocus: true,
})

type Popup = 'tags' | 'deal' | 'merge' | 'mailbox'

/** What is done with a conversation beside what its head shows. */
export function More({ record, off }: { record: Conversation; off: string | undefined }) {
  const { id, deal_id, tag_ids, status, channel } = record
  const words = texts()
  const box = useRef<HTMLSpanElement>(null)
  const [open, setOpen] = useState<Popup | null>(null)
  const anchor = box.current
  const close = () => setOpen(null)
  // What keys and the palette open.
  const opener = (name: Popup) => (
    <button type="button" hidden tabIndex={-1} data-act={name} onClick={() => setOpen(name)} />
  )
  return (
    <span ref={box}>
      {opener('tags')}
      {opener('deal')}
      {opener('merge')}
      {opener('mailbox')}
      <MenuButton
        plain
        icon="dots"
        menuLabel={words.more}
        title={words.more}
        aria-label={words.more}
        align="end"
        off={off}
        groups={() => [
          {
            items: [
              { label: words.tags, icon: 'tag', keys: 'T', onPick: () => setOpen('tags') },
              { label: words.deal, icon: 'deal', onPick: () => setOpen('deal') },
              { label: words.merge, icon: 'merge', onPick: () => setOpen('merge') },
              ...(mayMove(channel)
                ? [{ label: words.mailbox, icon: 'mail' as const, keys: 'B', onPick: () => setOpen('mailbox') }]
                : []),
              ...(spamIds.value.has(id)
                ? []
                : [{ label: words.spam.mark, icon: 'shield' as const, onPick: () => void markSpam(id) }]),
              ...(status === 'closed'
                ? []
                : [{ label: words.byLoadCommand, icon: 'person' as const, onPick: () => void giveByLoad([id]) }]),
            ],
          },
        ]}
      />
      {open === 'tags' && anchor && (
        <TagPicker
          kind="conversations"
          ids={[id]}
          anchor={anchor}
          onClose={close}
          onPick={({ add_tag_ids: added = [], remove_tag_ids: removed = [] }) =>
            setTags(id, [...tag_ids.filter((tag) => !removed.includes(tag)), ...added])
          }
        />
      )}
      {open === 'deal' && anchor && (
        <PickerPopover
          anchor={anchor}
          label={words.dealLabel}
          search={async (typed, signal) => [
            ...(deal_id !== null && typed === '' ? [{ value: '', label: words.noDeal }] : []),
            ...(await sources.search('deal')(typed, signal)),
          ]}
          chosen={deal_id === null ? [] : [deal_id]}
          onClose={close}
          onPick={({ value, label }) => setDeal(id, value || null, label)}
        />
      )}
      {open === 'mailbox' && anchor && (
        <PickerPopover
          anchor={anchor}
          label={words.mailboxLabel}
          choices={mailboxChoices()}
          chosen={[]}
          onClose={close}
          onPick={({ value, label }) => void toMailbox(id, value, label)}
        />
      )}
      {open === 'merge' && anchor && (
        <PickerPopover
          anchor={anchor}
          label={words.mergeLabel}
          search={async (typed, signal) =>
            (await findOthers(record, typed, signal)).map((other) => ({
              value: other.id,
              label: `#${other.number} ${other.subject || inboxTexts().noSubject}`,
              note: nameOfContact(other.contact_id),
            }))
          }
          chosen={[]}
          onClose={close}
          onPick={({ value }) => void merge(id, value)}
        />
      )}
    </span>
  )
}
