import { useEffect, useState } from 'preact/hooks'
import type { PageKind } from '../components/kinds.ts'
import { Tabs } from '../components/tabs.tsx'
import type { Rec } from '../data/types.ts'
import { isPrinting } from '../lib/printing.ts'
import { isPhone } from '../lib/widths.ts'
import { Composer } from './composer.tsx'
import { Properties } from './properties.tsx'
import { People, Related } from './related.tsx'
import { RelatedTasks } from './related-tasks.tsx'
import { tasksOf } from './tasks-data.ts'
import { texts } from './texts.ts'
import { Timeline } from './timeline/timeline.tsx'
import { isTight } from './widths.ts'

type PanesProps = { kind: PageKind; record: Rec }

/** Properties, timeline and related beside each other; with less room as tabs. */
export function Panes(props: PanesProps) {
  return isPhone.value ? <PhonePanes {...props} /> : <WidePanes {...props} />
}

function WidePanes({ kind, record }: PanesProps) {
  const [tab, setTab] = useState<'activity' | 'related'>('activity')
  const hasRight = !isTight.value || isPrinting.value
  const middle = tab === 'activity' || hasRight
  useEffect(() => {
    const show = () => setTab('activity')
    document.addEventListener('compose', show)
    return () => document.removeEventListener('compose', show)
  }, [])
  return (
    <div class="cols">
      <aside class="left" aria-label={texts().properties} data-scroll="properties">
        <Properties kind={kind} record={record} />
      </aside>
      <div class="mid-col fill">
        {isTight.value && (
          <Tabs
            label={texts().parts}
            panel="record-middle"
            value={tab}
            tabs={[
              { value: 'activity', label: texts().activity },
              { value: 'related', label: texts().related },
            ]}
            onChange={setTab}
          />
        )}
        <div
          class="in scroll"
          id="record-middle"
          data-scroll="timeline"
          {...(isTight.value ? { role: 'tabpanel', 'aria-labelledby': `record-middle-${tab}` } : {})}
        >
          {middle ? (
            <>
              <Composer kind={kind} id={record.id} />
              <Timeline kind={kind} id={record.id} />
            </>
          ) : (
            <Related kind={kind} record={record} />
          )}
        </div>
      </div>
      {hasRight && (
        <aside class="right" aria-label={texts().related} data-scroll="related">
          <Related kind={kind} record={record} />
        </aside>
      )}
    </div>
  )
}

type PhoneTab = 'activity' | 'details' | 'people' | 'tasks'

function PhonePanes({ kind, record }: PanesProps) {
  const [tab, setTab] = useState<PhoneTab>('activity')
  const isShown = (part: PhoneTab) => part === tab || isPrinting.value
  const open = tasksOf(kind, record.id).filter(({ status }) => status === 'open').length
  return (
    <>
      <div class="phone-tabs strip">
        <Tabs
          label={texts().parts}
          panel="record-pane"
          value={tab}
          tabs={[
            { value: 'activity', label: texts().activity },
            { value: 'details', label: texts().details },
            { value: 'people', label: texts().people },
            { value: 'tasks', label: texts().tasks, count: open || undefined },
          ]}
          onChange={setTab}
        />
      </div>
      <div
        class="pane scroll"
        id="record-pane"
        role="tabpanel"
        aria-labelledby={`record-pane-${tab}`}
        data-scroll="record"
      >
        {isShown('details') && <Properties kind={kind} record={record} />}
        {isShown('people') && <People kind={kind} record={record} />}
        {isShown('tasks') && <RelatedTasks kind={kind} record={record} />}
        {isShown('activity') && <Timeline kind={kind} id={record.id} />}
      </div>
      {tab === 'activity' && <Composer kind={kind} id={record.id} isDocked />}
    </>
  )
}
