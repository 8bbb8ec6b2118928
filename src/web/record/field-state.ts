import { computed, type ReadonlySignal } from '@preact/signals'
import type { FieldState } from '../components/fields/field.ts'
import { type Property, shownValue } from '../components/properties/properties.ts'
import { fieldState, type Kind, type Rec, record, useMine, useTheirs } from '../data/records.ts'
import type { Fields } from '../data/types.ts'
import { valueAt } from '../data/values.ts'

/** How a change of a property stands. One that consists of several fields is shown and decided as one. */
export function propertyState(kind: Kind, id: string, property: Property): ReadonlySignal<FieldState> {
  const { paths } = property
  const states = paths.map((path) => fieldState(kind, id, path))
  const view = record(kind, id) as unknown as ReadonlySignal<Rec | null | undefined>
  return computed((): FieldState => {
    const found = states.map((state) => state.value)
    const clashes = found.filter((each) => each?.state === 'conflict')
    // Of several fields, one may have been set by somebody whom the page has heard of.
    const first = clashes.find(({ by }) => by !== null) ?? clashes[0] ?? found.find((each) => each !== undefined)
    if (!first || (first.state !== 'conflict' && first.state !== 'refused')) return first
    const mine = found.flatMap((each, index) =>
      each && 'mine' in each ? [[paths[index] ?? '', each.mine] as const] : [],
    )
    const shown = { ...first, mine: shownValue(laidOver(view.value ?? {}, mine), property) }
    return first.state === 'conflict'
      ? { ...(shown as typeof first), theirs: shownValue(view.value ?? {}, property) }
      : shown
  })
}

/** The record with values at paths. */
function laidOver(record: Fields, values: readonly (readonly [string, unknown])[]): Fields {
  const after: Fields = { ...record }
  for (const [path, value] of values) {
    const [name = '', member] = path.split('.')
    after[name] = member === undefined ? value : { ...(after[name] as Fields | null), [member]: value }
  }
  return after
}

const inConflict = (kind: Kind, id: string, { paths }: Property): string[] =>
  paths.filter((path) => {
    const state = fieldState(kind, id, path).peek()?.state
    return state === 'conflict' || state === 'refused'
  })

export function takeMine(kind: Kind, id: string, property: Property): void {
  // A refusal says so at the field.
  useMine(kind, id, ...inConflict(kind, id, property)).catch(() => undefined)
}

export function takeTheirs(kind: Kind, id: string, property: Property): void {
  for (const path of inConflict(kind, id, property)) useTheirs(kind, id, path)
}

/** Whether the record has a value there, so that seldom used properties can stay away until they are needed. */
export const hasValue = (record: Rec, { paths }: Property): boolean =>
  paths.some((path) => {
    const value = valueAt(record, path)
    return value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
  })
