import { rovingKeys } from '../lib/roving.ts'
import { Icon, type IconName } from './icon.tsx'
import './segmented.css'

type SegmentedProps<Value extends string> = {
  /** The name of the group for screen readers. */
  label: string
  value: Value
  choices: { value: Value; label: string; icon?: IconName | undefined }[]
  onChange: (value: Value) => void
}

/** A few choices side by side, one of them chosen: arrows choose. */
export function Segmented<Value extends string>({ label, value, choices, onChange }: SegmentedProps<Value>) {
  return (
    <div class="seg" role="radiogroup" aria-label={label} onKeyDown={rovingKeys('[role=radio]', { also: 'click' })}>
      {choices.map((each) => (
        // biome-ignore lint/a11y/useSemanticElements: a radio input would not show a hint of the key nor an icon
        <button
          key={each.value}
          type="button"
          role="radio"
          aria-checked={each.value === value}
          tabIndex={each.value === value ? 0 : -1}
          onClick={() => onChange(each.value)}
        >
          {each.icon && <Icon name={each.icon} small />}
          {each.label}
        </button>
      ))}
    </div>
  )
}
