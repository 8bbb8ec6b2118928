import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'
import './chip.css'

type ChipProps = {
  field?: string | undefined
  operator?: string | undefined
  children: ComponentChildren
  onOpen?: (() => void) | undefined
  /** The name of the button that takes it away, such as "Remove Owner". */
  removeTitle?: string | undefined
  onRemove?: (() => void) | undefined
}

/** A filter or a chosen value, cut in field, operator and value. Pressing it opens what it was made with. */
export function Chip({ field, operator, children, onOpen, removeTitle, onRemove }: ChipProps) {
  const value = onOpen ? (
    <button type="button" onClick={onOpen}>
      {children}
    </button>
  ) : (
    <span>{children}</span>
  )
  return (
    <span class="chip">
      {field && <span class="f">{field}</span>}
      {operator && <span class="op">{operator}</span>}
      {value}
      {onRemove && (
        <button type="button" class="x" title={removeTitle} aria-label={removeTitle} onClick={onRemove}>
          <Icon name="x" small />
        </button>
      )}
    </span>
  )
}
