import { useEffect, useState } from 'preact/hooks'
import { nounOf } from '../../lib/pure/nouns.ts'
import { Banner } from '../components/banner.tsx'
import { Button } from '../components/button.tsx'
import { Empty } from '../components/empty.tsx'
import type { PageKind } from '../components/kinds.ts'
import { sayWhy } from '../components/say-why.ts'
import { Bar } from '../components/skeleton.tsx'
import { showToast } from '../components/toast.tsx'
import { ApiProblem, pathWith } from '../data/api.ts'
import { memberName } from '../data/boot.ts'
import { client } from '../data/current.ts'
import { mayWrite } from '../data/may.ts'
import { nameOf } from '../data/names.ts'
import { deletion, load, type Rec } from '../data/records.ts'
import { restoreStep } from '../data/restore.ts'
import { format } from '../lib/locale.ts'
import { now } from '../lib/now.ts'
import { Missing } from '../shell/screen-host.tsx'
import { texts } from './texts.ts'
import { titleOf } from './title.tsx'

const PATIENCE_MS = 200

/** Nothing for 200 ms, then grey bars where the record will be. */
export function Loading({ kind }: { kind: PageKind }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isShown) return <div class="record-loads fill" />
  const rows = Array.from({ length: 7 }, (_, row) => row)
  return (
    <div class="record-loads fill" role="status" aria-label={texts().loading}>
      <div class="head strip">
        <Bar width={320} height={20} />
        <Bar width={420} height={12} />
        {kind === 'deals' && <Bar width={640} height={4} />}
      </div>
      <div class="cols">
        {[0, 1, 2].map((column) => (
          <div key={column} class="bars">
            {rows.map((row) => (
              <Bar key={row} row={row + column} />
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}

type FailedProps = { kind: PageKind; id: string; error: unknown; onRetry: () => void }

/** It could not be read; a record that is not there is no error. */
export function Failed({ kind, id, error, onRetry }: FailedProps) {
  if (error instanceof ApiProblem && error.status === 404) return <NotHere kind={kind} id={id} />
  return (
    <Empty
      icon="off"
      title={texts().loadFailed}
      actions={
        <Button first onClick={onRetry}>
          {texts().tryAgain}
        </Button>
      }
      note={error instanceof ApiProblem && error.requestId ? texts().request(error.requestId) : undefined}
    >
      {sayWhy(error)}
    </Empty>
  )
}

type Whereabouts = {
  deleted: { event_id: string; by: string; at: string; title: string } | null
  merged_into: string | null
}

/** What became of a record that is not there: "loading", and null if it never was. */
function useWhereabouts(kind: PageKind, id: string): Whereabouts | null | 'loading' {
  const [found, setFound] = useState<Whereabouts | null | 'loading'>('loading')
  useEffect(() => {
    client()
      .api.get<Whereabouts>(pathWith('/app/whereabouts', { [`${nounOf(kind)}_id`]: id }))
      .then(setFound)
      .catch(() => setFound(null))
  }, [kind, id])
  return found
}

/** The address of a record that was merged or deleted, or of none. */
function NotHere({ kind, id }: { kind: PageKind; id: string }) {
  const found = useWhereabouts(kind, id)
  if (found === 'loading') return null
  if (found?.merged_into || found?.deleted) return <Gone kind={kind} id={id} last={undefined} />
  return <Missing>{texts().missingBody}</Missing>
}

/** Somebody deleted or merged the record while it was on the page, or before; or I did. */
export function Gone({ kind, id, last }: { kind: PageKind; id: string; last: Rec | undefined }) {
  const [isWorking, setWorking] = useState(false)
  const found = useWhereabouts(kind, id)
  const known = deletion(kind, id).value
  if (found !== 'loading' && found?.merged_into) return <Merged kind={kind} into={found.merged_into} />
  const told = found !== 'loading' && found?.deleted ? found.deleted : undefined
  const by = told?.by ?? known?.by
  const at = told?.at ?? known?.at
  const who = by ? memberName(by) : undefined
  const title = last ? titleOf(kind, last) : (told?.title ?? texts().thisRecord[kind])
  const eventId = told?.event_id ?? known?.eventId

  async function bringBack(event: string): Promise<void> {
    setWorking(true)
    const { step, restore } = restoreStep(client(), [event])
    try {
      await restore(event)
      showToast({ text: `${texts().timeline.restored}: ${title}`, icon: 'undo', step })
      await load(kind, id).catch(() => undefined)
    } catch (error) {
      showToast({ text: sayWhy(error), kind: 'error' })
    }
    setWorking(false)
  }

  return (
    <>
      <Banner
        late
        icon="trash"
        action={
          eventId &&
          mayWrite(kind) && (
            <Button working={isWorking ? texts().restoring : undefined} onClick={() => void bringBack(eventId)}>
              {texts().restore}
            </Button>
          )
        }
      >
        {texts().wasDeleted(title, who, at && format.value.when(at, now.value))}
      </Banner>
      <Empty
        icon="trash"
        title={texts().gone[kind]}
        actions={
          <a class="btn" href={`/${kind}`}>
            {texts().toList[kind]}
          </a>
        }
      >
        {texts().goneBody}
      </Empty>
    </>
  )
}

function Merged({ kind, into }: { kind: PageKind; into: string }) {
  const name = nameOf(kind, into) ?? '…'
  return (
    <Banner
      icon="merge"
      action={
        <a class="btn" href={`/${kind}/${into}`}>
          {texts().openOther}
        </a>
      }
    >
      {texts().wasMerged(name)}
    </Banner>
  )
}
