import type { InboxView } from '../../../inbox/conversations/views.ts'
import { Icon, type IconName } from '../../components/icon.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { format } from '../../lib/locale.ts'
import { navigate, query } from '../../lib/router.ts'
import { rovingKeys } from '../../lib/roving.ts'
import { isNarrow } from '../../lib/widths.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { hrefOf, SLA_VIEWS, VIEWS, viewNow } from './address.ts'
import { texts } from './texts.ts'

export type Counts = Partial<Record<InboxView, number>>

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

/** The name of the view, which is a menu of all of them where they have no room of their own. */
export function ViewTitle({ counts }: { counts: Counts }) {
  const here = viewNow()
  if (!isNarrow.value) return <h1 class="cut">{texts().views[here]}</h1>
  const item = (view: InboxView) => ({
    label: texts().views[view],
    icon: ICONS[view],
    checked: view === here,
    end: counts[view] ? format.value.number(counts[view]) : undefined,
    onPick: () => void navigate(hrefOf(view)),
  })
  return (
    <h1>
      <MenuButton
        plain
        menuLabel={texts().viewsLabel}
        groups={() => [{ items: VIEWS.map(item) }, { label: texts().sla, items: SLA_VIEWS.map(item) }]}
      >
        {texts().views[here]}
        <Icon name="down" small />
      </MenuButton>
    </h1>
  )
}

/** The views of the inbox, with how many conversations each has. */
export function Views({ counts }: { counts: Counts }) {
  const here = query.value.has('q') ? undefined : viewNow()
  const link = (view: InboxView) => (
    <a key={view} href={hrefOf(view)} aria-current={view === here ? 'page' : undefined}>
      <Icon name={ICONS[view]} />
      <span class="cut grow">{texts().views[view]}</span>
      {(counts[view] ?? 0) > 0 && (
        <span class={view === 'late' ? 'n late' : 'n'}>{format.value.number(counts[view] ?? 0)}</span>
      )}
    </a>
  )
  return (
    <nav
      class="iv"
      aria-label={texts().viewsLabel}
      data-scroll="views"
      onKeyDown={rovingKeys('a', { axis: 'vertical' })}
    >
      <h2>{texts().title}</h2>
      {VIEWS.map(link)}
      <h3>{texts().sla}</h3>
      {SLA_VIEWS.map(link)}
    </nav>
  )
}
