import { useMemo, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Empty } from '../../components/empty.tsx'
import { showToast } from '../../components/toast.tsx'
import { ApiProblem } from '../../data/api.ts'
import { boot } from '../../data/boot.ts'
import { copyText } from '../../lib/clipboard.ts'
import { format } from '../../lib/locale.ts'
import { catalogue, t } from '../../lib/texts/texts.ts'
import { divide } from '../../tables/deals/fields.ts'
import { dealFields } from '../../tables/deals/filter-fields.ts'
import type { BoardStage } from '../../tables/deals/model.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { filterWords } from '../../tables/filters/words.ts'
import { arrange } from './arrange.ts'
import { Frame } from './board-loading.tsx'
import type { Source } from './board-source.ts'
import { address, pipeline } from './deals-address.ts'
import { type ClosedCounts, Ends } from './ends.tsx'
import { en } from './texts/states-en.ts'
import { useBoard } from './use-board.ts'
import './board-states.css'

const words = catalogue({ en, de: () => import('./texts/states-de.ts').then(({ de }) => de) })

export const NoPipeline = () => (
  <Empty icon="deal" title={words().noPipeline}>
    {words().noPipelineBody}
  </Empty>
)

/** What a deal looks like, where the first one will be, and how to bring deals here. */
export function EmptyBoard({ stages, closed }: { stages: readonly BoardStage[]; closed: ClosedCounts | null }) {
  const { board, actions } = useBoard()
  const [isImporting, setImporting] = useState(false)
  return (
    <div class="empty-board">
      <Frame stages={stages} ends={<Ends counts={closed} />}>
        {(index) =>
          index === 0 && (
            <>
              <div class="card is-example" aria-hidden="true">
                <h3>{words().exampleDeal}</h3>
                <p class="co">{words().exampleCompany}</p>
                <div class="figures row">
                  <span>{format.value.money(12_000, boot.value.org.currency)}</span>
                  <span class="days">{words().exampleTitle}</span>
                </div>
              </div>
              <Empty
                icon="deal"
                title={words().emptyTitle}
                actions={
                  actions.mayWrite() && (
                    <>
                      <Button
                        icon="plus"
                        onClick={() => {
                          board.adding.value = board.stages.peek()[0]?.id ?? null
                        }}
                      >
                        {texts().newDeal}
                      </Button>
                      <Button icon="upload" onClick={() => setImporting(true)}>
                        {words().emptyImport}
                      </Button>
                    </>
                  )
                }
              >
                {words().emptyBody}
              </Empty>
            </>
          )
        }
      </Frame>
      {isImporting && <HowToImport onClose={() => setImporting(false)} />}
    </div>
  )
}

const IMPORT = 'dealbox import deals deals.csv --dry-run'

/** Files are read by the command line: what to run, and where. */
function HowToImport({ onClose }: { onClose: () => void }) {
  const { importTitle, importBody, importNext, copyLine } = words()
  const copy = () =>
    copyText(IMPORT).then(
      () => showToast({ text: words().copied }),
      () => undefined,
    )
  return (
    <Dialog
      title={importTitle}
      onClose={onClose}
      footer={
        <>
          <Button plain large onClick={onClose}>
            {t().close}
          </Button>
          <Button first large icon="copy" onClick={() => void copy()}>
            {copyLine}
          </Button>
        </>
      }
    >
      <p>{importBody}</p>
      <p>
        <code>{IMPORT}</code>
      </p>
      <p class="help">{importNext}</p>
    </Dialog>
  )
}

/** No deal fits: says which filters there are, and how many there would be without the last. */
export function NothingFits({ source }: { source: Source }) {
  const { state, change } = address.value
  const { conditions, q } = state
  const last = conditions.at(-1)
  const without = useMemo(() => {
    if (!last) return 0
    const { board, data } = source
    const rest = divide(conditions.slice(0, -1)).here
    const question = { ...board.question.peek(), conditions: rest }
    const around = { ...board.around.peek(), among: [], totals: null }
    return arrange(data.rows.peek(), board.stages.peek(), question, around).reduce(
      (sum, { rows }) => sum + rows.length,
      0,
    )
  }, [conditions, q])
  const fields = dealFields(pipeline.value?.id ?? '')
  const title =
    conditions.length === 0
      ? words().noFitSearch(q)
      : conditions.length === 1
        ? words().noFitOne
        : conditions.length === 2
          ? words().noFitBoth
          : words().noFitAll(conditions.length)
  return (
    <Empty
      title={title}
      actions={
        <>
          {last && (
            <Button onClick={() => void change({ conditions: conditions.slice(0, -1) })}>{words().removeFilter}</Button>
          )}
          <Button plain onClick={() => void change({ conditions: [], q: '' })}>
            {words().clearAll}
          </Button>
        </>
      }
    >
      {last && !source.data.isNarrowed() && (
        <>
          {words().without} <b class="mid">{filterWords(last, fields)}</b> {words().thereWouldBe(without)}
        </>
      )}
    </Empty>
  )
}

export function BoardFailed({ error, onRetry }: { error: unknown; onRetry: () => Promise<void> }) {
  const problem = error instanceof ApiProblem ? error : undefined
  return (
    <Empty
      icon="alert"
      title={words().loadFailed}
      actions={
        <Button first onClick={() => void onRetry().catch(() => undefined)}>
          {words().tryAgain}
        </Button>
      }
      note={problem?.requestId && words().request(problem.requestId)}
    >
      {problem ? `${problem.message} ` : ''}
      {words().loadFailedBody}
    </Empty>
  )
}
