import type { Cell as At } from './focus.ts'

// A pasted block becomes one change of each record. What a column cannot read is refused cell by cell, the rest is written.

/** A text of another program, or what a cell of ours had, with its text. */
export type Pasted = string | { text: string }
export type Read = { value: unknown } | { refused: string } | 'same'
export type PasteColumn<Cell> = { key: string; read: (cell: Cell, id: string) => Read | Promise<Read> }
export type Change = { id: string; row: number; fields: Record<string, { value: unknown }> }
export type Refusal = { row: number; column: number; text: string; reason: string }
export type Plan = { changes: Change[]; refusals: Refusal[]; outside: number }

type Target<Cell> = {
  at: At
  columns: readonly PasteColumn<Cell>[]
  idAt: (row: number) => string | undefined
  rows: number
}

/**
 * Maps the cells of a block to fields of records, from the focused cell to the right and down. What is there already is
 * no change.
 */
export async function planPaste<Cell extends Pasted>(
  block: readonly (readonly Cell[])[],
  { at, columns, idAt, rows }: Target<Cell>,
): Promise<Plan> {
  const plan: Plan = { changes: [], refusals: [], outside: 0 }
  for (const [down, cells] of block.entries()) {
    const row = at.row + down
    const id = row < rows ? idAt(row) : undefined
    if (id === undefined) {
      plan.outside += cells.length
      continue
    }
    const change: Change = { id, row, fields: {} }
    for (const [right, cell] of cells.entries()) {
      const column = columns[at.column + right]
      if (!column) {
        plan.outside++
        continue
      }
      const read = await column.read(cell, id)
      if (read === 'same') continue
      const text = typeof cell === 'string' ? cell : cell.text
      if ('refused' in read) plan.refusals.push({ row, column: at.column + right, text, reason: read.refused })
      else change.fields[column.key] = read
    }
    if (Object.keys(change.fields).length > 0) plan.changes.push(change)
  }
  return plan
}

/** The fields of a change as a patch: `custom_fields.channel` becomes a member of `custom_fields`. */
export function patchOf(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const patch: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(values)) {
    const dot = path.indexOf('.')
    if (dot < 0) patch[path] = value
    else patch[path.slice(0, dot)] = { ...(patch[path.slice(0, dot)] as object), [path.slice(dot + 1)]: value }
  }
  return patch
}
