import type * as v from 'valibot'
import type { Deps } from '../../deps.ts'
import type { Route } from '../../http/route.ts'
import { standardRoutes } from '../../http/standard.ts'
import * as f from '../../lib/fields.ts'
import type { Filter } from '../../store/list/conditions.ts'
import { listing } from '../../store/list/page.ts'
import * as c from '../../store/rows/columns.ts'
import { finder } from '../../store/rows/find.ts'
import type { Stored } from '../../store/settings/table.ts'

// Stages are settings: the API reads them, and the settings document writes them (settings.ts).

// 1. The wire form.

export const Stage = f.doc(
  f.object({
    id: f.id,
    name: f.doc(f.title, 'Display name, for example "Proposal".'),
    position: f.doc(f.count(), 'Position in the pipeline, starting at 0.'),
    is_open: f.doc(f.flag, 'Whether the stage is for open deals; false for the won and the lost stage.'),
    outcome: f.doc(f.nullable(f.oneOf(['won', 'lost'])), 'Outcome of the deals in this stage; null for an open stage.'),
    probability: f.doc(f.count(100), 'Probability that a deal in this stage is won, in percent, for example 40.'),
    pipeline_id: f.doc(f.id, 'The pipeline of the stage.'),
    pipeline_name: f.doc(f.title, 'Display name of the pipeline, for example "Sales".'),
    pipeline_is_default: f.doc(f.flag, 'Whether new deals start in this pipeline.'),
    ...f.recordFields,
  }),
  'A stage is one step of a pipeline. Stages are listed by pipeline, the default pipeline first, and then by position.',
)
export type Stage = v.InferOutput<typeof Stage>

const filters: Record<string, Filter> = {
  pipeline_id: { type: 'id', indexed: false },
  is_open: { type: 'flag', indexed: false },
}

// 2. The row.

export const FROM = 'stages JOIN pipelines ON pipelines.org_id = stages.org_id AND pipelines.id = stages.pipeline_id'

/** Includes columns that the API does not return. */
export type StageRow = Stored & {
  pipeline_id: string
  key: string
  name: string
  position: number
  rank: number
  outcome: Stage['outcome']
  probability: number
}

export const rowColumns = c.columns<StageRow>({
  id: c.plain('id'),
  pipeline_id: c.plain('pipeline_id'),
  key: c.plain('key'),
  name: c.text('name'),
  position: c.integer('position'),
  rank: c.integer('rank'),
  outcome: c.plain('outcome'),
  probability: c.integer('probability'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

export const columns = c.only<Stage>(
  rowColumns,
  Object.keys(Stage.entries),
  {
    is_open: c.bool('stages.is_open'),
    pipeline_name: c.text('pipelines.name'),
    pipeline_is_default: c.bool('pipelines.is_default'),
  },
  'stages',
)

// 3. The statements.

/** The default pipeline first, then by position: `rank` numbers all stages of an org. */
const order = { sort: { column: 'rank' }, descending: false }

export function stageStore({ db }: Pick<Deps, 'db'>) {
  const { list } = listing(db, { table: 'stages', from: FROM, columns, filters, sorts: {}, order })
  const find = finder(db, 'stages', columns, FROM)

  return { list, find }
}

// 4. The routes.

export const stages = (deps: Deps): Route[] =>
  standardRoutes({
    path: '/stages',
    scope: 'rest.crm.stages',
    name: 'stage',
    Shape: Stage,
    columns,
    filters,
    sorts: {},
    order,
    ...stageStore(deps),
  })
