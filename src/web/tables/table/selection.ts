// Which rows are chosen: single ones, or all that the view's filter selects, without some.

export type Selection = {
  readonly ids: ReadonlySet<string>
  /** All that match are chosen, except `ids`. */
  readonly isAll: boolean
  /** Where a range begins. */
  readonly anchor: number | undefined
}

export const NONE: Selection = { ids: new Set(), isAll: false, anchor: undefined }

export const isSelected = ({ ids, isAll }: Selection, id: string): boolean => ids.has(id) !== isAll

/** `total` is how many match. */
export const countOf = ({ ids, isAll }: Selection, total: number): number => (isAll ? total - ids.size : ids.size)

export function toggled(selection: Selection, id: string, row: number): Selection {
  const ids = new Set(selection.ids)
  if (!ids.delete(id)) ids.add(id)
  return { ...selection, ids, anchor: row }
}

/**
 * From the anchor to the row, all become what the anchor is. `idAt` is undefined for rows that are not loaded: they stay out.
 */
export function extended(selection: Selection, row: number, idAt: (row: number) => string | undefined): Selection {
  const from = selection.anchor ?? row
  const first = idAt(from)
  const isOn = first === undefined || selection.anchor === undefined || isSelected(selection, first)
  const ids = new Set(selection.ids)
  for (let at = Math.min(from, row); at <= Math.max(from, row); at++) {
    const id = idAt(at)
    if (id === undefined) continue
    if (isOn !== selection.isAll) ids.add(id)
    else ids.delete(id)
  }
  return { ...selection, ids, anchor: from }
}

/** The box in the head: chooses what is loaded, or nothing. */
export function headToggled(selection: Selection, loaded: readonly string[]): Selection {
  return selection.isAll || selection.ids.size > 0 ? NONE : { ids: new Set(loaded), isAll: false, anchor: undefined }
}

export const ALL: Selection = { ids: new Set(), isAll: true, anchor: undefined }

/** Without the rows that are gone. */
export function without(selection: Selection, id: string): Selection {
  if (!selection.ids.has(id)) return selection
  const ids = new Set(selection.ids)
  ids.delete(id)
  return { ...selection, ids }
}
