import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { Empty } from '../components/empty.tsx'
import { sayWhy } from '../components/say-why.ts'
import { ApiProblem } from '../data/api.ts'
import { mayWrite } from '../data/may.ts'
import { format } from '../lib/locale.ts'
import { filterWords } from './filters/words.ts'
import type { ListContext } from './list-context.ts'
import { countRows, rowQuery } from './list-query.ts'
import type { Rows } from './table/rows.ts'
import { texts as tableTexts } from './table/texts.ts'
import { texts } from './texts.ts'

type InsteadProps = {
  list: ListContext
  rows: Rows
  create?: { run: () => void } | undefined
  empty?: ComponentChildren
}

/** What stands in place of the rows: an error, nothing that fits, or nothing yet. */
export function Instead({ list, rows, create, empty }: InsteadProps) {
  const { kind } = list
  const error = rows.error.value
  if (error !== undefined) {
    return (
      <Empty
        icon="alert"
        title={tableTexts().failed}
        note={error instanceof ApiProblem && error.requestId ? tableTexts().request(error.requestId) : undefined}
        actions={
          <Button first onClick={() => void rows.reload()}>
            {tableTexts().again}
          </Button>
        }
      >
        {sayWhy(error)} {tableTexts().failedBody}
      </Empty>
    )
  }
  if (list.isNarrowed.value) return <NothingFits list={list} />
  if (empty) return <>{empty}</>
  return (
    <Empty
      icon={kind === 'companies' ? 'firm' : kind === 'deals' ? 'deal' : 'person'}
      title={texts()[kind].empty}
      actions={
        create &&
        mayWrite() && (
          <Button first icon="plus" onClick={create.run}>
            {texts()[kind].create}
          </Button>
        )
      }
    >
      {texts()[kind].emptyBody}
    </Empty>
  )
}

/** Names the last filter, and how many there would be without it. */
function NothingFits({ list }: { list: ListContext }) {
  const { kind, address, askFor, fields } = list
  const { state, change } = address.value
  const last = state.conditions.at(-1)
  const rest = state.conditions.slice(0, -1)
  const [count, setCount] = useState<number | undefined>(undefined)
  useEffect(() => {
    if (!last) return
    let isOver = false
    void countRows(kind, rowQuery(askFor({ ...state, conditions: rest, sort: null }))).then(
      (found) => !isOver && setCount(found),
      () => undefined,
    )
    return () => {
      isOver = true
    }
  }, [JSON.stringify(state)])
  return (
    <Empty
      title={texts().noMatch[kind]}
      actions={
        <>
          {last && <Button onClick={() => void change({ conditions: rest })}>{texts().removeLast}</Button>}
          <Button plain onClick={() => void change({ conditions: [], q: '' })}>
            {texts().clearAll}
          </Button>
        </>
      }
    >
      {last && count !== undefined && texts().without(filterWords(last, fields.value), format.value.number(count))}
    </Empty>
  )
}
