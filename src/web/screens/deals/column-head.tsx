import { useRef, useState } from 'preact/hooks'
import { IconButton } from '../../components/button.tsx'
import { useFitting } from '../../components/fitting.ts'
import { Icon } from '../../components/icon.tsx'
import { Menu } from '../../components/menu.tsx'
import { Money, Sum } from '../../components/money.tsx'
import type { BoardRow } from '../../data/board-row.ts'
import { boot } from '../../data/boot.ts'
import { fromMicros } from '../../lib/decimal.ts'
import { format } from '../../lib/locale.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import type { ShownColumn } from './hold.ts'
import type { Totals } from './totals.ts'
import { useBoard } from './use-board.ts'

/** All sums of a column in words, the first of which is that of the org's currency. */
export const sumWords = ({ sums }: Totals): string => moneyWords(sums).join(', ')

const moneyWords = (sums: Totals['sums']): string[] =>
  sums.map(({ currency, micros }) => format.value.money(fromMicros(micros), currency ?? ''))

/** Name, count and sums; while a card is over the column, what it would gain. */
export function ColumnHead({ column, id, coming }: { column: ShownColumn; id: string; coming: BoardRow | null }) {
  const { board, actions } = useBoard()
  const { stage, totals, fresh } = column
  const [own, ...others] = totals.sums
  const name = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const groups = [
    {
      items: [
        ...(actions.mayWrite() ? [{ label: texts().addDeal, icon: 'plus' as const, onPick: add }] : []),
        { label: texts().selectAll, icon: 'check' as const, onPick: selectAll },
        { label: texts().fold, icon: 'hide' as const, onPick: () => board.fold(stage.id, true) },
      ],
    },
  ]
  const taken = board.dragged.value.filter((id) => board.find(id)?.stage_id !== stage.id)
  const gained = Math.max(1, taken.length)
  function add(): void {
    board.adding.value = stage.id
  }
  function selectAll(): void {
    for (const { row, movedTo } of column.cards) if (movedTo === undefined) board.select(row.id, true)
  }
  return (
    <header>
      <div class="row">
        <h2 id={id} aria-label={texts().heading(stage.name, totals.count, sumWords(totals))}>
          <button
            ref={name}
            type="button"
            class="cut"
            dir="auto"
            aria-haspopup="menu"
            aria-expanded={isOpen}
            title={stage.name}
            onClick={() => setOpen(true)}
          >
            {stage.name}
          </button>
        </h2>
        <span class="n">{format.value.number(totals.count)}</span>
        <span class="grow" />
        {coming && <span class="small acc mid">{texts().gain(gained)}</span>}
        {!coming && fresh > 0 && (
          <button
            type="button"
            class="newcomers"
            title={texts().showFresh(fresh)}
            onClick={() => board.release(stage.id)}
          >
            {texts().fresh(fresh)}
          </button>
        )}
        {!coming && actions.mayWrite() && (
          <IconButton plain class="add" icon="plus" title={texts().addTo(stage.name)} onClick={add} />
        )}
      </div>
      <div class="tot">
        <Sum>
          <Money
            amount={fromMicros(own?.micros ?? 0n)}
            currency={own?.currency ?? boot.value.org.currency}
            decimals="sum"
          />
        </Sum>
        {coming ? (
          gained === 1 && <Gain row={coming} />
        ) : (
          <span class="small mute" title={weightedWords(totals)}>
            {format.value.percent(stage.probability)}
          </span>
        )}
      </div>
      <OtherSums sums={others} />
      {isOpen && name.current && (
        <Menu anchor={name.current} label={stage.name} groups={groups} onClose={() => setOpen(false)} />
      )}
    </header>
  )
}

/** As many as there is room for, and the number of the others: the name of the column has them all. */
function OtherSums({ sums }: Pick<Totals, 'sums'>) {
  const ref = useRef<HTMLDivElement>(null)
  const words = moneyWords(sums)
  const fitting = useFitting(ref, words.join())
  const hidden = Math.max(0, sums.length - fitting)
  return (
    <div ref={ref} class="oth" title={hidden > 0 ? words.join('\n') : undefined}>
      {sums.map(({ currency, micros }, index) => (
        <span key={currency} data-fit hidden={index >= fitting}>
          <Money amount={fromMicros(micros)} currency={currency} decimals="sum" />
        </span>
      ))}
      <span class="more-sums" data-more="" hidden={hidden === 0} aria-hidden="true">
        +{hidden}
      </span>
    </div>
  )
}

const weightedWords = ({ sums }: Totals): string =>
  texts().weighted(
    sums.map(({ currency, weighted }) => format.value.money(fromMicros(weighted), currency ?? '')).join(', '),
  )

/** In the org's currency without its code, as it stands beside that sum. */
function Gain({ row }: { row: BoardRow }) {
  if (row.amount === null) return null
  const isOwn = row.currency === boot.value.org.currency
  const amount = format.value.amount(row.amount, row.currency ?? undefined)
  return <span class="small acc mid nowrap">{texts().gainSum(isOwn ? amount : `${row.currency ?? ''} ${amount}`)}</span>
}

/** A column that is folded to its name; it takes drops all the same. */
export function FoldedHead({ column, id }: { column: ShownColumn; id: string }) {
  const { board } = useBoard()
  const { stage, totals } = column
  return (
    <button
      type="button"
      class="unfold"
      title={texts().unfold(stage.name)}
      aria-expanded={false}
      onClick={() => board.fold(stage.id, false)}
    >
      <Icon name="right" small />
      <h2 id={id} aria-label={texts().heading(stage.name, totals.count, sumWords(totals))}>
        {stage.name}
      </h2>
      <span class="n">{format.value.number(totals.count)}</span>
    </button>
  )
}
