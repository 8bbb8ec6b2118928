import { computed } from '@preact/signals'
import { boot, me } from '../../data/boot.ts'
import { dealFields } from '../../tables/deals/filter-fields.ts'
import { type Condition, type Filter, isCondition, ME } from '../../tables/filters/conditions.ts'
import { listAddress } from '../../tables/views/use-list-state.ts'
import { nameOfSort, type Sort, sortNamed } from './order.ts'

// What the address says of the list of deals, in both shapes.

const fieldKinds = computed(() => new Map(dealFields('').map(({ name, kind }) => [name, kind])))

const reading = computed(() => {
  const kinds = fieldKinds.value
  return { kindOf: (field: string) => kinds.get(field), more: ['pipeline', 'shape', 'columns'] }
})

export const address = computed(() => listAddress('deals', reading.value))

/** The pipeline that the address names, else the default one; undefined if there is none. */
export const pipeline = computed(() => {
  const { pipelines } = boot.value
  const named = pipelines.find(({ id }) => id === address.value.state.more.pipeline)
  return named ?? pipelines.find(({ is_default }) => is_default) ?? pipelines[0]
})

export const shape = computed((): 'board' | 'table' => {
  const { state, view } = address.value
  return (state.more.shape ?? view?.shape) === 'table' ? 'table' : 'board'
})

export const sort = computed((): Sort => sortNamed(address.value.state.sort))

export const changeSort = (next: Sort): Promise<void> => address.peek().change({ sort: nameOfSort(next) })

/** Other parts of the view stay. */
const changeMore = (name: 'pipeline' | 'shape', value: string | undefined): Promise<void> => {
  const { [name]: _, ...more } = address.peek().state.more
  return address.peek().change({ more: value === undefined ? more : { ...more, [name]: value } })
}

export const changePipeline = (id: string | undefined): Promise<void> => changeMore('pipeline', id)

/** The shape that a view remembers is written as the view has it, so that going there and back leaves it unchanged. */
export function changeShape(next: 'board' | 'table'): Promise<void> {
  const { view, saved } = address.peek()
  if (!view) return changeMore('shape', next === 'board' ? undefined : next)
  const own = saved?.more.shape ?? view.shape
  return changeMore('shape', next === own ? saved?.more.shape : next)
}

const isOfOwner = (part: Filter): part is Condition => isCondition(part) && part.field === 'owner_id'

const isMineCondition = (part: Filter): boolean =>
  isOfOwner(part) &&
  part.op === 'in' &&
  Array.isArray(part.value) &&
  part.value.length === 1 &&
  (part.value[0] === ME || part.value[0] === me.value.id)

export const isMine = computed(() => address.value.state.conditions.some(isMineCondition))

/** My deals only, or those of all. */
export function setMine(on: boolean): Promise<void> {
  const others = address.peek().state.conditions.filter((part) => !isOfOwner(part))
  const mine: Condition = { field: 'owner_id', op: 'in', value: [ME] }
  return address.peek().change({ conditions: on ? [mine, ...others] : others })
}
