import { useEffect } from 'preact/hooks'
import { IconButton } from '../components/button.tsx'
import { SourcesContext } from '../components/fields/sources.ts'
import { isPageKind, type PageKind } from '../components/kinds.ts'
import { SidePanel } from '../components/side-panel.tsx'
import type { Kind } from '../data/records.ts'
import { navigate } from '../lib/router.ts'
import { closePeek } from '../shell/peek.ts'
import { sources } from '../shell/sources.ts'
import { Head } from './head.tsx'
import { Properties } from './properties.tsx'
import { useRecord } from './record-page.tsx'
import { RelatedTasks } from './related-tasks.tsx'
import { Failed, Gone, Loading } from './states.tsx'
import { followTasks } from './tasks-data.ts'
import { texts } from './texts.ts'
import { Timeline } from './timeline/timeline.tsx'
import { titleOf } from './title.tsx'
import './record.css'
import './peek.css'

/** A record in a panel beside its list: what matters most, edited like on its page. */
export function PeekPanel({ kind, id }: { kind: Kind; id: string }) {
  return isPageKind(kind) ? <Peek kind={kind} id={id} /> : null
}

function Peek({ kind, id }: { kind: PageKind; id: string }) {
  const { now } = useRecord(kind, id)
  const open = () => void navigate(`/${kind}/${id}`)
  return (
    <SidePanel
      quiet
      title={now ? titleOf(kind, now) : texts().thisRecord[kind]}
      onClose={closePeek}
      actions={<IconButton plain icon="right" title={texts().commands.openPage} onClick={open} />}
    >
      <PeekBody kind={kind} id={id} />
    </SidePanel>
  )
}

/** What matters most about a record, edited like on its page; its title is the one of whatever it stands in. */
export function PeekBody({ kind, id }: { kind: PageKind; id: string }) {
  const found = useRecord(kind, id)
  const { now } = found
  useEffect(() => followTasks(kind, id), [kind, id])
  return (
    <SourcesContext.Provider value={sources}>
      <div class="record peek" data-kind={kind} key={`${kind}/${id}`}>
        {now ? (
          <>
            <Head kind={kind} record={now} isPeek />
            <section class="part">
              <Properties kind={kind} record={now} />
            </section>
            <RelatedTasks kind={kind} record={now} />
            <Timeline kind={kind} id={id} />
          </>
        ) : found.error !== undefined ? (
          <Failed kind={kind} id={id} error={found.error} onRetry={found.retry} />
        ) : now === null ? (
          <Gone kind={kind} id={id} last={found.last} />
        ) : (
          <Loading kind={kind} />
        )}
      </div>
    </SourcesContext.Provider>
  )
}
