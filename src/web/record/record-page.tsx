import type { ReadonlySignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { SourcesContext } from '../components/fields/sources.ts'
import type { PageKind } from '../components/kinds.ts'
import { isPartial, load, type Rec, record } from '../data/records.ts'
import type { Place } from '../lib/router/types.ts'
import { query, setTitle } from '../lib/router.ts'
import { typeAhead } from '../lib/typed-ahead.ts'
import { isPhone } from '../lib/widths.ts'
import { visited } from '../shell/commands/recent.ts'
import { sources } from '../shell/sources.ts'
import { ByHand } from './by-hand.tsx'
import { Head } from './head.tsx'
import { lookAt, lookAway } from './looking.ts'
import { Panes } from './panes.tsx'
import { RecordBar } from './record-bar.tsx'
import { registerRecord } from './record-commands.ts'
import { Failed, Gone, Loading } from './states.tsx'
import { followTasks } from './tasks-data.ts'
import { timelineOf } from './timeline/timeline-data.ts'
import { titleOf } from './title.tsx'
import './record.css'

/** Starts loading before the page is shown. */
export const prepareRecord =
  (kind: PageKind) =>
  ({ params: { id = '' } }: Place): unknown =>
    Promise.all([load(kind, id), timelineOf(kind, id).more()])

/** The page of a record: bar, head, properties, what happened, and what hangs on it. */
export function RecordPage({ kind, id }: { kind: PageKind; id: string }) {
  const found = useRecord(kind, id)
  const { now } = found
  useLayoutEffect(() => {
    const off = [registerRecord(kind, id), followTasks(kind, id)]
    lookAt(kind, id)
    return () => {
      for (const each of off) each()
      lookAway()
    }
  }, [kind, id])
  const title = now ? titleOf(kind, now) : undefined
  useEffect(() => {
    if (title === undefined) return
    setTitle(title)
    visited({ kind, id, title })
  }, [title])
  return (
    <SourcesContext.Provider value={sources}>
      <div class={isPhone.value ? 'record fill is-phone' : 'record fill'} data-kind={kind}>
        <RecordBar kind={kind} id={id} record={now} />
        {now ? (
          <>
            <Head kind={kind} record={now} />
            <Panes kind={kind} record={now} />
          </>
        ) : found.error !== undefined ? (
          <Failed kind={kind} id={id} error={found.error} onRetry={found.retry} />
        ) : now === null ? (
          <Gone kind={kind} id={id} last={found.last} />
        ) : (
          <Loading kind={kind} />
        )}
        <ByHand />
      </div>
    </SourcesContext.Provider>
  )
}

export type FoundRecord = {
  /** undefined: not loaded, null: deleted. */
  now: Rec | null | undefined
  /** As it was before it was deleted. */
  last: Rec | undefined
  error: unknown
  retry: () => void
}

/** A whole record, loaded if it is not there. */
export function useRecord(kind: PageKind, id: string): FoundRecord {
  const view = (record(kind, id) as unknown as ReadonlySignal<Rec | null | undefined>).value
  const [error, setError] = useState<unknown>(undefined)
  const last = useRef<Rec | undefined>(undefined)
  const retry = () => {
    setError(undefined)
    const loading = load(kind, id)
    loading.catch(setError)
    // Its composer comes with it.
    if (query.peek().has('compose')) typeAhead(loading)
  }
  const isMissing = view === undefined || (view !== null && isPartial(kind, id))
  useEffect(() => {
    if (isMissing) retry()
  }, [kind, id, isMissing])
  // Only a part is known, such as that of the board: the rest follows in a moment.
  const now = isMissing ? undefined : view
  if (now) last.current = now
  return { now, last: last.current, error: now ? undefined : error, retry }
}
