import { dealChoices, type PipelineChoice, type StageChoice } from '../../crm/stages/deal-choices.ts'
import { field, invalid, type Problem } from '../../lib/problem.ts'
import { fold } from '../../lib/pure/fold.ts'
import type { Outcome } from '../../store/settings/fields.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { readStage, readStatus } from '../stage-words.ts'
import { chosenFor, type StagesAs, UNCLEAR_STAGE } from './stage-options.ts'

// Resolves the stage of an imported deal from the names of its pipeline and stage, its status and its close reason.

export type StageTexts = {
  pipeline?: string | undefined
  stage?: string | undefined
  status?: string | undefined
  reason?: string | undefined
}

/**
 * How to bring a deal there: create it in the pipeline, then move it to an open stage, or close it. `outcome` is that of
 * the reason.
 */
export type StagePath = {
  pipeline_id?: string
  stage?: string
  outcome?: Outcome
  reason_id?: string
  /** The part of the stage's name that the deal does not get. */
  remark?: string
}

/** Makes what the organisation lacks; without it, that is refused. */
export type MakeStages = {
  pipeline: (pointer: string, given: { name: string; stage: string }) => void
  stage: (pointer: string, given: { pipeline_id: string; name: string }) => void
}

type Options = {
  make?: MakeStages | undefined
  /** What the stages with these names are taken for, whatever they are called. */
  stagesAs?: StagesAs | undefined
}

type Before = { status: string; stage: string; close_reason_id: string | null }

/** Reads the settings once, since they are few, and matches in memory. */
export function pipelineReader(db: Database, org: number, options: Options = {}) {
  const { make, stagesAs = {} } = options
  let { pipelines, stages, reasons } = dealChoices(db, org)
  let isChanged = false

  /** Reads the settings again after something was made, or was rolled back. */
  function refresh(): void {
    const now = dealChoices(db, org)
    pipelines = now.pipelines
    stages = now.stages
    reasons = now.reasons
  }

  function made(job: () => void): void {
    isChanged = true
    job()
    refresh()
  }

  /** Throws Problem 422 for the first text that fits nothing. */
  function pathOf({ pipeline, stage, status, reason }: StageTexts): StagePath {
    const stated = status === undefined ? undefined : statusNamed(status)
    const into = pipeline === undefined ? undefined : pipelineNamed(pipeline, stage)
    const at = stage === undefined ? undefined : stageNamed(stage, into, stated)
    const outcome = outcomeOf(stated, at)
    const start = into?.id ?? at?.pipeline_id
    const path: StagePath = start ? { pipeline_id: start } : {}
    if (outcome) {
      return { ...path, outcome, ...reasonFor(outcome, reason, stage) }
    }
    if (reason !== undefined)
      throw invalid(field('/close_reason_id', 'not_closed', 'must be omitted unless the deal is won or lost'))
    return at ? { ...path, stage: at.id } : path
  }

  /**
   * Returns what has to change in an existing deal: the stage that it moves to, and the reason that it is closed with.
   * Throws Problem 422 for a closed deal that would have to change.
   */
  function changeOf(
    before: Before,
    path: StagePath,
    { status, stage, reason }: StageTexts,
  ): Pick<StagePath, 'stage' | 'reason_id'> {
    if (before.status !== 'open') {
      const wanted = path.outcome ?? (stage === undefined && status === undefined ? undefined : 'open')
      const pointer = status === undefined ? '/stage' : '/status'
      if (wanted && wanted !== before.status)
        throw invalid(field(pointer, 'deal_closed', `is ${wanted}, but the deal is closed as ${before.status}`))
      if (reason !== undefined && path.reason_id !== before.close_reason_id)
        throw invalid(field('/close_reason_id', 'deal_closed', 'cannot change, because the deal is closed'))
      return {}
    }
    const here = stages.find(({ id }) => id === before.stage)?.pipeline_id
    const isElsewhere = path.pipeline_id !== undefined && path.pipeline_id !== here
    const first = stages.find((each) => each.pipeline_id === path.pipeline_id && each.outcome === null)?.id
    const to = path.stage ?? (isElsewhere ? first : undefined)
    return {
      ...(to && to !== before.stage ? { stage: to } : {}),
      ...(path.reason_id ? { reason_id: path.reason_id } : {}),
    }
  }

  /** HubSpot names its first pipeline `default`. */
  function pipelineNamed(text: string, stage: string | undefined): PipelineChoice {
    const isKnown = pipelines.some((each) => isNamed(each, text))
    const standard = pipelines.find((each) => each.is_default === 1)
    if (!isKnown && standard && fold(text) === 'default') return standard
    if (make && !isKnown) {
      const isOpen = stage !== undefined && (chosenFor(stage, stagesAs) ?? readStage(stage).meaning) === 'open'
      const first = isOpen ? stage : 'Open'
      made(() => make.pipeline('/pipeline_id', { name: text, stage: first }))
    }
    return named('/pipeline_id', 'pipeline', pipelines, text)
  }

  /**
   * Returns the stage in that pipeline, else in the default one, else the only one with that name. `Demo (Sales)` names
   * both. Other programs call the stage of won deals `Closed Won`.
   */
  function stageNamed(
    text: string,
    pipeline: PipelineChoice | undefined,
    stated: Outcome | 'open' | undefined,
  ): StageChoice {
    const [, inner, outer = ''] = /^(.+) \((.+)\)$/.exec(text) ?? []
    const both = inner === undefined ? undefined : pipelines.find((each) => isNamed(each, outer))
    const stem = both && !stages.some((each) => isNamed(each, text)) ? (inner as string) : text
    const wanted = pipeline ?? (stem === text ? undefined : both)
    const standard = pipelines.find((each) => each.is_default === 1)
    const within = wanted ?? standard

    function search(): StageChoice | undefined {
      const found = stages.filter((each) => isNamed(each, stem) && (!wanted || each.pipeline_id === wanted.id))
      const [first, second] = found
      const chosen = found.find((each) => each.pipeline_id === standard?.id)
      if (chosen || !second) return chosen ?? first
      throw invalid(field('/stage', 'ambiguous', `is in several pipelines: "${text}"; specify the pipeline, too`))
    }
    const forced = chosenFor(text, stagesAs) ?? chosenFor(stem, stagesAs)
    const found = forced === 'won' || forced === 'lost' ? undefined : search()
    if (found) return found
    const meaning = forced ?? readStage(text).meaning
    // The state of a deal says how it ended where its stage leaves that open.
    const outcome = meaning === 'unclear' ? stated : meaning
    const closing = stages.find((each) => each.pipeline_id === within?.id && each.outcome === outcome)
    if (closing) return closing
    const here = stages.filter((each) => each.pipeline_id === within?.id)
    if (!make || !within) throw noneOf('/stage', 'stage', text, here)
    if (outcome === undefined) throw unclear(text)
    made(() => make.stage('/stage', { pipeline_id: within.id, name: stem }))
    return search() as StageChoice
  }

  function statusNamed(text: string): Outcome | 'open' {
    const stated = readStatus(text)
    if (stated) return stated
    throw invalid(field('/status', 'invalid_choice', `must be open, won or lost, not "${text}"`))
  }

  function outcomeOf(stated: Outcome | 'open' | undefined, at: StageChoice | undefined): Outcome | undefined {
    if (at?.outcome && stated && stated !== at.outcome) {
      throw invalid(field('/status', 'contradiction', `is ${stated}, but the stage "${at.name}" is for ${at.outcome}`))
    }
    return at?.outcome ?? (stated === 'open' ? undefined : stated)
  }

  /** Returns the named reason, else the one that the name of the stage ends with, else the first one for the outcome. */
  function reasonFor(
    outcome: Outcome,
    text: string | undefined,
    stage: string | undefined,
  ): Required<Pick<StagePath, 'reason_id'>> & Pick<StagePath, 'remark'> {
    const possible = reasons.filter((each) => each.outcome === outcome)
    if (text !== undefined)
      return { reason_id: named('/close_reason_id', `close reason for ${outcome}`, possible, text).id }
    const [first] = possible
    if (!first)
      throw invalid(field('/status', 'no_reason', `is ${outcome}, but there is no active close reason for that`))
    const { meaning, rest } = readStage(stage ?? '')
    const isOwn = stages.some((each) => isNamed(each, stage ?? ''))
    if (meaning !== outcome || rest === '' || isOwn) return { reason_id: first.id }
    const said = possible.find((each) => isNamed(each, rest) || isNamed(each, rest.replace(/^\S+\s+/, '')))
    if (said) return { reason_id: said.id }
    const remark = `is taken as ${outcome} with the reason "${first.name}", since there is no close reason "${rest}"`
    return { reason_id: first.id, remark }
  }

  /** Call this when a transaction begins, and after a rollback. */
  function forget(): void {
    if (isChanged) refresh()
  }

  return { pathOf, changeOf, forget }
}

const unclear = (text: string): Problem =>
  invalid(
    field(
      '/stage',
      UNCLEAR_STAGE,
      `may be won, lost or open: "${text}"; use --won-stage, --lost-stage or --open-stage with that name`,
    ),
  )

export const isNamed = ({ id, key, name }: { id: string; key: string; name: string }, text: string): boolean =>
  id === text || fold(name) === fold(text) || key === text || internal(name) === text

/** HubSpot's own name of a stage: `Contract Sent` → `contractsent`. */
const internal = (name: string): string => fold(name).replace(/[^\p{L}\p{N}]+/gu, '')

function named<Item extends { id: string; key: string; name: string }>(
  pointer: string,
  what: string,
  items: readonly Item[],
  text: string,
): Item {
  const [found, second] = items.filter((each) => isNamed(each, text))
  if (second) throw invalid(field(pointer, 'ambiguous', `matches several: "${text}"; use the key or the id`))
  if (!found) throw noneOf(pointer, what, text, items)
  return found
}

function noneOf(pointer: string, what: string, text: string, items: readonly { name: string }[]): Problem {
  const names = items.map(({ name }) => `"${name}"`).join(', ') || 'none'
  return invalid(
    field(
      pointer,
      'reference_not_found',
      `does not match any ${what} of this organisation: "${text}"; use one of ${names}`,
    ),
  )
}
