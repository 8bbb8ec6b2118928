import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import type { BoardRow } from '../../data/board-row.ts'
import { boot } from '../../data/boot.ts'
import { useMine, useTheirs } from '../../data/records.ts'
import { catalogue } from '../../lib/texts/texts.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { en } from './texts/refused-en.ts'
import { useBoard } from './use-board.ts'

const words = catalogue({ en, de: () => import('./texts/refused-de.ts').then(({ de }) => de) })

type Clash = { state: 'conflict'; mine: unknown; theirs: unknown; by: string | null }
type Field = keyof ReturnType<typeof texts>['savedFields']
type RefusedProps = { row: BoardRow; field: Field; state: Clash | { state: 'refused'; message: string } }

/** A change that was not saved, and what can be done about it. */
export function Refused({ row, field, state }: RefusedProps) {
  if (state.state === 'conflict') return <Conflict row={row} field={field} state={state} />
  return (
    <div class="clash is-refused" role="alert">
      <p>
        <Icon name="alert" small /> {state.message || texts().failed}
      </p>
      <Button onClick={() => useTheirs('deals', row.id, field)}>{texts().close}</Button>
    </div>
  )
}

/** Both values with their authors; neither is chosen. The cards of the others can be worked on meanwhile. */
function Conflict({ row, field, state }: RefusedProps & { state: Clash }) {
  const { actions } = useBoard()
  const who = boot.value.members.find(({ id }) => id === state.by)?.name.split(' ')[0] ?? words().someone
  const both =
    field === 'stage'
      ? words().conflictStage(who, actions.stageName(String(state.theirs)), actions.stageName(String(state.mine)))
      : words().conflictOther(who, texts().savedFields[field])
  return (
    <div class="clash" role="alert">
      <p>
        <Icon name="alert" small /> <b class="warn">{words().notSaved}</b> {both}
      </p>
      <div class="row">
        <Button onClick={() => void useMine('deals', row.id, field).catch(() => undefined)}>{words().useMine}</Button>
        <Button onClick={() => useTheirs('deals', row.id, field)}>{words().useTheirs(who)}</Button>
      </div>
    </div>
  )
}
