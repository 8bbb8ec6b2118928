import type { ComponentChildren } from 'preact'
import { Bar } from '../../components/skeleton.tsx'
import type { BoardStage } from '../../tables/deals/model.ts'
import './board-states.css'

/** The real columns, with bars where cards will be. */
export function BoardLoading({ stages }: { stages: readonly BoardStage[] }) {
  return (
    <Frame stages={stages} isBusy>
      {(index) =>
        [0, 1, 2].slice(0, 3 - (index % 2)).map((row) => (
          <div key={row} class="card" aria-hidden="true">
            <Bar row={row + index} height={12} />
            <Bar row={row + index + 1} />
            <Bar row={row + index + 3} />
          </div>
        ))
      }
    </Frame>
  )
}

type FrameProps = {
  stages: readonly BoardStage[]
  isBusy?: boolean
  /** Won and Lost, where they are known. */
  ends?: ComponentChildren
  children: (index: number) => unknown
}

/** The columns of a board without deals. */
export function Frame({ stages, isBusy, ends, children }: FrameProps) {
  return (
    <section
      class="board is-frame"
      aria-busy={isBusy}
      style={{ gridTemplateColumns: `repeat(${stages.length}, minmax(var(--col), 1fr)) 2.5rem` }}
    >
      {stages.map((stage, index) => (
        <section key={stage.id} class="col">
          <header>
            <div class="row">
              <h2 class="cut" dir="auto">
                {stage.name}
              </h2>
              {!isBusy && <span class="n">0</span>}
            </div>
            <div class="tot">{isBusy && <Bar width={72} />}</div>
            <div class="oth" />
          </header>
          <div class="cards">{children(index) as never}</div>
        </section>
      ))}
      {ends ?? <div class="pipeline-ends" />}
    </section>
  )
}
