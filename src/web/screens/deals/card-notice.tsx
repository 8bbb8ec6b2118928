import { useMemo } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Spinner } from '../../components/spinner.tsx'
import type { BoardRow } from '../../data/board.ts'
import { boot } from '../../data/boot.ts'
import { fieldState, useMine, useTheirs } from '../../data/records.ts'
import { texts } from './texts/texts.ts'
import { useBoard } from './use-board.ts'

/** Fields that are changed on the board. */
const FIELDS = ['stage', 'owner_id', 'amount', 'tag_ids', 'expected_close_date', 'title'] as const
type Changed = (typeof FIELDS)[number]

/** What becomes of a change: on its way, waiting for the connection, refused, or in conflict with a colleague's. */
export function CardNotice({ row }: { row: BoardRow }) {
  const states = useMemo(() => FIELDS.map((field) => ({ field, signal: fieldState('deals', row.id, field) })), [row.id])
  const found = states
    .map(({ field, signal }) => ({ field, state: signal.value }))
    .find(({ state }) => state && state.state !== 'saved')
  if (!found?.state) return null
  const { field, state } = found
  if (state.state === 'conflict') return <Conflict row={row} field={field} state={state} />
  if (state.state === 'refused') {
    return (
      <div class="clash is-refused" role="alert">
        <p>
          <Icon name="alert" small /> {state.message || texts().failed}
        </p>
        <Button onClick={() => useTheirs('deals', row.id, field)}>{texts().close}</Button>
      </div>
    )
  }
  const isWaiting = state.state === 'waiting'
  return (
    <div class="saving">
      {isWaiting ? <Icon name="clock" small /> : <Spinner />}
      {isWaiting ? texts().waiting : texts().savingField(fieldName(field))}
    </div>
  )
}

const fieldName = (field: Changed): string => texts().savedFields[field]

type Clash = { mine: unknown; theirs: unknown; by: string | null }

/** Both values with their authors; neither is chosen. The cards of the others can be worked on meanwhile. */
function Conflict({ row, field, state }: { row: BoardRow; field: Changed; state: Clash }) {
  const { actions } = useBoard()
  const who = boot.value.members.find(({ id }) => id === state.by)?.name.split(' ')[0] ?? texts().someone
  const both =
    field === 'stage'
      ? texts().conflictStage(who, actions.stageName(String(state.theirs)), actions.stageName(String(state.mine)))
      : texts().conflictOther(who, fieldName(field))
  return (
    <div class="clash" role="alert">
      <p>
        <Icon name="alert" small /> <b class="warn">{texts().notSaved}</b> {both}
      </p>
      <div class="row">
        <Button onClick={() => void useMine('deals', row.id, field).catch(() => undefined)}>{texts().useMine}</Button>
        <Button onClick={() => useTheirs('deals', row.id, field)}>{texts().useTheirs(who)}</Button>
      </div>
    </div>
  )
}
