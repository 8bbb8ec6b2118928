import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Picker } from '../../components/picker.tsx'
import { Popover } from '../../components/popover.tsx'
import type { Anchor } from '../../lib/place.ts'
import { keyOf, kindsOf, type TableColumn } from './column.ts'
import { hidden, type Layout, settled, shown } from './layout.ts'
import { texts } from './texts.ts'

type ChooserProps = {
  anchor: Anchor
  columns: readonly TableColumn[]
  layout: Layout
  onLayout: (layout: Layout | null) => void
  /** The word over custom fields. */
  customLabel: string
  onClose: () => void
}

/** Which fields are columns. Their order is changed at their heads. */
export function ColumnsChooser({ anchor, columns, layout, onLayout, customLabel, onClose }: ChooserProps) {
  const placed = settled(layout, kindsOf(columns))
  return (
    <Popover
      anchor={anchor}
      align="end"
      onClose={onClose}
      class="menu choices"
      role="dialog"
      aria-label={texts().columns}
    >
      <Picker
        autofocus
        multiple
        label={texts().findColumn}
        choices={columns
          .filter(({ fixed }) => !fixed)
          .map((column) => ({
            value: keyOf(column),
            label: column.field.label,
            ...(column.caption ? { note: customLabel } : {}),
          }))}
        chosen={placed.map(({ key }) => key)}
        onPick={({ value }) =>
          onLayout(placed.some(({ key }) => key === value) ? hidden(placed, value) : shown(placed, value))
        }
      />
      <div class="row columns-foot">
        <Button plain onClick={() => onLayout(null)}>
          <Icon name="undo" small />
          {texts().resetColumns}
        </Button>
      </div>
    </Popover>
  )
}
