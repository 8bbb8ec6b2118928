import type * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import { type FieldError, field } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import * as c from '../../store/rows/columns.ts'
import { type Change, changesOf, repeatedKeys } from '../../store/settings/changes.ts'
import { key } from '../../store/settings/fields.ts'
import { type Stored, settingsTable } from '../../store/settings/table.ts'
import { checkStages, StageSettings, stageSettings } from './settings.ts'

export const PipelineSettings = f.object({
  key,
  name: f.title,
  is_default: f.flag,
  stages: f.arrayOf(StageSettings),
})
export type PipelineSettings = v.InferOutput<typeof PipelineSettings>

export function checkPipelines(given: readonly PipelineSettings[]): FieldError[] {
  const errors = repeatedKeys(
    '/pipelines',
    given.map((pipeline) => pipeline.key),
  )
  const first = given.findIndex((pipeline) => pipeline.is_default)
  for (const [index, { is_default, stages }] of given.entries()) {
    if (is_default && index !== first) {
      const message = `must be false because "${given[first]?.key}" is the default pipeline, and only one can be`
      errors.push(field(`/pipelines/${index}/is_default`, 'second_default', message))
    }
    errors.push(...checkStages(`/pipelines/${index}/stages`, stages))
  }
  return errors
}

type Row = Stored & {
  key: string
  name: string
  is_default: boolean
  position: number
}

export const columns = c.columns<Row>({
  id: c.plain('id'),
  key: c.plain('key'),
  name: c.text('name'),
  is_default: c.bool('is_default'),
  position: c.integer('position'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

const FIELDS = ['name', 'is_default', 'position']

/** Call `apply` in a transaction. */
export function pipelineSettings(store: Pick<Store, 'db' | 'clock'>) {
  const { all, create, save, remove } = settingsTable(store, 'pipelines', columns, 'position')
  const stages = stageSettings(store)
  const dropDefault = store.db.prepare('UPDATE pipelines SET is_default = 0 WHERE org_id = ? AND is_default = 1')

  function show(org: number): PipelineSettings[] {
    return all(org).map(({ id, key, name, is_default }) => ({ key, name, is_default, stages: stages.show(org, id) }))
  }

  function apply(org: number, given: readonly PipelineSettings[]): Change[] {
    const before = all(org)
    const changes: Change[] = []
    for (const removed of before) {
      if (given.some((pipeline) => pipeline.key === removed.key)) continue
      changes.push(...stages.apply(org, removed, []))
      remove(org, removed.id)
      changes.push(...changesOf('pipelines', removed.key, removed, undefined, FIELDS))
    }
    // The unique index allows one default pipeline, and is checked after each statement.
    const stays = before.some(
      (old) => old.is_default && given.some(({ key, is_default }) => is_default && key === old.key),
    )
    if (!stays) dropDefault.run(org)
    for (const [position, { key, name, is_default, stages: wanted }] of given.entries()) {
      const existing = before.find((pipeline) => pipeline.key === key)
      const fields = { key, name, is_default, position }
      const after = existing ? save(org, existing, fields) : create(org, fields)
      changes.push(...changesOf('pipelines', key, existing, after, FIELDS))
      const isShownDifferently = existing?.name !== name || existing.is_default !== is_default
      changes.push(...stages.apply(org, after, wanted, isShownDifferently))
    }
    stages.rank(org)
    return changes
  }

  return { show, apply }
}
