import { usage } from '../../lib/problem.ts'
import { fold } from '../../lib/pure/fold.ts'
import type { Outcome } from '../../store/settings/fields.ts'

// --won-stage, --lost-stage and --open-stage: what a stage of the file is taken for, where its name does not say it.

type As = Outcome | 'open'
export type StagesAs = { readonly [each in As]?: readonly string[] }

/** The code of the refusal of a stage that may be won or lost. Without it, a closed deal would come in as an open one. */
export const UNCLEAR_STAGE = 'unclear_stage'

const ALL = ['won', 'lost', 'open'] as const

export const chosenFor = (name: string, as: StagesAs): As | undefined =>
  ALL.find((each) => as[each]?.some((chosen) => fold(chosen.trim()) === fold(name)))

/** Throws a usage Problem for a stage that is given as two things. Returns undefined if none is given. */
export function checkStagesAs(as: StagesAs): StagesAs | undefined {
  const names = ALL.flatMap((each) => as[each] ?? [])
  const twice = names.find((name) => ALL.filter((each) => chosenFor(name, { [each]: as[each] ?? [] })).length > 1)
  if (twice !== undefined)
    throw usage(`The stage "${twice}" can be only one of --won-stage, --lost-stage and --open-stage.`)
  return names.length > 0 ? as : undefined
}
