import { useMemo } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { findField } from '../../components/filters/filter-field.ts'
import { conditionWords } from '../../components/filters/words.ts'
import { ApiProblem } from '../../data/api.ts'
import { navigate } from '../../router.ts'
import { arrange } from './arrange.ts'
import { Frame } from './board-loading.tsx'
import type { Source } from './board-source.ts'
import { address, pipeline } from './deals-address.ts'
import { divide } from './fields.ts'
import { dealFields } from './filter-fields.ts'
import type { BoardStage } from './model.ts'
import { texts } from './texts/texts.ts'
import { useBoard } from './use-board.ts'
import './board-states.css'

/** What a deal looks like, where the first one will be, and how to bring deals here. */
export function EmptyBoard({ stages }: { stages: readonly BoardStage[] }) {
  const { board, actions } = useBoard()
  return (
    <div class="empty-board">
      <Frame stages={stages}>
        {(index) =>
          index === 0 && (
            <div class="card is-example" aria-hidden="true">
              <h3>{texts().exampleDeal}</h3>
              <p class="co">{texts().exampleCompany}</p>
              <div class="figures">
                <span>EUR 12,000</span>
                <span class="days">{texts().exampleTitle}</span>
              </div>
            </div>
          )
        }
      </Frame>
      <Empty
        icon="deal"
        title={texts().emptyTitle}
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
              <Button icon="upload" onClick={() => void navigate('/settings/import?object=deals')}>
                {texts().emptyImport}
              </Button>
            </>
          )
        }
      >
        {texts().emptyBody}
      </Empty>
    </div>
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
    const around = { ...board.around.peek(), among: null }
    return arrange(data.rows.peek(), board.stages.peek(), question, around).reduce(
      (sum, { rows }) => sum + rows.length,
      0,
    )
  }, [conditions, q])
  const fields = dealFields(pipeline.value?.id ?? '')
  const field = last && findField(fields, last.field)
  const title =
    conditions.length === 0
      ? texts().noFitSearch(q)
      : conditions.length === 1
        ? texts().noFitOne
        : conditions.length === 2
          ? texts().noFitBoth
          : texts().noFitAll(conditions.length)
  return (
    <Empty
      title={title}
      actions={
        <>
          {last && (
            <Button onClick={() => void change({ conditions: conditions.slice(0, -1) })}>{texts().removeFilter}</Button>
          )}
          <Button plain onClick={() => void change({ conditions: [], q: '' })}>
            {texts().clearAll}
          </Button>
        </>
      }
    >
      {last && field && (
        <>
          {texts().without} <b class="mid">{conditionWords(field, last)}</b> {texts().thereWouldBe(without)}
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
      title={texts().loadFailed}
      actions={
        <Button first onClick={() => void onRetry().catch(() => undefined)}>
          {texts().tryAgain}
        </Button>
      }
      note={problem?.requestId && texts().request(problem.requestId)}
    >
      {problem ? `${problem.message} ` : ''}
      {texts().loadFailedBody}
    </Empty>
  )
}
