import { PipelineSettings, pipelineSettings } from '../crm/stages/pipelines.ts'
import { checkStages, type StageSettings } from '../crm/stages/settings.ts'
import { stageRows } from '../crm/stages/stage-rows.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from '../lib/caller.ts'
import { invalid, notFound } from '../lib/problem.ts'
import { fold } from '../lib/pure/fold.ts'
import { validate } from '../lib/validate.ts'
import type { Stored } from '../store/rows/record-store.ts'
import type { Writes } from './writable.ts'

// Makes and removes the pipelines and stages that a file names, through the function that applies the settings.

type StageWrites = Record<'pipeline' | 'stage', Writes>

/** A pipeline is made with its first stage: `{ name, stage }`; a stage comes after the open ones: `{ pipeline_id, name }`. */
export function stageWrites({ db, clock }: Pick<Deps, 'db' | 'clock'>): StageWrites {
  const { pipelineOf, pipelineWith, stageOf, stageWith } = stageRows(db)
  const settings = pipelineSettings({ db, clock })

  const found = (row: unknown): Stored => {
    if (!row) throw notFound()
    return row as Stored
  }
  const keyOf = (who: Caller, id: unknown): string => found(pipelineOf.get(who.org, id)).key as string

  /** Applies the pipelines with other stages in one of them. Throws 409 for a stage in use, and 422. */
  function setStages(who: Caller, key: string, change: (stages: StageSettings[]) => StageSettings[]): void {
    const all = settings.show(who.org)
    for (const pipeline of all) if (pipeline.key === key) pipeline.stages = change(pipeline.stages)
    apply(who, all)
  }

  function apply(who: Caller, all: readonly PipelineSettings[]): void {
    const errors = all.flatMap(({ stages }) => checkStages('/stages', stages))
    if (errors.length > 0) throw invalid(...errors)
    settings.apply(
      who.org,
      all.map((each) => validate(PipelineSettings, each)),
    )
  }

  const pipeline: Partial<Writes> = {
    create(who, { name, stage }) {
      const all = settings.show(who.org)
      const key = freeKey(name as string, all)
      const stages = [
        { key: freeKey(stage as string, ENDS), name: stage as string },
        { key: 'won', name: 'Won', outcome: 'won' as const },
        { key: 'lost', name: 'Lost', outcome: 'lost' as const },
      ]
      apply(who, [...all, { key, name: name as string, is_default: false, stages }])
      return found(pipelineWith.get(who.org, key))
    },
    find: (who, id) => found(pipelineOf.get(who.org, id)),
    remove: (who, { key }) =>
      apply(
        who,
        settings.show(who.org).filter((each) => each.key !== key),
      ),
  }

  const stage: Partial<Writes> = {
    create(who, { pipeline_id, name }) {
      const pipelineKey = keyOf(who, pipeline_id)
      let key = ''
      setStages(who, pipelineKey, (stages) => {
        key = freeKey(name as string, stages)
        const open = stages.findLastIndex(({ outcome }) => outcome === undefined) + 1
        return stages.toSpliced(open, 0, { key, name: name as string })
      })
      return found(stageWith.get(who.org, pipeline_id, key))
    },
    find: (who, id) => found(stageOf.get(who.org, id)),
    remove: (who, { key, pipeline_id }) =>
      setStages(who, keyOf(who, pipeline_id), (stages) => stages.filter((each) => each.key !== key)),
  }

  return { pipeline: { ...NEVER, ...pipeline } as Writes, stage: { ...NEVER, ...stage } as Writes }
}

const never = (): never => {
  throw new Error('an import does not change stages')
}
const NEVER: Pick<Writes, 'check' | 'patch'> = { check: never, patch: never }

const ENDS = [{ key: 'won' }, { key: 'lost' }]
const MAX_KEY = 60

/** Returns a key for the settings that is like the name: `Contract sent` → `contract-sent`, or contract-sent-2. */
function freeKey(name: string, others: readonly { key: string }[]): string {
  const plain =
    fold(name)
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, MAX_KEY)
      .replace(/^-|-$/g, '') || 'stage'
  let key = plain
  for (let count = 2; others.some((other) => other.key === key); count++) key = `${plain}-${count}`
  return key
}
