import { useRef, useState } from 'preact/hooks'
import type { SlaReason, SlaReasons } from '../../../inbox/conversations/sla-reasons.ts'
import { Popover } from '../../components/popover.tsx'
import { Sla } from '../../components/sla.tsx'
import type { Conversation } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { slaOf } from './sla-of.ts'
import { texts } from './texts.ts'

/** What is due, when and by which policy, with why it is then; and until when it sleeps. */
export function Clocks({ record }: { record: Conversation }) {
  const { id, status, snoozed_until, sla } = record
  const why = useAsk<SlaReasons>(sla.policy_id === null ? null : `/app/inbox/${id}/sla`, ['conversations']).value
  const shown = slaOf(record, now.value)
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const words = texts()
  if (!shown && status !== 'snoozed') return null
  const first = why?.pending[0]
  return (
    <div class="row small clocks">
      {shown && <Sla {...shown} text={shown.isRest ? words.left(shown.text) : shown.text} />}
      {shown?.left !== undefined && sla.policy_id !== null && (
        <span class={`track ${shown.state}`} aria-hidden="true">
          <i style={{ inlineSize: `${Math.round(first ? usedOf(first, now.value) : (1 - shown.left) * 100)}%` }} />
        </span>
      )}
      {first ? (
        <>
          <button
            ref={button}
            type="button"
            class="btn plain why cut"
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            title={words.whyThen}
            onClick={() => setOpen(!isOpen)}
          >
            {shown?.title ?? words.whyThen}
          </button>
          {why.policy && (
            <span class="mute cut" dir="auto">
              {why.policy}, {format.value.duration(first.target_s * 1000)}
            </span>
          )}
        </>
      ) : (
        shown?.title && <span class="mute cut">{shown.title}</span>
      )}
      {status === 'snoozed' && snoozed_until && (
        <span class="mute cut">{words.snoozedUntil(format.value.when(snoozed_until, now.value))}</span>
      )}
      {isOpen && why && button.current && (
        <Popover
          anchor={button.current}
          onClose={() => setOpen(false)}
          class="why-then"
          role="dialog"
          aria-label={words.whyThen}
          tabIndex={-1}
        >
          <Why {...why} />
        </Popover>
      )}
    </div>
  )
}

/** How much of the time is used at a moment, of 100; what pauses does not count. */
function usedOf({ target_s, parts, earlier_s }: SlaReason, at: number): number {
  const used = parts.reduce((sum, { from, to }) => {
    return sum + Math.max(0, Math.min(at, Date.parse(to)) - Date.parse(from)) / 1000
  }, earlier_s)
  return Math.min(100, (used / target_s) * 100)
}

function Why({ policy, priority, hours, pending }: SlaReasons) {
  const words = texts()
  return (
    <>
      <p class="small mute">
        {words.byPolicy(policy ?? '', words.priorities[priority as keyof typeof words.priorities])}
        <br />
        {hours ? words.inHours(hours.name, hours.timezone) : words.allHours}
      </p>
      {pending.map((reason) => (
        <Target key={reason.target} {...reason} />
      ))}
    </>
  )
}

/** The parts of the time and their sum, as on a bill. */
function Target({ target, target_s, started_at, due_at, parts, earlier_s, pauses }: SlaReason) {
  const words = texts()
  const { value: at } = now
  const span = (from: string, to: string) => `${format.value.when(from, at)} – ${format.value.time(to)}`
  const used = parts.reduce((sum, { counted_s }) => sum + counted_s, earlier_s)
  return (
    <section>
      <h3>{words.targets[target]}</h3>
      <table>
        <tbody>
          <Line label={words.startedAt}>{format.value.when(started_at, at)}</Line>
          {earlier_s > 0 && <Line label={words.before}>{format.value.duration(earlier_s * 1000)}</Line>}
          {parts.map(({ from, to, counted_s }) => (
            <Line key={from} label={span(from, to)}>
              {format.value.duration(counted_s * 1000)}
            </Line>
          ))}
          {pauses.map(({ from, to, status }) => (
            <Line key={from} label={words.statuses[status as keyof typeof words.statuses]} isQuiet>
              {to === null
                ? words.pausedSince(format.value.when(from, at))
                : words.pausedFor(format.value.duration(Date.parse(to) - Date.parse(from)))}
            </Line>
          ))}
        </tbody>
        <tfoot>
          <Line label={due_at === null ? words.usedOf(format.value.duration(target_s * 1000)) : words.sum}>
            {format.value.duration(used * 1000)}
          </Line>
          {due_at !== null && <Line label={words.dueAt}>{format.value.when(due_at, at)}</Line>}
        </tfoot>
      </table>
    </section>
  )
}

type LineProps = { label: string; isQuiet?: boolean; children: string }

const Line = ({ label, isQuiet = false, children }: LineProps) => (
  <tr class={isQuiet ? 'mute' : undefined}>
    <th scope="row">{label}</th>
    <td class="num">{children}</td>
  </tr>
)
