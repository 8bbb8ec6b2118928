import { Icon } from '../../components/icon.tsx'
import { format } from '../../lib/locale.ts'
import { setQuery } from '../../lib/router.ts'
import { delayText } from './delays.ts'
import { exitsAt, shares } from './flow-sums.ts'
import { texts } from './texts.ts'
import type { Flow, Listed, SequenceShown, StepSettings } from './wire.ts'

const TYPE_ICONS = { email: 'mail', task: 'task', call: 'phone' } as const
/** The band of all who were enrolled, in pixels. */
const WIDEST = 28

/** The steps of one version, how many went on and how many left it where, and where all of them are now. */
export function FlowOf({ flow, sequence, known }: { flow: Flow; sequence: SequenceShown; known: Listed }) {
  const words = texts()
  const number = (count: number) => format.value.number(count)
  const enrolled = sum(flow.groups)
  const got = (step: number) => sum(flow.groups.filter(({ done }) => done > step))
  const waiting = (step: number) => sum(flow.groups.filter(({ done, status }) => done === step && LIVE.has(status)))
  const width = (count: number) => (enrolled === 0 ? 0 : Math.max(count > 0 ? 2 : 0, (count / enrolled) * WIDEST))
  const before = exitsAt(flow.groups, 0)
  const hours = known.hours.find(({ key }) => key === sequence.hours)
  const mailbox = known.mailboxes.find(({ key }) => key === sequence.mailbox)
  return (
    <section aria-label={words.flow}>
      <div class="row">
        <h2 class="grow">{words.flow}</h2>
        {flow.versions.length > 1 && (
          <select
            class="seq-version"
            aria-label={words.versions}
            value={String(flow.version)}
            onChange={(event) => setQuery({ version: event.currentTarget.value })}
          >
            {flow.versions.map((each) => (
              <option key={each.number} value={String(each.number)}>
                {words.version(each.number, each.enrolled)}
              </option>
            ))}
          </select>
        )}
      </div>
      {before.length > 0 && <Exits title={words.before} exits={before} />}
      <ol class="seq-flow">
        {flow.steps.map((step, at) => (
          <li key={step.id}>
            <div class="seq-gap row small dim">
              <svg class="seq-band" width={WIDEST} height="36" aria-hidden="true">
                <rect width={width(at === 0 ? enrolled : onwards(at))} height="36" />
              </svg>
              <Icon name="clock" small />
              <span class="grow">{delayText(step as StepSettings, at === 0)}</span>
              {at > 0 && <span>{words.goOn(onwards(at))}</span>}
            </div>
            <div class="seq-step boxed">
              <div class="row small mute">
                <span>{at + 1}</span>
                <Icon name={TYPE_ICONS[step.type]} small />
                <span class="grow cut">{words.types[step.type]}</span>
                <span>{words.waiting(waiting(at))}</span>
              </div>
              <h3 class="cut" dir="auto">
                {step.subject ?? step.task_title ?? words.sameThread}
              </h3>
              <p class="cut small mute" dir="auto">
                {step.body ?? ''}
              </p>
              <p class="small num">{words.got(got(at))}</p>
            </div>
            <Exits title={words.exits} exits={exitsAt(flow.groups, at + 1)} />
          </li>
        ))}
      </ol>
      <p class="strong">{words.atEnd(sum(flow.groups.filter(({ status }) => status === 'completed')))}</p>
      <h2>{words.where(sum(flow.all))}</h2>
      {flow.versions.length > 1 && <p class="small mute">{words.adds}</p>}
      <dl class="seq-where">
        {shares(flow.all).map(({ name, count }) => (
          <div key={name} class="row">
            <dt class="grow">{labelOf(name)}</dt>
            <dd>{number(count)}</dd>
          </div>
        ))}
      </dl>
      <dl class="seq-rules small">
        <dt class="mute">{words.stops}</dt>
        <dd>{(sequence.stop_on ?? []).map((each) => words.reasons[each]).join(', ') || '—'}</dd>
        <dt class="mute">{words.sends}</dt>
        <dd>
          {hours ? `${words.inHours(hours.name)} (${hours.timezone})` : words.anytime},{' '}
          {mailbox ? words.fromMailbox(mailbox.name) : words.fromSender}
        </dd>
      </dl>
    </section>
  )

  /** Who got the step before and has not left: those waiting for this one, and those who went on. */
  function onwards(at: number): number {
    return got(at) + waiting(at)
  }
}

function Exits({ title, exits }: { title: string; exits: { reason: string; count: number }[] }) {
  if (exits.length === 0) return null
  return (
    <ul class="seq-exits small" aria-label={title}>
      {exits.map(({ reason, count }) => (
        <li key={reason} class={reason === 'bounce' ? 'row late' : 'row'}>
          <Icon name="to" small />
          <strong>{format.value.number(count)}</strong> {labelOf(reason)}
        </li>
      ))}
    </ul>
  )
}

function labelOf(name: string): string {
  const words = texts()
  if (name === 'live') return words.inFlow
  return name === 'completed' ? words.toEnd : words.reasons[name as keyof typeof words.reasons]
}

const LIVE: ReadonlySet<string> = new Set(['scheduled', 'active', 'paused'])
const sum = (groups: readonly { count: number }[]): number => groups.reduce((all, { count }) => all + count, 0)
