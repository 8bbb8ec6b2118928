import { type Signal, signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import { later, loadWhenIdle, whenIdle } from '../../components/later.tsx'
import type { WindowedHandle } from '../../components/windowed.tsx'
import { urlOf } from '../../lib/router/create.ts'
import { path, query, setQuery } from '../../lib/router.ts'
import { typeAhead } from '../../lib/typed-ahead.ts'
import { isPhone } from '../../lib/widths.ts'
import { leaveTrail } from '../../shell/trail.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { boardActions } from './actions.ts'
import { Board } from './board.tsx'
import { BoardLoading } from './board-loading.tsx'
import { type Source, sourceOf } from './board-source.ts'
import { isMaking } from './column.tsx'
import { registerList } from './commands.ts'
import { address, changeShape, isMine, pipeline, setMine, shape } from './deals-address.ts'
import { DealsBar } from './deals-bar.tsx'
import { DealsFilters, filterOpen } from './deals-filters.tsx'
import { DealsViews, toViews } from './deals-views.tsx'
import { armDragging } from './dragging.ts'
import { focusAt } from './focus.ts'
import { BoardContext, type BoardParts } from './use-board.ts'

const SelectionBar = later(() => import('./selection-bar.tsx').then((module) => module.SelectionBar))
const DealsTable = later(() => import('./deals-table.tsx').then((module) => module.DealsTable))
const PhoneBoard = later(() => import('./phone-board.tsx').then((module) => module.PhoneBoard))
const states = () => import('./board-states.tsx')
const BoardFailed = later(() => states().then((module) => module.BoardFailed))
const EmptyBoard = later(() => states().then((module) => module.EmptyBoard))
const NoPipeline = later(() => states().then((module) => module.NoPipeline))
const NothingFits = later(() => states().then((module) => module.NothingFits))

/** Deals of one pipeline: its open stages side by side, or a table. */
export function Screen() {
  const chosen = pipeline.value
  if (!chosen) return <NoPipeline />
  return <Deals key={chosen.id} source={sourceOf(chosen.id)} name={chosen.name} />
}

/** Starts loading before the screen is shown. */
export const prepare = (): unknown => {
  const chosen = pipeline.peek()
  return chosen && sourceOf(chosen.id).loading
}

type ShapeProps = { parts: BoardParts; source: Source; isLoaded: boolean; search: Signal<HTMLInputElement | null> }

/** One view in two shapes: bar, filters and saved views are those of both. */
function Deals({ source, name }: { source: Source; name: string }) {
  const { board, data } = source
  const handles = useMemo(() => new Map<string, WindowedHandle>(), [source])
  const parts = useMemo(
    (): BoardParts => ({ board, actions: boardActions(board, (id) => focusAt(board, handles, id)) }),
    [source],
  )
  const search = useMemo(() => signal<HTMLInputElement | null>(null), [])
  const addDeal = (title = '') => {
    board.begun.value = title
    board.adding.value = board.stages.peek()[0]?.id ?? null
  }
  useLayoutEffect(
    () =>
      registerList({
        filterOpen,
        isMine: () => isMine.peek(),
        setMine,
        search: () => search.peek()?.focus(),
        openViews: toViews,
        setShape: changeShape,
      }),
    [source],
  )
  const isLoaded = data.isComplete.value !== undefined
  useEffect(() => {
    if (isLoaded) loadWhenIdle()
  }, [isLoaded])
  const asked = query.value.get('new')
  useEffect(() => {
    if (asked === null) return
    if (!isLoaded) return typeAhead(source.loading)
    addDeal(asked)
    void setQuery({ new: null }, { replace: true })
  }, [isLoaded, asked])
  const common = { parts, source, isLoaded, search }
  return (
    <BoardContext.Provider value={parts}>
      {shape.value === 'table' ? (
        <DealsTable isLoaded={isLoaded} search={search} addDeal={addDeal} />
      ) : (
        <BoardShape {...common} handles={handles} name={name} />
      )}
    </BoardContext.Provider>
  )
}

function BoardShape({
  parts,
  source,
  isLoaded,
  search,
  handles,
  name,
}: ShapeProps & { handles: Map<string, WindowedHandle>; name: string }) {
  const { board, closed } = source
  useEffect(
    () =>
      leaveTrail(() => {
        const ids = board.ids.value.flat()
        return { kind: 'deals', ids, href: urlOf(path.value, query.value), label: name }
      }),
    [source],
  )
  useEffect(() => {
    if (isLoaded && matchMedia('(pointer: fine)').matches) whenIdle(() => armDragging('mouse'))
  }, [isLoaded])
  return (
    <>
      <DealsBar isLoaded={isLoaded} />
      <DealsViews />
      <DealsFilters search={search} />
      <div class="deals fill">
        <Beyond board={board} data={source.data} />
        <Content parts={parts} handles={handles} source={source} label={texts().boardOf(name)} closed={closed.value} />
        {board.selected.value.length > 0 && <SelectionBar />}
      </div>
    </>
  )
}

/** Says that there are more deals than the board can show, as long as there are, and to readers how many were found. */
function Beyond({ board, data }: Pick<Source, 'board' | 'data'>) {
  const columns = board.columns.value
  const all = columns.reduce((sum, { totals }) => sum + totals.count, 0)
  if (data.isComplete.value !== false) {
    const { conditions, q } = address.value.state
    return (
      <div class="sr" role="status">
        {(conditions.length > 0 || q !== '') && texts().open(all)}
      </div>
    )
  }
  const loaded = columns.reduce((sum, { rows }) => sum + rows.length, 0)
  return (
    <p class="board-beyond small mute" role="status">
      {board.around.value.totals === null ? texts().part(loaded) : loaded < all && texts().partOf(loaded, all)}
    </p>
  )
}

type ContentProps = {
  parts: BoardParts
  handles: Map<string, WindowedHandle>
  source: Source
  label: string
  closed: { won: number; lost: number } | null
}

function Content({ parts, handles, source, label, closed }: ContentProps) {
  const { board, data } = source
  if (data.isComplete.value === undefined) {
    if (data.error.value !== undefined) return <BoardFailed error={data.error.value} onRetry={data.reload} />
    return <BoardLoading stages={board.stages.value} />
  }
  const isEmpty = board.columns.value.every(({ rows }) => rows.length === 0)
  const { conditions, q } = address.value.state
  const isAdding = board.adding.value !== null || isMaking.value
  const isAsked = conditions.length > 0 || q !== ''
  if (isEmpty && !isAdding && !isAsked && data.rows.value.length === 0)
    return <EmptyBoard stages={board.stages.value} closed={closed} />
  if (isEmpty && !isAdding && isAsked) return <NothingFits source={source} />
  if (isPhone.value) return <PhoneBoard parts={parts} handles={handles} />
  return <Board parts={parts} handles={handles} label={label} closed={closed} />
}
