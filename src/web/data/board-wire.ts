import type { BoardRow } from './board-row.ts'
import type { Task } from './types.ts'

// The rows of the board as the server sends them: a list for each member instead of an object for each row, and each company,
// owner and stage once. Ids are random and cannot be compressed: they are most of what is sent.

/** Ids without their hyphens, one after the other. */
type Ids = string
/** For each row the place of its value in `values`. */
type Picked<Values> = { values: Values; at: (number | null)[] }

export type BoardAnswer = {
  seq: number
  is_complete: boolean
  ids: Ids
  titles: string[]
  amounts: (number | null)[]
  currencies: Picked<string[]>
  stages: Picked<Ids>
  companies: Picked<Ids> & { names: (string | null)[] }
  owners: Picked<Ids>
  close_dates: Picked<string[]>
  /** Milliseconds, as all times here. */
  stage_changed_at: number[]
  /** How much later than `stage_changed_at`. */
  last_activity_after: number[]
  /** `at` are places in these lists. */
  tasks: { at: (number | null)[]; ids: Ids; titles: string[]; types: Picked<Task['type'][]>; due_at: (number | null)[] }
  tag_ids: Picked<string[][]>
  versions: number[]
}

const ID = 32

function idAt(ids: Ids, at: number): string {
  const hex = ids.slice(at * ID, (at + 1) * ID)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The rows of an answer. Equal ids of companies, owners and stages are the same string. */
export function boardRows(answer: BoardAnswer): BoardRow[] {
  const { ids, titles, amounts, currencies, close_dates, stage_changed_at, last_activity_after, tag_ids } = answer
  const stages = textsOf(answer.stages.values)
  const owners = textsOf(answer.owners.values)
  const companies = textsOf(answer.companies.values)
  return titles.map((title, index): BoardRow => {
    const company = answer.companies.at[index] ?? null
    const changed = stage_changed_at[index] as number
    return {
      id: idAt(ids, index),
      title,
      amount: amounts[index] ?? null,
      currency: valueAt(currencies.values, currencies.at[index]),
      stage_id: valueAt(stages, answer.stages.at[index]) as string,
      company_id: valueAt(companies, company),
      company_name: valueAt(answer.companies.names, company),
      owner_id: valueAt(owners, answer.owners.at[index]),
      expected_close_date: valueAt(close_dates.values, close_dates.at[index]),
      stage_changed_at: changed,
      last_activity_at: changed + (last_activity_after[index] as number),
      next_task: taskAt(answer.tasks, answer.tasks.at[index] ?? null),
      tag_ids: valueAt(tag_ids.values, tag_ids.at[index]) ?? [],
      version: answer.versions[index] as number,
    }
  })
}

const textsOf = (ids: Ids): string[] => Array.from({ length: ids.length / ID }, (_, at) => idAt(ids, at))

const valueAt = <T>(values: readonly T[], at: number | null | undefined): T | null =>
  at === null || at === undefined ? null : (values[at] as T)

function taskAt({ ids, titles, types, due_at }: BoardAnswer['tasks'], at: number | null): BoardRow['next_task'] {
  if (at === null) return null
  const type = valueAt(types.values, types.at[at]) as Task['type']
  return { id: idAt(ids, at), title: titles[at] as string, type, due_at: due_at[at] ?? null }
}
