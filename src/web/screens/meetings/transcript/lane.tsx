import { useMemo } from 'preact/hooks'
import { texts } from '../texts.ts'
import { clockOf } from './clock.ts'
import { shadeOf } from './speakers.ts'
import type { Transcript } from './types.ts'

/** The finest that is drawn: what is closer together is one bar. */
const STEPS = 800
const ROW = 12
const MOST_LANES = 8
const JUMP_MS = 10_000

type LaneProps = {
  transcript: Transcript
  /** The times of all hits, and of the one that one stands on. */
  hits: readonly number[]
  now: number
  onJump: (ms: number) => void
}

/** The whole talk in a few lines: who speaks when, and where the hits are. A press, or the arrows, jump. */
export function Lane({ transcript, hits, now, onJump }: LaneProps) {
  const words = texts()
  const { duration_ms: length, speakers } = transcript
  const lanes = useMemo(() => lanesOf(transcript), [transcript])
  const marks = useMemo(() => [...new Set(hits.map((ms) => stepOf(ms, length)))], [hits, length])
  if (length === 0) return null
  const height = Math.max(1, lanes.length) * ROW
  const seconds = Math.round(now / 1000)
  return (
    <div class="lane strip">
      <div
        class="lane-box"
        role="slider"
        tabIndex={0}
        aria-label={words.lane}
        aria-valuemin={0}
        aria-valuemax={Math.ceil(length / 1000)}
        aria-valuenow={seconds}
        aria-valuetext={`${clockOf(now)}, ${words.hits(hits.length)}`}
        onClick={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect()
          onJump(Math.max(0, Math.min(1, (event.clientX - left) / width)) * length)
        }}
        onKeyDown={(event) => {
          const to = { ArrowRight: now + JUMP_MS, ArrowLeft: now - JUMP_MS, Home: 0, End: length }[event.key]
          if (to === undefined) return
          event.preventDefault()
          event.stopPropagation()
          onJump(Math.max(0, Math.min(length, to)))
        }}
      >
        <svg viewBox={`0 0 ${STEPS} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {marks.map((at) => (
            <rect key={at} class="hit" x={Math.max(0, at - 1.5)} y={0} width={4} height={height} />
          ))}
          {lanes.map(({ key, path }, row) => (
            <path key={key} class={shadeOf(speakers, key)} d={path} transform={`translate(0 ${row * ROW + ROW / 2})`} />
          ))}
          <rect class="now" x={Math.max(0, stepOf(now, length) - 1)} y={0} width={2} height={height} />
        </svg>
      </div>
      <p class="row small mute">
        <span class="grow">0:00</span>
        <span>{clockOf(length)}</span>
      </p>
    </div>
  )
}

const stepOf = (ms: number, length: number): number => Math.round((STEPS * ms) / Math.max(1, length))

/** One path for each of those who speak most. */
function lanesOf({ segments, speakers, duration_ms: length }: Transcript): { key: string | null; path: string }[] {
  const keys = [...speakers].sort((one, other) => other.talk_ms - one.talk_ms).slice(0, MOST_LANES)
  const shown = new Set<string | null>(keys.map(({ key }) => key))
  const all = new Map<string | null, [number, number][]>()
  for (const { speaker, start_ms, end_ms } of segments) {
    const key = shown.has(speaker) ? speaker : null
    const runs = all.get(key) ?? []
    all.set(key, runs)
    const [from, to] = [stepOf(start_ms, length), Math.max(stepOf(start_ms, length) + 1, stepOf(end_ms, length))]
    const last = runs.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else runs.push([from, to])
  }
  const order = [...keys.map(({ key }) => key as string | null), ...(all.has(null) ? [null] : [])]
  return order.map((key) => ({ key, path: (all.get(key) ?? []).map(([from, to]) => `M${from} 0H${to}`).join('') }))
}
