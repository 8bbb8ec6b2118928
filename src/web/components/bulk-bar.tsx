import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'
import './bulk-bar.css'

type BulkBarProps = {
  /** "3 selected". */
  text: string
  label: string
  clear: string
  onClear: () => void
  children: ComponentChildren
}

/** What can be done with the selected records, over the foot of their list. The count comes first, Esc clears. */
export function BulkBar({ text, label, clear, onClear, children }: BulkBarProps) {
  return (
    <div class="bulk row floats" role="toolbar" aria-label={label}>
      <b role="status">{text}</b>
      <span class="sep" />
      {children}
      <span class="sep" />
      <Button plain keys="Esc" onClick={onClear}>
        {clear}
      </Button>
    </div>
  )
}
