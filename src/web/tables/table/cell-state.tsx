import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Conflict } from '../../components/fields/conflict.tsx'
import { Progress } from '../../components/fields/inline-edit.tsx'
import { Icon } from '../../components/icon.tsx'
import { Popover } from '../../components/popover.tsx'
import { fieldState, type Kind, useMine, useTheirs } from '../../data/records.ts'
import type { Rec } from '../../data/types.ts'
import { CellValue } from './cell-value.tsx'
import type { TableColumn } from './column.ts'
import { cellName, type TableState } from './table-state.ts'
import { texts } from './texts.ts'

type Props = { kind: Kind; record: Rec; column: TableColumn; state: TableState }

/** A cell of a record that was changed here: saving, saved, refused with its text, or in conflict. */
export function CellWithState({ kind, record, column, state }: Props) {
  const { key } = column.field
  const found = fieldState(kind, record.id, key).value
  const unread = state.refused.value.get(cellName(record.id, key))
  if (unread) {
    return (
      <Refused
        text={unread.text}
        reason={unread.reason}
        onDrop={() => {
          const rest = new Map(state.refused.peek())
          rest.delete(cellName(record.id, key))
          state.refused.value = rest
        }}
      />
    )
  }
  if (found?.state === 'refused') {
    return <Refused text={textOf(found.mine)} reason={found.message} onDrop={() => useTheirs(kind, record.id, key)} />
  }
  if (found?.state === 'conflict') {
    return (
      <Open mark="warn" label={texts().notSaved} text={<CellValue column={column} record={record} />}>
        <Conflict
          field={column.field}
          state={found}
          onUseMine={() => void useMine(kind, record.id, key).catch(() => undefined)}
          onUseTheirs={() => useTheirs(kind, record.id, key)}
        />
      </Open>
    )
  }
  return (
    <>
      <CellValue column={column} record={record} />
      <Progress state={found} />
    </>
  )
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : value === null ? '—' : JSON.stringify(value)

function Refused({ text, reason, onDrop }: { text: string; reason: string; onDrop: () => void }) {
  return (
    <Open
      mark="late"
      label={reason}
      text={
        <span class="cut" dir="auto">
          {text}
        </span>
      }
    >
      <p class="help late">
        <Icon name="alert" small />
        {reason}
      </p>
      <div class="row">
        <Button onClick={onDrop}>{texts().dropMine}</Button>
      </div>
    </Open>
  )
}

/** What is wrong opens under the cell, once by itself; the page stays usable. */
function Open(props: {
  mark: 'late' | 'warn'
  label: string
  text: preact.ComponentChildren
  children: preact.ComponentChildren
}) {
  const { mark, label, text, children } = props
  const box = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [isThere, setThere] = useState(false)
  useEffect(() => setThere(true), [])
  return (
    <span class={`cell-mark ${mark}`} title={label}>
      <span class="cut" dir="auto">
        {text}
      </span>
      <button
        ref={box}
        type="button"
        class="why-button"
        tabIndex={-1}
        aria-label={label}
        aria-expanded={isOpen}
        onClick={(event) => {
          event.stopPropagation()
          setOpen(!isOpen)
        }}
      >
        <Icon name="alert" small />
      </button>
      {isThere && isOpen && box.current && (
        <Popover
          anchor={box.current}
          align="end"
          onClose={() => setOpen(false)}
          class="cell-why"
          role="dialog"
          aria-label={label}
        >
          {children}
        </Popover>
      )}
    </span>
  )
}
