import { useEffect, useId, useState } from 'preact/hooks'
import type { FilledPart } from '../../../../lib/template.ts'
import { type Choice, Combobox } from '../../../components/combobox.tsx'
import { Icon } from '../../../components/icon.tsx'
import { sayWhy } from '../../../components/say-why.ts'
import { client } from '../../../data/current.ts'
import { format } from '../../../lib/locale.ts'
import { sources } from '../../../shell/sources.ts'
import { CheckList } from '../check-list.tsx'
import { texts } from '../texts.ts'
import { type Preview, previewOf, type SequenceForm } from '../wire.ts'

/** Typing is over for so long before it is asked again. */
const PAUSE_MS = 300
const ICONS = { email: 'mail', task: 'task', call: 'phone' } as const

/** What stands in the form as one contact would get it: the texts filled in, and the times at which they leave. */
export function LivePreview({ form }: { form: SequenceForm }) {
  const [contact, setContact] = useState<Choice | null>(null)
  const [found, setFound] = useState<Preview | undefined>(undefined)
  const [fault, setFault] = useState<unknown>(undefined)
  const id = useId()
  const words = texts()
  const as = JSON.stringify([form, contact?.value])
  useEffect(() => {
    let isOver = false
    const stop = client().timers.after(PAUSE_MS, () => {
      // A name is wanted only by what is saved.
      previewOf({ ...form, name: form.name || '–' }, contact?.value).then(
        (preview) => {
          if (isOver) return
          setFound(preview)
          setFault(undefined)
        },
        (error) => !isOver && setFault(error),
      )
    })
    return () => {
      isOver = true
      stop()
    }
  }, [as])
  return (
    <aside class="seq-preview stack" aria-label={words.preview}>
      <h2>{words.preview}</h2>
      <label class="label" for={id}>
        {words.previewFor}
      </label>
      <div class="input">
        <Combobox
          id={id}
          label={words.previewFor}
          value={contact}
          search={sources.search('contact')}
          clearable
          onPick={setContact}
        />
      </div>
      <p class="small mute">
        {words.previewHelp} {found && words.zone(found.timezone)}
      </p>
      {fault !== undefined && <p class="late">{sayWhy(fault)}</p>}
      {found?.obstacle && <p class="warn">{words.obstacle[found.obstacle]}</p>}
      {found && <CheckList checks={found.checks} />}
      <ol class="stack">
        {found?.steps.map((step, at) => (
          <li key={at} class="boxed seq-seen">
            <p class="row small mute">
              <Icon name={ICONS[form.steps[at]?.type ?? 'email']} small />
              <time dateTime={step.at}>{timeIn(found.timezone).format(Date.parse(step.at))}</time>
              {step.from !== null && <span class="cut">{step.from}</span>}
            </p>
            <h3 dir="auto">{step.subject.length > 0 ? <Filled parts={step.subject} /> : words.noSubject}</h3>
            <p class="seq-body" dir="auto">
              <Filled parts={step.body} />
            </p>
          </li>
        ))}
      </ol>
    </aside>
  )
}

/** In the zone of the hours, whatever that of whoever looks: "Mon, 22 Mar 2027, 09:00". */
const timeIn = (timeZone: string) =>
  new Intl.DateTimeFormat(format.value.tag, {
    ...({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const),
    ...({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone } as const),
  })

/** What was filled in, what stands in for a value, and where there is nothing, each with its name. */
function Filled({ parts }: { parts: readonly FilledPart[] }) {
  const words = texts()
  return (
    <>
      {parts.map(({ is, text, name }, at) => {
        if (is === 'text') return text
        if (is === 'missing')
          return (
            <span key={at} class="seq-missing warn">
              [{words.missing(name ?? '')}]
            </span>
          )
        return (
          <mark
            key={at}
            class={is === 'value' ? 'seq-filled' : 'seq-stands'}
            title={`${is === 'value' ? words.filled : words.stands}: ${name}`}
          >
            {text}
          </mark>
        )
      })}
    </>
  )
}
