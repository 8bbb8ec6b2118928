import { Icon } from '../../components/icon.tsx'
import { State } from '../../components/state.tsx'
import { memberName } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { sizeText, tookText } from '../../lib/sizes.ts'
import { texts } from './texts.ts'
import type { Run, Work } from './wire.ts'

const MOST = 50

/** Backups, copies and drills, newest first. */
export function Runs({ runs }: { runs: readonly Run[] }) {
  const words = texts()
  return (
    <section>
      <h2>{words.runsTitle}</h2>
      {runs.length === 0 ? (
        <p class="dim">{words.noRuns}</p>
      ) : (
        <>
          <ul class="checks" data-runs>
            {runs.map((run) => (
              <RunRow key={`${run.at} ${run.kind} ${run.place}`} {...run} />
            ))}
          </ul>
          {runs.length < MOST && <p class="small mute">{words.fewRuns(runs.length)}</p>}
        </>
      )}
    </section>
  )
}

function RunRow({ kind, at, since, times, duration_ms, bytes, by, place, is_good, error }: Run) {
  const words = texts()
  const when = (time: string) => format.value.when(time, now.value)
  const who = by === null ? words.byServer : by === 'command' ? words.byCommand : words.byMember(memberName(by) ?? '…')
  const facts = [
    when(at),
    ...(kind === 'copy' && by === null ? [] : [who]),
    ...(bytes === null ? [] : [sizeText(bytes)]),
    ...(duration_ms === null ? [] : [tookText(duration_ms)]),
    ...(times > 1 && since !== null ? [words.times(times, when(since))] : []),
  ]
  return (
    <li>
      <span class="cut" dir="auto">
        <b class="mid">{place === null ? (words.kinds[kind] ?? kind) : words.copyTo(place)}</b>
      </span>
      <span class="is">
        <State is={is_good ? 'good' : 'late'}>{is_good ? words.good : words.bad}</State>
      </span>
      <span class="small mute facts">{facts.join(' · ')}</span>
      {error !== null && (
        <p class="small dim" lang="en">
          {error}
        </p>
      )}
    </li>
  )
}

/** Work that the server repeats by itself: for once, not for each day, so it is folded unless something fails. */
export function WorkTable({ work }: { work: readonly Work[] }) {
  const words = texts()
  const bad = work.filter(({ is_good }) => !is_good)
  const sorted = [...bad, ...work.filter(({ is_good }) => is_good)]
  return (
    <section>
      <details class="fold" open={bad.length > 0}>
        <summary>
          <Icon name="down" small />
          {words.workTitle}
        </summary>
        <p class="small dim">{words.workBody}</p>
        {work.length === 0 && <p class="dim">{words.noWork}</p>}
        <ul class="checks" data-work>
          {sorted.map((each) => (
            <WorkRow key={each.name} {...each} />
          ))}
        </ul>
      </details>
    </section>
  )
}

function WorkRow({ name, at, failures, is_good, error }: Work) {
  const words = texts()
  return (
    <li>
      <span class="cut" lang="en">
        {name}
      </span>
      <span class="is">
        <State is={is_good ? 'good' : 'late'}>{is_good ? words.good : words.failures(failures)}</State>
        {at !== null && <span class="small mute">{format.value.when(at, now.value)}</span>}
      </span>
      {error !== null && (
        <p class="small dim" lang="en">
          {error}
        </p>
      )}
    </li>
  )
}
