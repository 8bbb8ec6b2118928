import { dealChoices } from '../../crm/stages/deal-choices.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { readStage, readStatus, type StageMeaning } from '../stage-words.ts'
import { isBlank, unguarded } from './cells/values.ts'
import type { Mapping } from './columns/mapping.ts'
import type { Row } from './file/source.ts'
import { isNamed } from './pipeline.ts'
import { chosenFor, type StagesAs } from './stage-options.ts'

/**
 * A stage of the file that the organisation lacks, what its deals are taken for, and in how many rows it is. `stated`: its
 * name is not clear, and another column has the state of each of these deals.
 */
export type NewStage = { stage: string; as: StageMeaning | 'stated'; deals: number }

/** The most stages that are listed; a column with more is none of stages. */
const MAX_STAGES = 200

/** Collects the stages of the rows that the organisation lacks. */
export function newStages(db: Database, org: number, mapping: Mapping, as: StagesAs = {}) {
  const columnOf = (name: string) => mapping.find(({ field }) => field === name)?.column
  const [column, statusColumn] = [columnOf('stage'), columnOf('status')]
  const { pipelines, stages } = dealChoices(db, org)
  const all = new Map<string, NewStage>()
  const chosen = new Set<string>()

  /** Also as `Demo (Sales)`, with the name of its pipeline. */
  function isKnown(text: string): boolean {
    const [, inner = text, outer] = /^(.+) \((.+)\)$/.exec(text) ?? []
    const stem = outer !== undefined && pipelines.some((each) => isNamed(each, outer)) ? inner : text
    return stages.some((each) => isNamed(each, text) || isNamed(each, stem))
  }

  function addRow({ cells }: Row): void {
    const text = unguarded(String(cells[column ?? ''] ?? ''))
    if (column === undefined || isBlank(text)) return
    if (chosenFor(text, as)) chosen.add(text)
    else if (isKnown(text)) return
    const status = readStatus(unguarded(String(cells[statusColumn ?? ''] ?? '')))
    const { meaning } = readStage(text)
    const now = chosenFor(text, as) ?? (meaning === 'unclear' && status ? 'stated' : meaning)
    const before = all.get(text)
    if (!before && all.size === MAX_STAGES) return
    const isWorse = before?.as === 'stated' && now === 'unclear'
    all.set(text, { stage: text, as: before && !isWorse ? before.as : now, deals: (before?.deals ?? 0) + 1 })
  }

  return {
    addRow,
    found: (): NewStage[] => [...all.values()],
    /** The names given in options that no row has. */
    unused: (): string[] =>
      [as.won, as.lost, as.open].flatMap((names = []) =>
        names.filter((name) => ![...chosen].some((text) => chosenFor(text, { open: [name] }))),
      ),
  }
}
