import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Windowed, type WindowedHandle } from '../../../components/windowed.tsx'
import type { Meeting } from '../../../data/types.ts'
import { whole } from '../../../lib/base.ts'
import { query } from '../../../lib/router.ts'
import { scaled } from '../../../lib/scale.ts'
import { register } from '../../../shell/commands/registry.ts'
import { copyText } from '../../../shell/copy.ts'
import { texts } from '../texts.ts'
import { FindBar } from './find-bar.tsx'
import { Lane } from './lane.tsx'
import { addressAt, type Quote, quoteOf } from './quote.ts'
import { QuoteNote, QuoteTask } from './quote-form.tsx'
import { hitsIn, indexOf, type Mark, segmentAt, segmentOfSecond, timeIn } from './search.ts'
import { type Acts, SegmentRow } from './segment-row.tsx'
import { transcriptCommands } from './transcript-commands.ts'
import type { Transcript } from './types.ts'

type ViewProps = { meeting: Meeting; transcript: Transcript; onReplace: () => void }
const NONE: readonly Mark[] = []

/** A transcript of any length: the lane of the talk, search, and what was said, of which only what is in view is in the page. */
export function TranscriptView({ meeting, transcript, onReplace }: ViewProps) {
  const { segments } = transcript
  const [speaker, setSpeaker] = useState<string>('')
  const [q, setQ] = useState(() => query.peek().get('q') ?? '')
  const [hitAt, setHitAt] = useState(0)
  const [at, setAt] = useState(0)
  const [quoting, setQuoting] = useState<{ as: 'note' | 'task'; quote: Quote } | undefined>(undefined)
  const list = useRef<WindowedHandle>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)

  // Names change more often than what was said.
  const said = useMemo(() => segments.map(({ text }) => text).join('\n'), [segments])
  const index = useMemo(() => (q.trim() === '' ? undefined : indexOf(segments)), [said, q.trim() === ''])
  const hits = useMemo(() => (index ? hitsIn(index, q) : []), [index, q])
  const times = useMemo(
    () =>
      hits.map(({ marks: [first] }) =>
        first && segments[first.segment] ? timeIn(segments[first.segment] as never, first.from) : 0,
      ),
    [hits],
  )
  const marks = useMemo(
    () =>
      Map.groupBy(
        hits.flatMap((hit) => hit.marks),
        ({ segment }) => segment,
      ),
    [hits],
  )
  const shown = useMemo(
    () => segments.flatMap((each, place) => (speaker === '' || each.speaker === speaker ? [place] : [])),
    [segments, speaker],
  )
  const keys = useMemo(() => shown.map(String), [shown])

  /** The address says a second only while one is there: the same link leads back to it. */
  const leaveAddress = () => {
    if (location.hash.startsWith('#t=')) history.replaceState(history.state, '', location.pathname + location.search)
  }
  const go = (segment: number) => {
    leaveAddress()
    jump(segment)
  }
  const enter = (segment: number) => {
    if (segment !== at) leaveAddress()
    setAt(segment)
  }
  /** Brings a segment into the upper part of the view: rows on the way are measured as they come, so it takes a few frames. */
  const jump = (segment: number, times = 4) => {
    setAt(segment)
    const row = shown.indexOf(segment)
    const box = scroller.current
    if (row < 0) return setSpeaker('')
    const scroll = (left: number) => {
      if (!box?.isConnected) return
      box.scrollTop = Math.max(0, (list.current?.offsetOf(row) ?? 0) - box.clientHeight / 4)
      if (left > 0) requestAnimationFrame(() => scroll(left - 1))
    }
    scroll(times)
  }
  const toTime = (ms: number) => go(segmentAt(segments, ms))
  const toHit = (next: number) => {
    if (hits.length === 0) return
    const place = (next + hits.length) % hits.length
    setHitAt(place)
    go(hits[place]?.marks[0]?.segment ?? 0)
  }
  const step = (by: number) => {
    const row = Math.max(0, shown.indexOf(at))
    const next = Math.max(0, Math.min(shown.length - 1, row + by))
    enter(shown[next] ?? 0)
    list.current?.focus(next)
  }

  // The address of a second, also of another one on the same page.
  useEffect(() => {
    const follow = () => {
      const [, seconds] = /^#t=(\d{1,6})$/.exec(location.hash) ?? []
      if (seconds !== undefined) jump(segmentOfSecond(segments, Number(seconds)))
      return seconds !== undefined
    }
    if (!follow() && hits.length > 0) toHit(0)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current) toHit(firstAfter(hits, at))
    isFirst.current = false
  }, [hits])

  const current = () => segments[at] ?? segments[0]
  const quote = (as: 'note' | 'task') => {
    const segment = current()
    if (segment) setQuoting({ as, quote: quoteOf(transcript, segment) })
  }
  const acts: Acts = {
    note: () => quote('note'),
    task: () => quote('task'),
    link: () => {
      const segment = current()
      if (segment) void copyText(whole(addressAt(meeting.id, segment.start_ms)), texts().linkCopied)
    },
  }
  useLayoutEffect(() =>
    register(
      transcriptCommands({
        ...acts,
        find: () => input.current?.focus(),
        step,
        hit: (by) => toHit(hitAt + by),
        hasHits: () => hits.length > 0,
      }),
    ),
  )

  const nowMarks = hits[hitAt]?.marks ?? NONE
  return (
    <>
      <Lane transcript={transcript} hits={times} now={segments[at]?.start_ms ?? 0} onJump={toTime} />
      <FindBar
        input={input}
        meeting={meeting}
        transcript={transcript}
        q={q}
        onQ={setQ}
        at={hitAt}
        count={hits.length}
        onStep={(by) => toHit(hitAt + by)}
        speaker={speaker}
        onSpeaker={setSpeaker}
        onReplace={onReplace}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrows act on the times inside, which are buttons */}
      <div
        ref={scroller}
        class="scroll segments"
        data-scroller
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
          if (by === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
          if (!(event.target as Element).matches('.time')) return
          event.preventDefault()
          step(by)
        }}
      >
        <Windowed
          ref={list}
          keys={keys}
          rowHeight={scaled(44)}
          measured
          label={texts().partNames.transcript}
          render={(row, props) => {
            const place = shown[row]
            const segment = place === undefined ? undefined : segments[place]
            if (place === undefined || !segment) return null
            const before = row > 0 ? segments[shown[row - 1] as number] : undefined
            return (
              <SegmentRow
                key={place}
                meeting={meeting.id}
                transcript={transcript}
                segment={segment}
                row={props}
                isNew={before === undefined || before.speaker !== segment.speaker}
                isHere={place === at}
                marks={marks.get(place) ?? NONE}
                nowMarks={nowMarks}
                recording={meeting.recording_url}
                onEnter={() => enter(place)}
                acts={acts}
              />
            )
          }}
        />
      </div>
      {quoting?.as === 'note' && (
        <QuoteNote meeting={meeting} quote={quoting.quote} onClose={() => setQuoting(undefined)} />
      )}
      {quoting?.as === 'task' && (
        <QuoteTask meeting={meeting} quote={quoting.quote} onClose={() => setQuoting(undefined)} />
      )}
    </>
  )
}

/** The first hit from where one is; else the first of all. */
function firstAfter(hits: readonly { marks: readonly Mark[] }[], at: number): number {
  const found = hits.findIndex(({ marks: [first] }) => (first?.segment ?? 0) >= at)
  return Math.max(0, found)
}
