import { useRef, useState } from 'preact/hooks'
import { Check } from '../../components/check.tsx'
import { Icon } from '../../components/icon.tsx'
import { Popover } from '../../components/popover.tsx'
import { boot } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { query, setQuery } from '../../lib/router.ts'
import { serverNow } from '../../lib/server-time.ts'
import { OF_NOW, OF_PIPELINE } from './kinds.ts'
import { texts } from './texts.ts'

const NAMES = ['from', 'to', 'owner_id', 'pipeline_id', 'currency'] as const
const PERIODS = [3, 6, 12, 24, 36] as const
const USUAL = 12

/** What the address says of the filters, as the server takes them. */
export function filtersInAddress(): URLSearchParams {
  const given = new URLSearchParams()
  for (const name of NAMES) {
    const value = query.value.get(name)
    if (value) given.set(name, value)
  }
  return given
}

/** Every change begins without the bar that was open. */
const change = (changes: Record<string, string | null>): void =>
  void setQuery({ part: null, bar: null, series: null, ...changes })

export const clearFilters = (): void => change(Object.fromEntries(NAMES.map((name) => [name, null])))

type FiltersProps = { report?: string; currencies: readonly string[]; timezone: string }

/** The filters of a report. All of them stand in the address. */
export function Filters({ report, currencies, timezone }: FiltersProps) {
  const words = texts()
  const { pipelines } = boot.value
  const asked = filtersInAddress()
  const isOfPipeline = OF_PIPELINE.includes(report ?? '')
  const chosen = asked.get('currency')
  const offered = [...new Set([...(chosen ? [chosen] : []), ...currencies])]
  return (
    <fieldset class="row rf strip" aria-label={words.filters}>
      {!OF_NOW.includes(report ?? '') && <Period timezone={timezone} />}
      <Owners />
      {pipelines.length > 1 && (
        <Choice
          label={words.pipeline}
          value={asked.get('pipeline_id') ?? (isOfPipeline ? (pipelines.find((one) => one.is_default)?.id ?? '') : '')}
          choices={[
            ...(isOfPipeline ? [] : [['', words.allPipelines] as const]),
            ...pipelines.map(({ id, name }) => [id, name] as const),
          ]}
          onChoose={(id) => change({ pipeline_id: id || null })}
        />
      )}
      {report !== undefined && (offered.length > 1 || chosen) && (
        <Choice
          label={words.currency}
          value={chosen ?? ''}
          choices={[['', words.allCurrencies], ...offered.map((one) => [one, one] as const)]}
          onChoose={(currency) => change({ currency: currency || null, drawn: null })}
        />
      )}
    </fieldset>
  )
}

type ChoiceProps = {
  label: string
  value: string
  choices: readonly (readonly [value: string, text: string])[]
  onChoose: (value: string) => void
}

export function Choice({ label, value, choices, onChoose }: ChoiceProps) {
  return (
    <select class="input" aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      {choices.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  )
}

function Period({ timezone }: { timezone: string }) {
  const words = texts()
  const from = query.value.get('from')
  const to = query.value.get('to')
  const now = monthIn(timezone, serverNow())
  const isUpToNow = to === null || to === now
  const months = from === null ? USUAL : PERIODS.find((count) => isUpToNow && plus(now, 1 - count) === from)
  const name = (month: string) => format.value.month(`${month}-01`)
  const own = words.ownPeriod(name(from ?? plus(to ?? now, 1 - USUAL)), name(to ?? now))
  return (
    <Choice
      label={words.period}
      value={isUpToNow && months ? String(months) : 'own'}
      choices={[
        ...PERIODS.map((count) => [String(count), words.periods[count]] as const),
        ...(isUpToNow && months ? [] : [['own', own] as const]),
      ]}
      onChoose={(count) => {
        if (count === 'own') return
        // The usual months stay those up to now; others are written down, so that the address keeps its meaning.
        change(Number(count) === USUAL ? { from: null, to: null } : { from: plus(now, 1 - Number(count)), to: now })
      }}
    />
  )
}

/** One owner or several, and nobody. */
function Owners() {
  const words = texts()
  const anchor = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const ids = query.value.get('owner_id')?.split(',') ?? []
  const { members } = boot.value
  const nameOf = (id: string): string => members.find((one) => one.id === id)?.name ?? words.nobody
  const text =
    ids.length === 0
      ? words.allOwners
      : ids.length === 1
        ? nameOf(ids[0] as string)
        : words.owners(format.value.number(ids.length))
  const put = (id: string, isIn: boolean): void => {
    const next = [...ids.filter((each) => each !== id), ...(isIn ? [id] : [])]
    change({ owner_id: next.join(',') || null })
  }
  return (
    <div>
      <button
        ref={anchor}
        type="button"
        class="btn"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={`${words.owner}: ${text}`}
        onClick={() => setOpen(!isOpen)}
      >
        {text}
        <Icon name="down" small />
      </button>
      {isOpen && anchor.current && (
        <Popover anchor={anchor.current} role="dialog" aria-label={words.owner} onClose={() => setOpen(false)}>
          <div class="stack ro">
            {[...members.map(({ id, name }) => [id, name] as const), ['none', words.nobody] as const].map(
              ([id, name]) => (
                <Check key={id} checked={ids.includes(id)} onChange={(isIn) => put(id, isIn)}>
                  <bdi>{name}</bdi>
                </Check>
              ),
            )}
          </div>
        </Popover>
      )}
    </div>
  )
}

/** The month in a zone, such as 2026-11. */
export function monthIn(timezone: string, time: number): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, year: 'numeric', month: '2-digit' })
  const found = new Map(parts.formatToParts(time).map(({ type, value }) => [type, value]))
  return `${found.get('year')}-${found.get('month')}`
}

/** The month so many after another one. */
function plus(month: string, count: number): string {
  const [year = 0, at = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, at - 1 + count, 1)).toISOString().slice(0, 7)
}
