import { WhenInput } from '../../components/when-input.tsx'
import { format } from '../../lib/locale.ts'
import { momentOf } from '../../lib/zoned.ts'
import { DIRECTIONS, type Facts, OUTCOMES, readCall } from './call.ts'
import { texts } from './texts.ts'

/** What is typed of a call; what was chosen counts more than what the line says. Empty for what is not said. */
export type CallDraft = { text: string; direction: string; outcome: string; day: string; time: string }

export const NO_CALL: CallDraft = { text: '', direction: '', outcome: '', day: '', time: '' }

/** The facts of a draft: those that were chosen, else those that the line says. */
export function factsOf({ text, direction, outcome }: CallDraft): Facts {
  const said = readCall(text)
  const chosen = {
    direction: DIRECTIONS.find((each) => each === direction) ?? said.direction,
    outcome: OUTCOMES.find((each) => each === outcome) ?? said.outcome,
  }
  return {
    ...(chosen.direction ? { direction: chosen.direction } : {}),
    ...(chosen.outcome ? { outcome: chosen.outcome } : {}),
  }
}

/** When it was; null for just now. A day without a time is its noon, and a time without a day is today's. */
export function momentIn({ day, time }: CallDraft): string | null {
  if (day === '' && time === '') return null
  const { timezone } = format.peek()
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(Date.now())
  const [year = 0, month = 1, date = 1] = (day || today).split('-').map(Number)
  const [hour = 12, minute = 0] = time === '' ? [] : time.split(':').map(Number)
  return new Date(momentOf({ year, month, day: date, hour, minute, second: 0 }, timezone)).toISOString()
}

type CallFormProps = {
  draft: CallDraft
  onChange: (changed: Partial<CallDraft>) => void
  onSend: () => void
  autofocus?: boolean
}

/** One line of what was said; what it says of the call is shown, and can be chosen. */
export function CallForm({ draft, onChange, onSend, autofocus }: CallFormProps) {
  const words = texts()
  const facts = factsOf(draft)
  const choice = (name: 'direction' | 'outcome', choices: readonly string[], labels: Record<string, string>) => (
    <select
      class="select"
      aria-label={words[name]}
      value={facts[name] ?? ''}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    >
      <option value="">{words.unsaid[name]}</option>
      {choices.map((each) => (
        <option key={each} value={each}>
          {labels[each]}
        </option>
      ))}
    </select>
  )
  return (
    <form
      class="task-form stack"
      noValidate
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        const isLine = (event.target as Element).matches('input.what')
        if (event.key !== 'Enter' || event.isComposing || !(isLine || event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        onSend()
      }}
    >
      <input
        class="what"
        dir="auto"
        type="text"
        autocomplete="off"
        autofocus={autofocus}
        aria-label={words.line}
        placeholder={words.example}
        value={draft.text}
        onInput={(event) => onChange({ text: event.currentTarget.value })}
      />
      <div class="facts">
        {choice('direction', DIRECTIONS, words.directions)}
        {choice('outcome', OUTCOMES, words.outcomes)}
        <WhenInput
          type="date"
          label={words.day}
          hint={words.dayShort}
          title={words.now}
          value={draft.day}
          onChange={(day) => onChange({ day })}
        />
        <WhenInput
          type="time"
          label={words.time}
          hint={words.timeShort}
          title={words.now}
          value={draft.time}
          onChange={(time) => onChange({ time })}
        />
      </div>
    </form>
  )
}
