import { useId } from 'preact/hooks'
import { Icon } from '../../../components/icon.tsx'
import { t } from '../../../lib/texts/texts.ts'
import { texts } from '../texts.ts'
import type { Draft } from './draft.ts'

type LineProps = {
  name: string
  label: string
  value: string
  error: string | undefined
  isNeeded?: boolean
  isLong?: boolean
  onInput: (value: string) => void
}

/** A field with one line of text, or several. */
export function Line({ name, label, value, error, isNeeded, isLong, onInput }: LineProps) {
  const id = useId()
  const shared = {
    id,
    class: 'bare',
    dir: 'auto',
    value,
    'aria-invalid': error !== undefined,
    'aria-describedby': error && `${id}-error`,
  } as const
  return (
    <div class="field" data-field={name}>
      <label class="label" for={id}>
        {label}
        {!isNeeded && (
          <span class="optional">
            <span class="sr">, </span>
            {t().optional}
          </span>
        )}
      </label>
      <div class={`${isLong ? 'area' : 'input'}${error ? ' is-bad' : ''}`}>
        {isLong ? (
          <textarea {...shared} rows={4} onInput={(event) => onInput(event.currentTarget.value)} />
        ) : (
          <input {...shared} type="text" autocomplete="off" onInput={(event) => onInput(event.currentTarget.value)} />
        )}
      </div>
      <Fault id={`${id}-error`} error={error} />
    </div>
  )
}

function Fault({ id, error }: { id: string; error: string | undefined }) {
  if (!error) return null
  return (
    <p class="help late" id={id} role="alert">
      <Icon name="alert" small />
      {error}
    </p>
  )
}

type TimesProps = { draft: Draft; error: string | undefined; zone: string; onChange: (part: Partial<Draft>) => void }

/** From when to when: in the zone of the member, or days alone. */
export function Times({ draft, error, zone, onChange }: TimesProps) {
  const id = useId()
  const words = texts()
  const input = (type: 'date' | 'time', name: 'day' | 'last_day' | 'from' | 'to', label: string) => (
    <span class={`input${error ? ' is-bad' : ''}`}>
      <input
        class="bare"
        type={type}
        aria-label={label}
        aria-describedby={`${id}-note`}
        value={draft[name]}
        onInput={(event) => {
          const value = event.currentTarget.value
          // The end moves with the start while it is on the same day.
          const isOneDay = name === 'day' && draft.last_day <= draft.day
          onChange({
            [name]: value,
            ...(isOneDay || (name === 'day' && value > draft.last_day) ? { last_day: value } : {}),
          })
        }}
      />
    </span>
  )
  return (
    <div class="field" data-field="starts_at">
      <div class="row times">
        {input('date', 'day', words.firstDay)}
        {!draft.is_whole && input('time', 'from', words.from)}
        <span class="mute">{words.until}</span>
        {!draft.is_whole && input('time', 'to', words.to)}
        {(draft.is_whole || draft.last_day > draft.day) && input('date', 'last_day', words.lastDay)}
      </div>
      <p class="help" id={`${id}-note`}>
        {draft.is_whole
          ? words.wholeNote
          : [
              words.zoneNote(zone),
              draft.to !== '' && draft.to <= draft.from && draft.last_day <= draft.day && words.nextDay,
            ]
              .filter(Boolean)
              .join(' ')}
      </p>
      <Fault id={`${id}-error`} error={error} />
    </div>
  )
}
