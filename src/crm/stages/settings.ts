import type * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import { conflict, type FieldError, field } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { type Change, changesOf, repeatedKeys } from '../../store/settings/changes.ts'
import { key, outcome } from '../../store/settings/fields.ts'
import { type Stored, settingsTable } from '../../store/settings/table.ts'
import { rowColumns, type StageRow } from './stages.ts'

// The stages of a pipeline, which the document nests inside the pipeline.

export const StageSettings = f.object({
  key,
  name: f.title,
  probability: f.optional(f.count(100)),
  outcome: f.optional(outcome),
})
export type StageSettings = v.InferOutput<typeof StageSettings>

export function checkStages(pointer: string, given: readonly StageSettings[]): FieldError[] {
  const errors = repeatedKeys(
    pointer,
    given.map((stage) => stage.key),
  )
  if (given.every((stage) => stage.outcome !== undefined)) {
    errors.push(
      field(pointer, 'no_open_stage', 'must have at least one open stage, which is a stage without an outcome'),
    )
  }
  for (const outcome of ['won', 'lost'] as const) {
    const [first, ...more] = [...given.keys()].filter((index) => given[index]?.outcome === outcome)
    if (first === undefined) {
      errors.push(field(pointer, `no_${outcome}_stage`, `must have a stage with the outcome "${outcome}"`))
    }
    for (const index of more) {
      const message = `must not be "${outcome}" again: a pipeline has exactly one such stage`
      errors.push(field(`${pointer}/${index}/outcome`, `second_${outcome}_stage`, message))
    }
  }
  return errors
}

const FIELDS = ['name', 'position', 'outcome', 'probability']

export function stageSettings(store: Pick<Store, 'db' | 'clock'>) {
  const { db } = store
  const { all, create, save, removeUnused } = settingsTable(store, 'stages', rowColumns, 'position')
  const dealsIn = db.prepare('SELECT count(*) FROM deals WHERE org_id = ? AND stage_id = ?').pluck()
  const open = db.prepare('UPDATE stages SET outcome = NULL WHERE org_id = ? AND id = ?')
  const setRanks = db.prepare(
    `UPDATE stages SET rank = place.rank
     FROM (
       SELECT stages.id, row_number() OVER (ORDER BY is_default DESC, pipelines.position, stages.position) - 1 AS rank
       FROM stages JOIN pipelines ON pipelines.org_id = stages.org_id AND pipelines.id = stages.pipeline_id
       WHERE stages.org_id = @org
     ) AS place
     WHERE stages.org_id = @org AND stages.id = place.id AND stages.rank <> place.rank`,
  )

  const ofPipeline = (org: number, pipelineId: string): StageRow[] =>
    all(org).filter(({ pipeline_id }) => pipeline_id === pipelineId)

  function show(org: number, pipelineId: string): StageSettings[] {
    return ofPipeline(org, pipelineId).map(({ key, name, probability, outcome }) => ({
      key,
      name,
      probability,
      ...(outcome ? { outcome } : {}),
    }))
  }

  /** A stage shows the name and default flag of its pipeline: with `isShownDifferently`, it gets a new version. */
  function apply(
    org: number,
    pipeline: { id: string; key: string },
    given: readonly StageSettings[],
    isShownDifferently = false,
  ): Change[] {
    const before = ofPipeline(org, pipeline.id)
    const path = (key: string) => `${pipeline.key}/${key}`
    const changes: Change[] = []
    for (const removed of before) {
      if (given.some((stage) => stage.key === removed.key)) continue
      remove(org, removed, path(removed.key))
      changes.push(...changesOf('pipelines', path(removed.key), removed, undefined, FIELDS))
    }
    const wanted = given.map((stage, position) => ({
      pipeline_id: pipeline.id,
      key: stage.key,
      name: stage.name,
      position,
      outcome: stage.outcome ?? null,
      probability: stage.probability ?? defaultProbability(given, position),
    }))
    const existing = new Map(before.map((stage) => [stage.key, stage]))
    for (const { key, outcome } of wanted) {
      const stage = existing.get(key)
      if (stage && stage.outcome !== outcome) clearOutcome(org, stage, path(key))
    }
    for (const fields of wanted) {
      const stage = existing.get(fields.key)
      const after = stage ? write(org, stage, fields, isShownDifferently) : create(org, { ...fields, rank: 0 })
      changes.push(...changesOf('pipelines', path(fields.key), stage, after, FIELDS))
    }
    return changes
  }

  function remove(org: number, { id }: StageRow, path: string): void {
    checkEmpty(org, id, `The stage "${path}" cannot be removed`)
    if (removeUnused(org, id)) return
    throw conflict(
      'stage_in_use',
      `The stage "${path}" cannot be removed because deals have been in it. Keep it in the document.`,
    )
  }

  /** Call this before setting outcomes: two stages of a pipeline must never have the same one. */
  function clearOutcome(org: number, { id }: StageRow, path: string): void {
    checkEmpty(org, id, `The stage "${path}" cannot change between open, won and lost`)
    open.run(org, id)
  }

  function write(
    org: number,
    stage: StageRow,
    fields: Omit<StageRow, 'rank' | keyof Stored>,
    isShownDifferently: boolean,
  ): StageRow {
    if (stage.outcome === fields.outcome) return save(org, stage, fields, isShownDifferently)
    return save(org, { ...stage, outcome: null }, fields, true) // `clearOutcome` set it to null
  }

  function checkEmpty(org: number, id: string, sentence: string): void {
    const deals = dealsIn.get(org, id) as number
    if (deals === 0) return
    throw conflict(
      'stage_in_use',
      `${sentence} because ${deals === 1 ? 'one deal is' : `${deals} deals are`} in it. Move the deals to another stage first.`,
    )
  }

  /** Numbers all stages of an org: the default pipeline first, then by pipeline and position. */
  const rank = (org: number): void => void setRanks.run({ org })

  return { show, apply, rank }
}

/** Returns 100 for won, 0 for lost, and even steps in between for the open stages. */
function defaultProbability(stages: readonly StageSettings[], position: number): number {
  const { outcome } = stages[position] as StageSettings
  if (outcome) return outcome === 'won' ? 100 : 0
  const isOpen = (stage: StageSettings) => stage.outcome === undefined
  const openUpToHere = stages.slice(0, position + 1).filter(isOpen).length
  return Math.round((100 * openUpToHere) / (stages.filter(isOpen).length + 1))
}
