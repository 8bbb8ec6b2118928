import { useRef, useState } from 'preact/hooks'
import type { InboxView } from '../../../inbox/conversations/views.ts'
import { IconButton } from '../../components/button.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { me } from '../../data/boot.ts'
import { mailboxes, myMailboxes } from '../../data/mailboxes.ts'
import { format } from '../../lib/locale.ts'
import { navigate } from '../../lib/router.ts'
import { rovingKeys } from '../../lib/roving.ts'
import { isNarrow, isPhone } from '../../lib/widths.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { useCounted } from '../../shell/use-counted.ts'
import { viewCounts } from '../../shell/view-counts.ts'
import { SaveView } from '../../tables/views/save-view.tsx'
import { viewsOf } from '../../tables/views/saved-views.ts'
import { texts as savedTexts } from '../../tables/views/texts.ts'
import { address, hasSort, hrefOf, isInAll, SLA_VIEWS, SORTS, sortBy, sortNow, VIEWS, viewNow } from './address.ts'
import { texts } from './texts.ts'

export type Counts = Partial<Record<InboxView, number>> & { mailboxes?: Readonly<Record<string, number>> }

export const useCounts = (): Counts => useAsk<Counts>('/app/inbox/counts', ['conversations', 'draft']).value ?? {}

const ICONS: Readonly<Record<InboxView, IconName>> = {
  open: 'inbox',
  mine: 'person',
  nobody: 'useradd',
  waiting: 'clock',
  snoozed: 'snooze',
  drafts: 'note',
  closed: 'check',
  spam: 'shield',
  late: 'alert',
  at_risk: 'clock',
}

/** A place of the inbox: a view, a mailbox, or a question that was saved. */
type Place = {
  key: string
  href: string
  label: string
  icon: IconName
  isHere: boolean
  count: number | undefined
  isLate?: boolean
  /** By somebody else. */
  isShared?: boolean
}
type Group = { name: 'views' | 'sla' | 'boxes' | 'saved'; label: string; places: Place[] }

function groupsOf(counts: Counts): Group[] {
  const words = texts()
  const { view: saved, state } = address.value
  const isPlain = !saved && state.q === '' && state.conditions.length === 0
  const { mailbox } = state.more
  const view = (each: InboxView): Place => ({
    ...{ key: each, href: hrefOf(each), label: words.views[each], icon: ICONS[each], count: counts[each] },
    isHere: isPlain && mailbox === undefined && each === viewNow(),
    isLate: each === 'late',
  })
  const boxes = myMailboxes()
  return [
    { name: 'views', label: words.title, places: VIEWS.map(view) },
    { name: 'sla', label: words.sla, places: SLA_VIEWS.map(view) },
    {
      name: 'boxes',
      label: words.mailboxes,
      // Of one alone everything is in it.
      places: (boxes.length < 2 ? [] : boxes).map(({ id, name }) => ({
        ...{ key: id, href: `/inbox?mailbox=${id}`, label: name, icon: 'mail' },
        isHere: isPlain && mailbox === id,
        count: counts.mailboxes?.[id],
      })),
    },
    {
      name: 'saved',
      label: savedTexts().views,
      places: viewsOf('conversations').value.map(({ id, name, is_shared, owner_id }) => ({
        ...{ key: id, href: `/inbox?view=${id}`, label: name, icon: 'eye', isHere: saved?.id === id },
        count: viewCounts.value.get(id),
        isShared: is_shared && owner_id !== me.value.id,
      })),
    },
  ]
}

/** What the list shows, as its heading. */
function titleNow(): string {
  const { view, state } = address.value
  if (view) return view.name
  const mailbox = mailboxes.value.find(({ id }) => id === state.more.mailbox)
  if (mailbox && viewNow() === 'open') return mailbox.name
  return isInAll() ? texts().found : texts().views[viewNow()]
}

/** The name of the view, which is a menu of all of them where they have no room of their own. */
export function ViewTitle({ counts }: { counts: Counts }) {
  const [isSaving, setSaving] = useState(false)
  const place = useRef<HTMLHeadingElement>(null)
  if (!isNarrow.value)
    return (
      <h1 class="cut" dir="auto">
        {titleNow()}
      </h1>
    )
  const groups = () => [
    ...groupsOf(counts)
      .filter(({ places }) => places.length > 0)
      .map(({ name, label, places }) => ({
        ...(name === 'views' ? {} : { label }),
        items: places.map((each) => ({
          ...{ label: each.label, icon: each.icon, checked: each.isHere },
          end: each.count ? format.value.number(each.count) : undefined,
          onPick: () => void navigate(each.href),
        })),
      })),
    // On a phone there is no room for it beside the name.
    {
      items: (hasSort() && isPhone.value ? SORTS : []).map((sort) => ({
        ...{ label: texts().sorts[sort], checked: sort === sortNow() },
        onPick: () => sortBy(sort),
      })),
    },
    {
      items: [{ label: savedTexts().saveAs, icon: 'plus' as const, onPick: () => setSaving(true) }],
    },
  ]
  return (
    <>
      <h1 ref={place}>
        <MenuButton plain menuLabel={texts().viewsLabel} groups={groups}>
          <span class="cut" dir="auto">
            {titleNow()}
          </span>
          <Icon name="down" small />
        </MenuButton>
      </h1>
      {isSaving && place.current && <SaveHere anchor={place.current} onClose={() => setSaving(false)} />}
    </>
  )
}

/** The views of the inbox, with how many conversations each has. */
export function Views({ counts }: { counts: Counts }) {
  useCounted(viewsOf('conversations').value)
  const link = ({ key, href, label, icon, isHere, count = 0, isLate, isShared }: Place) => (
    <a key={key} href={href} aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} />
      <span class="cut grow" dir="auto">
        {label}
      </span>
      {isShared && <Icon name="person" small title={savedTexts().isShared} />}
      {count > 0 && <span class={isLate ? 'n late' : 'n'}>{format.value.number(count)}</span>}
    </a>
  )
  return (
    <nav
      class="iv"
      aria-label={texts().viewsLabel}
      data-scroll="views"
      onKeyDown={rovingKeys('a', { axis: 'vertical' })}
    >
      {groupsOf(counts).map(({ name, label, places }) => (
        <>
          {name === 'views' && <h2>{label}</h2>}
          {name !== 'views' && name !== 'saved' && places.length > 0 && <h3>{label}</h3>}
          {name === 'saved' && <SavedHead label={label} />}
          {places.map(link)}
        </>
      ))}
    </nav>
  )
}

/** Over the saved views stands what saves another one. */
function SavedHead({ label }: { label: string }) {
  const [isSaving, setSaving] = useState(false)
  const plus = useRef<HTMLButtonElement>(null)
  return (
    <h3 class="row">
      <span class="grow">{label}</span>
      <IconButton
        plain
        ref={plus}
        icon="plus"
        title={savedTexts().saveAs}
        aria-haspopup="dialog"
        aria-expanded={isSaving}
        onClick={() => setSaving(true)}
      />
      {isSaving && plus.current && <SaveHere anchor={plus.current} onClose={() => setSaving(false)} />}
    </h3>
  )
}

function SaveHere({ anchor, onClose }: { anchor: HTMLElement; onClose: () => void }) {
  const { state, choose } = address.value
  return (
    <SaveView
      anchor={anchor}
      object="conversations"
      shape="table"
      state={state}
      onClose={onClose}
      onSaved={({ id }) => void choose(id)}
    />
  )
}
