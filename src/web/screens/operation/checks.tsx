import { Icon } from '../../components/icon.tsx'
import { State } from '../../components/state.tsx'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { texts } from './texts.ts'
import type { Check } from './wire.ts'

const RANK = { fail: 0, warn: 1, unknown: 2, pass: 3 } as const
const LOOK = { fail: 'late', warn: 'warn', unknown: 'hollow', pass: 'good' } as const

/** What needs somebody first and in full; what is well is folded. */
export function Checks({ checks }: { checks: readonly Check[] }) {
  const words = texts()
  const ranked = checks.toSorted((one, other) => RANK[one.status ?? 'unknown'] - RANK[other.status ?? 'unknown'])
  const open = ranked.filter(({ status }) => status !== 'pass')
  const well = ranked.filter(({ status }) => status === 'pass')
  return (
    <section>
      <h2>{words.checksTitle}</h2>
      <p class="small dim">{words.checksBody}</p>
      {open.length > 0 && (
        <>
          <List checks={open} />
          <p class="small mute">{words.help}</p>
        </>
      )}
      <details class="fold" open={open.length === 0}>
        <summary>
          <Icon name="down" small />
          {words.passing(well.length)}
        </summary>
        <List checks={well} />
      </details>
    </section>
  )
}

function List({ checks }: { checks: readonly Check[] }) {
  return (
    <ul class="checks">
      {checks.map((check) => (
        <CheckRow key={check.name} {...check} />
      ))}
    </ul>
  )
}

function CheckRow({ name, status, detail, since }: Check) {
  const words = texts()
  const is = status ?? 'unknown'
  return (
    <li data-check={name}>
      <b class="mid">{words.checks[name] ?? name}</b>
      <span class="is">
        <State is={LOOK[is]}>{words.states[is]}</State>
        {since !== null && <span class="small mute">{words.since(format.value.when(since, now.value))}</span>}
      </span>
      {status === null && <p class="small dim">{words.unknownBody}</p>}
      {detail !== null && (
        <p class="small dim" lang="en">
          {detail}
        </p>
      )}
    </li>
  )
}
