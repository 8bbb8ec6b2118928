import './when-input.css'

type WhenInputProps = {
  type: 'date' | 'time'
  label: string
  /** What stands there as long as it is empty and not worked in: its name, or what it is then. */
  hint?: string
  title?: string
  value: string
  onChange: (value: string) => void
}

/** The browser's own input of a day or a time, which at rest reads as a field of ours: its name instead of "mm/dd/yyyy". */
export function WhenInput({ type, label, hint = label, title, value, onChange }: WhenInputProps) {
  return (
    <span class="when-in row holds" data-hint={value === '' ? hint : undefined}>
      <input
        type={type}
        aria-label={label}
        title={title}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </span>
  )
}
