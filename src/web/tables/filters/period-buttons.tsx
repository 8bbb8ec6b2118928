import { PERIODS, type Period } from '../../lib/periods.ts'
import { type Condition, takesDays } from './conditions.ts'
import { periodWords, texts } from './words.ts'

type PeriodButtonsProps = { condition: Condition; onChange: (condition: Condition) => void }

/** What people ask for most, where a number of days is asked for. */
const USUAL: readonly Period[] = ['this_week', 'this_month', 'this_quarter']

/** Periods that are named by how they lie to today: the day before, this and the next one of each kind in a row. */
export function PeriodButtons({ condition, onChange }: PeriodButtonsProps) {
  const { op, value } = condition
  return (
    <fieldset class="periods" aria-label={texts().periodsLabel}>
      {(takesDays(op) ? USUAL : PERIODS).map((period) => (
        <button
          key={period}
          type="button"
          class="btn"
          aria-pressed={value === period}
          onClick={() => onChange({ ...condition, op: takesDays(op) ? 'eq' : op, value: period })}
        >
          {periodWords(period)}
        </button>
      ))}
    </fieldset>
  )
}
