import { computed, type Signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { WaitingCreates } from '../../components/waiting-creates.tsx'
import { serverNow } from '../../lib/server-time.ts'
import { t } from '../../lib/texts/texts.ts'
import { ColumnsButton } from '../../tables/columns-button.tsx'
import { dealFields } from '../../tables/deals/filter-fields.ts'
import { conditionsForTable } from '../../tables/deals/table-conditions.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { listContext } from '../../tables/list-context.ts'
import { RecordList } from '../../tables/record-list.tsx'
import { address, pipeline } from './deals-address.ts'
import { DealsBar } from './deals-bar.tsx'
import { DealsFilters, filterOpen } from './deals-filters.tsx'
import { DealsViews } from './deals-views.tsx'
import { QuickAdd } from './quick-add.tsx'
import { useBoard } from './use-board.ts'

type DealsTableProps = { isLoaded: boolean; search: Signal<HTMLInputElement | null>; addDeal: () => void }

/** The open deals of the pipeline as a table: the other shape of the board's view, with its bar, filters and views. */
export function DealsTable({ isLoaded, search, addDeal }: DealsTableProps) {
  const { board } = useBoard()
  const list = useMemo(
    () =>
      listContext('deals', {
        view: {
          address,
          fields: computed(() => dealFields(pipeline.value?.id ?? '')),
          filterOpen,
          ask: (conditions) =>
            conditionsForTable(
              conditions,
              board.stages.value.map(({ id }) => id),
              serverNow(),
            ),
        },
      }),
    [board],
  )
  const [first] = board.stages.value
  const close = () => {
    board.adding.value = null
  }
  return (
    <>
      <RecordList
        list={list}
        hasViews={false}
        hasFilters={false}
        create={{ run: addDeal }}
        bar={() => (
          <>
            <DealsBar isLoaded={isLoaded} />
            <DealsViews />
            <DealsFilters search={search} tools={<ColumnsButton list={list} />} />
          </>
        )}
      />
      {board.adding.value !== null && first && (
        <Dialog title={texts().newDeal} onClose={close} footer={<Button onClick={close}>{t().close}</Button>}>
          <WaitingCreates kind="deals" />
          <QuickAdd stage={first} onClose={close} />
        </Dialog>
      )}
    </>
  )
}
