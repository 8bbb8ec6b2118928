import { useRef } from 'preact/hooks'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { Check } from '../../components/check.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import type { BinKind, BinRow, Fate } from '../../data/bin.ts'
import { me, memberName } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { t } from '../../lib/texts/texts.ts'
import { texts } from './texts.ts'
import { broughtWords, leftWords, refusalWords, sharedWords, titleOf } from './words.ts'

const ICONS: Readonly<Record<BinKind, IconName>> = {
  deals: 'deal',
  contacts: 'person',
  companies: 'firm',
  notes: 'note',
  tasks: 'task',
  meetings: 'cal',
}
/** Where a record that is back can be looked at. */
const PAGES: Partial<Record<BinKind, (id: string) => string>> = {
  deals: (id) => `/deals/${id}`,
  contacts: (id) => `/contacts/${id}`,
  companies: (id) => `/companies/${id}`,
  tasks: (id) => `/tasks?task=${id}`,
}

type BinRowProps = {
  row: BinRow
  fate: Fate | undefined
  isHere: boolean
  isSelected: boolean
  isWorking: boolean
  onEnter: () => void
  onSelect: (isSelected: boolean, isRange: boolean) => void
  onRestore: () => void
}

/** A deleted record: what it was, who deleted it and when, what comes back with it, and what does not. */
export function BinRowView(props: BinRowProps) {
  const { row, fate, isHere, isSelected, isWorking, onEnter, onSelect, onRestore } = props
  const { record, deleted_by, deleted_at, kept_until } = row
  const words = texts()
  const title = titleOf(row)
  const who = memberName(deleted_by) ?? t().unknown
  const isBack = fate?.kind === 'restored'
  const tab = isHere ? 0 : -1
  const isShifted = useRef(false)
  return (
    <li
      class={`br pick${isSelected ? ' is-selected' : ''}${isBack ? ' is-back' : ''}`}
      data-bin={row.event_id}
      tabIndex={tab}
      onFocusIn={onEnter}
    >
      <span
        class="ck"
        onClickCapture={(event) => {
          isShifted.current = event.shiftKey
        }}
      >
        {isBack ? (
          <Icon name="check" small class="good" />
        ) : row.refusal ? null : (
          <Check
            checked={isSelected}
            tabIndex={tab}
            title={words.select(title)}
            onChange={(isOn) => onSelect(isOn, isShifted.current)}
          />
        )}
      </span>
      <Icon name={ICONS[record.kind]} small class="ty mute" title={words.kinds[record.kind]} />
      <div class="what">
        <b class="cut mid" dir="auto">
          {title}
        </b>
        {!isBack && <Outlook row={row} />}
        {fate?.kind === 'refused' && (
          <p class="small late" role="alert">
            {fate.why}
          </p>
        )}
      </div>
      <div class="by small dim">
        <Avatar kind="member" id={deleted_by} name={who} size={20} />
        <span>
          {words.deletedBy(who, format.value.when(deleted_at, now.value))}
          {!isBack && <span class="mute until">{words.until(format.value.date(kept_until))}</span>}
        </span>
      </div>
      <div class="act">
        {isBack ? (
          <Back row={row} by={fate.by} tab={tab} />
        ) : (
          <Button
            icon="undo"
            tabIndex={tab}
            aria-label={words.restoreOf(title)}
            working={isWorking ? words.restoring : undefined}
            off={row.refusal ? refusalWords(row) : undefined}
            onClick={onRestore}
          >
            {words.restore}
          </Button>
        )}
      </div>
    </li>
  )
}

function Outlook({ row }: { row: BinRow }) {
  const words = texts()
  if (row.refusal) return <p class="small late">{refusalWords(row)}</p>
  const [brings, left] = [broughtWords(row.brings), leftWords(row.record, row.left)]
  const shared = sharedWords(row.record, row.left)
  return (
    <>
      {brings && <p class="small dim">{words.with(brings)}</p>}
      {left && <p class="small warn">{words.without(left)}</p>}
      {shared && <p class="small warn">{shared}</p>}
    </>
  )
}

function Back({ row: { record }, by, tab }: { row: BinRow; by: string | null; tab: number }) {
  const words = texts()
  const href = PAGES[record.kind]?.(record.id)
  const who = by === null || by === me.value.id ? undefined : memberName(by)
  return (
    <span class="row small dim">
      <span>{who === undefined ? words.restoredByYou : words.restoredBy(who)}</span>
      {href && (
        <a class="btn plain" href={href} tabIndex={tab}>
          {words.open}
        </a>
      )}
    </span>
  )
}
