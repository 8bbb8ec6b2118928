import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Icon } from '../../../components/icon.tsx'

type FieldProps = { label: string; error?: string | undefined; value: string; onValue: (value: string) => void }

/** A line of text in the builder, with what is wrong with it. */
export function Text({ label, error, value, onValue }: FieldProps) {
  return (
    <Field label={label} error={error}>
      {(id) => (
        <div class={error ? 'input is-bad' : 'input'}>
          <input
            id={id}
            class="bare"
            dir="auto"
            value={value}
            aria-invalid={error ? true : undefined}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
        </div>
      )}
    </Field>
  )
}

/** One of a few. */
export function Choice({
  label,
  error,
  value,
  choices,
  onValue,
}: FieldProps & { choices: { value: string; label: string }[] }) {
  return (
    <Field label={label} error={error}>
      {(id) => (
        <div class={error ? 'input is-bad' : 'input'}>
          <select id={id} class="bare" value={value} onChange={(event) => onValue(event.currentTarget.value)}>
            {choices.map((each) => (
              <option key={each.value} value={each.value}>
                {each.label}
              </option>
            ))}
          </select>
          <Icon name="down" small />
        </div>
      )}
    </Field>
  )
}

type FrameProps = {
  label: string
  error: string | undefined
  children: (id: string) => ComponentChildren
  help?: string
}

/** The label of a field, and what is wrong with it. */
export function Field({ label, error, help, children }: FrameProps) {
  const id = useId()
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      {children(id)}
      {help && <p class="help">{help}</p>}
      {error && (
        <p class="help late">
          <Icon name="alert" small />
          {error}
        </p>
      )}
    </div>
  )
}
