import { sayFailed } from '../components/say-failed.ts'
import { showToast } from '../components/toast.tsx'
import { boot } from '../data/boot.ts'
import { act, patch } from '../data/records.ts'
import type { Deal, Stage } from '../data/types.ts'
import { asStep } from '../data/writes.ts'
import { texts } from './texts.ts'

export type Outcome = 'won' | 'lost'

/** The open stages of the pipeline in which a deal is. */
export function stagesFor(deal: Deal): (Stage & { usual_days: number | null })[] {
  const { stages } = boot.value
  const own = stages.find(({ id }) => id === deal.stage)
  return stages.filter((each) => each.is_open && each.pipeline_id === own?.pipeline_id)
}

/** Moves a deal to another stage at once; the toast takes it back. */
export function moveDeal(deal: Deal, stage: { id: string; name: string }): void {
  if (stage.id === deal.stage || deal.status !== 'open') return
  const { moved, notMoved } = texts().stepper
  const step = asStep(() => {
    patch('deals', deal.id, { stage: stage.id }).catch((error) => sayFailed(notMoved(deal.title), error))
  })
  showToast({ text: moved(deal.title, stage.name), step })
}

/** Moves a deal by a number of stages, and stops at the ends. */
export function stepDeal(deal: Deal, step: number): void {
  const stages = stagesFor(deal)
  const at = stages.findIndex(({ id }) => id === deal.stage)
  const next = stages[Math.max(0, Math.min(stages.length - 1, at + step))]
  if (next) moveDeal(deal, next)
}

export const reasonsFor = (outcome: Outcome) =>
  boot.value.close_reasons.filter((reason) => reason.outcome === outcome && reason.is_active)

/** Closes a deal for a reason. The toast opens it again, into the stage that it had. */
export function closeDeal(deal: Deal, outcome: Outcome, reason: string): void {
  const words = texts().stepper
  const pipeline = boot.peek().stages.find(({ id }) => id === deal.stage)?.pipeline_id
  const end = boot.peek().stages.find((each) => each.pipeline_id === pipeline && each.outcome === outcome)
  const shown = { status: outcome, stage: end?.id ?? deal.stage, close_reason_id: reason }
  const step = asStep(() => {
    const done = act('deals', deal.id, 'close', { reason_id: reason }, shown)
    done.catch((error) => sayFailed(words.notClosed(deal.title), error))
  })
  showToast({ text: (outcome === 'won' ? words.closedWon : words.closedLost)(deal.title), icon: outcome, step })
}
