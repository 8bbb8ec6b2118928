import { useRef, useState } from 'preact/hooks'
import { IconButton } from '../components/button.tsx'
import type { Choice, Search } from '../components/choices.tsx'
import { PickerPopover } from '../components/picker.tsx'

type AddingProps = {
  label: string
  search?: Search | undefined
  choices?: readonly Choice[] | undefined
  create?: ((typed: string) => Promise<Choice | null>) | undefined
  chosen: readonly string[]
  onPick: (id: string) => void
}

/** A plus that finds a record, or makes one of what is typed. */
export function Adding({ label, chosen, onPick, ...source }: AddingProps) {
  const [isOpen, setOpen] = useState(false)
  const ref = useRef<HTMLSpanElement>(null)
  return (
    <span ref={ref}>
      <IconButton plain class="add" icon="plus" title={label} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} />
      {isOpen && ref.current && (
        <PickerPopover
          {...source}
          anchor={ref.current}
          align="end"
          label={label}
          chosen={chosen}
          onClose={() => setOpen(false)}
          onPick={({ value }) => onPick(value)}
        />
      )}
    </span>
  )
}
