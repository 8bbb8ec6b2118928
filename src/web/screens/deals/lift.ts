// Moving a card by keys: Space lifts it, left and right choose a column, Enter drops it, Esc puts it back.

/** A stage, or an end of the pipeline. */
export type Target = { stage: string } | { outcome: 'won' | 'lost' }

export type Lift = {
  id: string
  from: string
  targets: readonly Target[]
  at: number
}

export type Step = { lift: Lift } | { drop: Target } | { back: true } | null

const sameTarget = (one: Target, stage: string): boolean => 'stage' in one && one.stage === stage

/** `stages` in the order of the board; the ends come after them. */
export function liftCard(id: string, from: string, stages: readonly string[]): Lift {
  const targets: Target[] = [...stages.map((stage) => ({ stage })), { outcome: 'won' }, { outcome: 'lost' }]
  return { id, from, targets, at: targets.findIndex((target) => sameTarget(target, from)) }
}

export const targetOf = ({ targets, at }: Lift): Target => targets[at] as Target

/** What a key does while a card is lifted; null for keys that do nothing. */
export function stepLift(lift: Lift, key: string): Step {
  if (key === 'Escape') return { back: true }
  if (key === 'Enter' || key === ' ') {
    const target = targetOf(lift)
    return sameTarget(target, lift.from) ? { back: true } : { drop: target }
  }
  const to = NEXT[key]?.(lift)
  return to === undefined ? null : { lift: { ...lift, at: Math.max(0, Math.min(lift.targets.length - 1, to)) } }
}

const NEXT: Record<string, (lift: Lift) => number> = {
  ArrowLeft: ({ at }) => at - 1,
  ArrowRight: ({ at }) => at + 1,
  Home: () => 0,
  End: ({ targets }) => targets.length - 1,
}
