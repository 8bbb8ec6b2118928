import { useState } from 'preact/hooks'
import { Popover } from '../../components/popover.tsx'
import type { Anchor } from '../../lib/place.ts'
import { t } from '../../lib/texts/texts.ts'
import { type Filter, type Group, isComplete } from './conditions.ts'
import { currencyIn } from './currency.ts'
import type { FilterField } from './filter-field.ts'
import { toGroup } from './group.ts'
import { GroupEditor } from './group-editor.tsx'
import { KeptPart } from './kept-part.tsx'
import { offered } from './operators.ts'
import { PartEditor } from './part-editor.tsx'

type FilterPopoverProps = {
  anchor: Anchor
  fields: readonly FilterField[]
  conditions: readonly Filter[]
  /** Which of them to change; undefined for a new one. */
  at: number | undefined
  /** Takes all that are complete, and where the one that is changed stands among them. */
  onChange: (conditions: Filter[], at: number | 'new') => void
  onRemove: () => void
  onClose: () => void
}

/** What a part of the filter bar is changed with: a condition, a group of alternatives, or what a program made. */
export function FilterPopover({ anchor, fields, conditions, at, onChange, onRemove, onClose }: FilterPopoverProps) {
  const [part] = useState(at === undefined ? undefined : conditions[at])
  const [group, setGroup] = useState<Group | undefined>(part && 'any' in part ? part : undefined)
  const [isBegun, setBegun] = useState(false)
  const put = (next: Group) => {
    setGroup(next)
    const all = conditions.toSpliced(at ?? conditions.length, 1, next).filter(isComplete)
    const now = all.indexOf(next)
    onChange(all, now < 0 ? 'new' : now)
  }
  const begin = (isFirst: boolean) => {
    setBegun(true)
    if (!isFirst || at === undefined) return setGroup({ any: [] })
    const grouped = toGroup(conditions, at, fields)
    setGroup(grouped.group)
    onChange(grouped.parts, grouped.parts.indexOf(grouped.group))
  }
  return (
    <Popover
      anchor={anchor}
      onClose={onClose}
      class="menu choices filter-popover"
      role="dialog"
      aria-label={t().filter}
    >
      {group ? (
        <GroupEditor
          group={group}
          fields={fields}
          currency={currencyIn(conditions, fields)}
          isBegun={isBegun}
          onChange={put}
        />
      ) : part && !offered(part, fields) ? (
        <KeptPart part={part} fields={fields} onRemove={onRemove} />
      ) : (
        <PartEditor
          fields={fields}
          among={conditions}
          at={at}
          onChange={onChange}
          onDone={onClose}
          onGroup={(of) => begin(of !== undefined)}
        />
      )}
    </Popover>
  )
}
