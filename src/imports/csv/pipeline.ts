import { dealChoices, type PipelineChoice, type ReasonChoice, type StageChoice } from '../../crm/stages/deal-choices.ts'
import { fold } from '../../lib/fold.ts'
import { field, invalid, type Problem } from '../../lib/problem.ts'
import type { Outcome } from '../../settings/fields.ts'
import type { Database } from '../../store/driver.ts'

// Where a deal of a file stands: by the names of its pipeline and stage, by its status and by why it was closed.

export type Said = {
  pipeline?: string | undefined
  stage?: string | undefined
  status?: string | undefined
  reason?: string | undefined
}

/** How a deal gets there: created in the pipeline, then moved to an open stage, or closed. */
export type Way = { pipeline_id?: string; stage?: string; reason_id?: string }

const WORDS: Record<Outcome | 'open', string> = {
  open: 'open, offen, ouvert, ouverte, abierto, abierta, in progress',
  won: 'won, closed won, closedwon, gewonnen, gagne, gagnee, ganado, ganada',
  lost: 'lost, closed lost, closedlost, verloren, perdu, perdue, perdido, perdida',
}

function statusOf(text: string): Outcome | 'open' | undefined {
  const word = fold(text)
  return (['open', 'won', 'lost'] as const).find((status) => WORDS[status].split(', ').includes(word))
}

/** Settings are few: they are read once, and matched in memory. */
export function pipelineReader(db: Database, org: number): (said: Said) => Way {
  const { pipelines, stages, reasons } = dealChoices(db, org)

  function wayOf({ pipeline, stage, status, reason }: Said): Way {
    const into = pipeline === undefined ? undefined : named('/pipeline_id', 'pipeline', pipelines, pipeline)
    const at = stage === undefined ? undefined : stageNamed(stage, into)
    const outcome = outcomeOf(status, at)
    const start = into?.id ?? at?.pipeline_id
    const way: Way = start ? { pipeline_id: start } : {}
    if (outcome) return { ...way, reason_id: reasonFor(outcome, reason).id }
    if (reason !== undefined)
      throw invalid(field('/close_reason_id', 'not_closed', 'is for a deal that is won or lost'))
    return at ? { ...way, stage: at.id } : way
  }

  /** A stage of that pipeline, else of the default one, else the only one of that name. `Demo (Sales)` names both. */
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
    if (second) throw invalid(field('/stage', 'ambiguous', `is in several pipelines: "${text}"; give the pipeline too`))
    const here = stages.filter((each) => each.pipeline_id === (wanted ?? standard)?.id)
    throw noneOf('/stage', 'stage', text, here)
  }

  function outcomeOf(status: string | undefined, at: StageChoice | undefined): Outcome | undefined {
    const given = status === undefined ? undefined : statusOf(status)
    if (status !== undefined && !given) {
      throw invalid(field('/status', 'invalid_choice', `must be open, won or lost; "${status}" is none`))
    }
    if (at?.outcome && given && given !== at.outcome) {
      throw invalid(field('/status', 'contradiction', `is ${given}, but the stage "${at.name}" is for ${at.outcome}`))
    }
    return at?.outcome ?? (given === 'open' ? undefined : given)
  }

  /** The one that is named, else the first of the outcome. */
  function reasonFor(outcome: Outcome, text: string | undefined): ReasonChoice {
    const possible = reasons.filter((each) => each.outcome === outcome)
    if (text !== undefined) return named('/close_reason_id', `close reason for ${outcome}`, possible, text)
    const [first] = possible
    if (!first)
      throw invalid(field('/status', 'no_reason', `is ${outcome}, but there is no active close reason for that`))
    return first
  }

  return wayOf
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
  if (second) throw invalid(field(pointer, 'ambiguous', `could be several: "${text}"; give the key or the id`))
  if (!found) throw noneOf(pointer, what, text, items)
  return found
}

function noneOf(pointer: string, what: string, text: string, items: readonly { name: string }[]): Problem {
  const names = items.map(({ name }) => `"${name}"`).join(', ') || 'none'
  return invalid(
    field(pointer, 'reference_not_found', `is no ${what} of this organisation: "${text}"; there are ${names}`),
  )
}
