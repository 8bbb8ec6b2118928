import { useMemo } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { later } from '../../components/later.tsx'
import { Spinner } from '../../components/spinner.tsx'
import type { BoardRow } from '../../data/board-row.ts'
import { fieldState } from '../../data/records.ts'
import { texts } from '../../tables/deals/texts/texts.ts'

/** Fields that are changed on the board. */
const FIELDS = ['stage', 'owner_id', 'amount', 'tag_ids', 'expected_close_date', 'title'] as const

const Refused = later(() => import('./card-refused.tsx').then(({ Refused }) => Refused))

/** What becomes of a change: on its way, waiting for the connection, refused, or in conflict with a colleague's. */
export function CardNotice({ row }: { row: BoardRow }) {
  const states = useMemo(() => FIELDS.map((field) => ({ field, signal: fieldState('deals', row.id, field) })), [row.id])
  const found = states
    .map(({ field, signal }) => ({ field, state: signal.value }))
    .find(({ state }) => state && state.state !== 'saved')
  if (!found?.state) return null
  const { field, state } = found
  if (state.state === 'conflict' || state.state === 'refused') return <Refused row={row} field={field} state={state} />
  const isWaiting = state.state === 'waiting'
  return (
    <div class="saving">
      {isWaiting ? <Icon name="clock" small /> : <Spinner />}
      {isWaiting ? texts().waiting : texts().savingField(texts().savedFields[field])}
    </div>
  )
}
