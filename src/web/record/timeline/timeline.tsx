import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import type { PageKind } from '../../components/kinds.ts'
import { Bar } from '../../components/skeleton.tsx'
import { mayWrite } from '../../data/may.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { rovingKeys } from '../../lib/roving.ts'
import { texts } from '../texts.ts'
import { type Entry, FILTERS, type Filter, folded, isIn, type Shown } from './entries.ts'
import { TimelineEntry } from './entry.tsx'
import { timelineOf } from './timeline-data.ts'
import './timeline.css'

/** What happened around a record, newest first, by days. It follows what others do. */
export function Timeline({ kind, id }: { kind: PageKind; id: string }) {
  const data = timelineOf(kind, id)
  const [filter, setFilter] = useState<Filter>('all')
  useEffect(() => {
    if (data.entries.peek().length === 0) void data.more()
    return data.follow()
  }, [data])
  const entries = data.entries.value
  const shown = folded(entries.filter((entry) => isIn(entry, filter)))
  const stays = staysOf(entries)
  const words = texts().timeline
  return (
    <section class="timeline" aria-label={words.title}>
      <h2 class="sr">{words.title}</h2>
      <FilterLine filter={filter} onFilter={setFilter} />
      <ol class="tl">
        {daysOf(shown).map(({ day, items }) => (
          <>
            <li key={day} class="day row sub">
              <h3>{day}</h3>
            </li>
            {items.map((each) => (
              <TimelineEntry
                key={each.key}
                kind={kind}
                id={id}
                shown={each}
                stayedMs={stays.get(each.entry.id)}
                mayWrite={mayWrite(kind)}
              />
            ))}
          </>
        ))}
      </ol>
      {data.error.value !== undefined && (
        <div class="row failed" role="alert">
          <span class="late">{words.failed}</span>
          <Button onClick={() => void data.more()}>{texts().tryAgain}</Button>
        </div>
      )}
      {!data.done.value && data.error.value === undefined && <More key={entries.length} load={data.more} />}
      {data.done.value && shown.length === 0 && <p class="mute none">{words.empty}</p>}
    </section>
  )
}

function FilterLine({ filter, onFilter }: { filter: Filter; onFilter: (filter: Filter) => void }) {
  const words = texts().timeline
  return (
    <div
      class="kinds small"
      role="radiogroup"
      aria-label={words.show}
      onKeyDown={rovingKeys('[role=radio]', { also: 'click' })}
    >
      {FILTERS.map((each) => (
        // biome-ignore lint/a11y/useSemanticElements: words in a line, of which one is chosen
        <button
          key={each}
          type="button"
          role="radio"
          aria-checked={each === filter}
          tabIndex={each === filter ? 0 : -1}
          onClick={() => onFilter(each)}
        >
          {words.filters[each]}
        </button>
      ))}
    </div>
  )
}

/** Grey bars at the end; as soon as they come near the view, the next page is loaded. */
function More({ load }: { load: () => Promise<void> }) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const end = ref.current
    if (!end) return
    const observer = new IntersectionObserver(
      ([seen]) => {
        if (seen?.isIntersecting) void load()
      },
      { rootMargin: '400px' },
    )
    observer.observe(end)
    return () => observer.disconnect()
  }, [load])
  return (
    <div ref={ref} class="loads" aria-hidden="true">
      {[0, 1, 2].map((row) => (
        <div key={row} class="row">
          <Bar width={22} height={22} round />
          <Bar row={row} />
        </div>
      ))}
    </div>
  )
}

/** Within the last two months each day has a heading, before that each month. */
function daysOf(shown: readonly Shown[]): { day: string; items: Shown[] }[] {
  const days: { day: string; items: Shown[] }[] = []
  for (const each of shown) {
    const { at } = each.entry
    const day = format.value.daysAway(at, now.value) > -60 ? dayOf(at) : format.value.month(at)
    if (days.at(-1)?.day !== day) days.push({ day, items: [] })
    days.at(-1)?.items.push(each)
  }
  return days
}

const dayOf = (at: string): string => {
  const away = format.value.daysAway(at, now.value)
  const full = format.value.weekdayAndDay(at, now.value)
  return away === 0 ? texts().timeline.today(full) : full
}

/** How long a deal was in the stage that each change of stages ended. */
function staysOf(entries: readonly Entry[]): Map<string, number> {
  const stays = new Map<string, number>()
  let later: Entry | undefined
  for (const entry of entries) {
    if (entry.kind !== 'stage' && entry.kind !== 'created') continue
    if (later) stays.set(later.id, Date.parse(later.at) - Date.parse(entry.at))
    later = entry.kind === 'stage' ? entry : undefined
  }
  return stays
}
