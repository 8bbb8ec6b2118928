import { dealChoices, type PipelineChoice, type ReasonChoice, type StageChoice } from '../../crm/stages/deal-choices.ts'
import { fold } from '../../lib/fold.ts'
import { field, invalid, type Problem } from '../../lib/problem.ts'
import type { Outcome } from '../../settings/fields.ts'
import type { Database } from '../../store/driver.ts'

// Resolves the stage of an imported deal from the names of its pipeline and stage, its status and its close reason.

export type StageTexts = {
  pipeline?: string | undefined
  stage?: string | undefined
  status?: string | undefined
  reason?: string | undefined
}

/** How to bring a deal there: create it in the pipeline, then move it to an open stage or close it. */
export type StagePath = { pipeline_id?: string; stage?: string; reason_id?: string }

const WORDS: Record<Outcome | 'open', string> = {
  open: 'open, offen, ouvert, ouverte, abierto, abierta, in progress',
  won: 'won, closed won, closedwon, gewonnen, gagne, gagnee, ganado, ganada',
  lost: 'lost, closed lost, closedlost, verloren, perdu, perdue, perdido, perdida',
}

function statusOf(text: string): Outcome | 'open' | undefined {
  const word = fold(text)
  return (['open', 'won', 'lost'] as const).find((status) => WORDS[status].split(', ').includes(word))
}

/** Reads the settings once, since they are few, and matches in memory. */
export function pipelineReader(db: Database, org: number): (texts: StageTexts) => StagePath {
  const { pipelines, stages, reasons } = dealChoices(db, org)

  function pathOf({ pipeline, stage, status, reason }: StageTexts): StagePath {
    const into = pipeline === undefined ? undefined : named('/pipeline_id', 'pipeline', pipelines, pipeline)
    const at = stage === undefined ? undefined : stageNamed(stage, into)
    const outcome = outcomeOf(status, at)
    const start = into?.id ?? at?.pipeline_id
    const path: StagePath = start ? { pipeline_id: start } : {}
    if (outcome) return { ...path, reason_id: reasonFor(outcome, reason).id }
    if (reason !== undefined)
      throw invalid(field('/close_reason_id', 'not_closed', 'must be omitted unless the deal is won or lost'))
    return at ? { ...path, stage: at.id } : path
  }

  /**
   * Returns the stage in that pipeline, else in the default one, else the only one with that name. `Demo (Sales)` names
   * both.
   */
  function stageNamed(text: string, pipeline: PipelineChoice | undefined): StageChoice {
    const [, inner, outer = ''] = /^(.+) \((.+)\)$/.exec(text) ?? []
    const both = inner === undefined ? undefined : pipelines.find((each) => isNamed(each, outer))
    const stem = both && !stages.some((each) => isNamed(each, text)) ? (inner as string) : text
    const wanted = pipeline ?? (stem === text ? undefined : both)
    const found = stages.filter((each) => isNamed(each, stem) && (!wanted || each.pipeline_id === wanted.id))
    const standard = pipelines.find((each) => each.is_default === 1)
    const [first, second] = found
    const chosen = found.find((each) => each.pipeline_id === standard?.id) ?? (second ? undefined : first)
    if (chosen) return chosen
    if (second)
      throw invalid(field('/stage', 'ambiguous', `is in several pipelines: "${text}"; specify the pipeline, too`))
    const here = stages.filter((each) => each.pipeline_id === (wanted ?? standard)?.id)
    throw noneOf('/stage', 'stage', text, here)
  }

  function outcomeOf(status: string | undefined, at: StageChoice | undefined): Outcome | undefined {
    const stated = status === undefined ? undefined : statusOf(status)
    if (status !== undefined && !stated) {
      throw invalid(field('/status', 'invalid_choice', `must be open, won or lost, not "${status}"`))
    }
    if (at?.outcome && stated && stated !== at.outcome) {
      throw invalid(field('/status', 'contradiction', `is ${stated}, but the stage "${at.name}" is for ${at.outcome}`))
    }
    return at?.outcome ?? (stated === 'open' ? undefined : stated)
  }

  /** Returns the named reason, else the first one for the outcome. */
  function reasonFor(outcome: Outcome, text: string | undefined): ReasonChoice {
    const possible = reasons.filter((each) => each.outcome === outcome)
    if (text !== undefined) return named('/close_reason_id', `close reason for ${outcome}`, possible, text)
    const [first] = possible
    if (!first)
      throw invalid(field('/status', 'no_reason', `is ${outcome}, but there is no active close reason for that`))
    return first
  }

  return pathOf
}

const isNamed = ({ id, key, name }: { id: string; key: string; name: string }, text: string): boolean =>
  id === text || fold(name) === fold(text) || key === text

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
