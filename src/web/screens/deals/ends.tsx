import { useRef } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import type { Outcome } from '../../tables/deals/changes.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { useDropTarget } from './column.tsx'
import { useBoard } from './use-board.ts'

export type ClosedCounts = Readonly<Record<Outcome, number>>

/** Won and Lost, at the right end of the board: a deal that is dropped there is asked for its reason. */
export function Ends({ counts }: { counts: ClosedCounts | null }) {
  return (
    <div class="pipeline-ends">
      <End outcome="won" count={counts?.won} />
      <End outcome="lost" count={counts?.lost} />
    </div>
  )
}

function End({ outcome, count }: { outcome: Outcome; count: number | undefined }) {
  const { board } = useBoard()
  const ref = useRef<HTMLDivElement>(null)
  const target = board.target.value
  const isTarget = target !== null && 'outcome' in target && target.outcome === outcome
  useDropTarget(ref, { outcome })
  return (
    <div ref={ref} class={isTarget ? 'is-target' : undefined} data-end={outcome}>
      <Icon name={outcome} class={outcome === 'won' ? 'good' : 'late'} />
      <b>{texts()[outcome]}</b>
      {count !== undefined && <span class="n">{texts().thisMonth(count)}</span>}
    </div>
  )
}
