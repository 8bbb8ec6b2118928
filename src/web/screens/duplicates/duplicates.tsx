import { useEffect, useMemo } from 'preact/hooks'
import { PATHS } from '../../../lib/pure/nouns.ts'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { SourcesContext } from '../../components/fields/sources.ts'
import { sayWhy } from '../../components/say-why.ts'
import { Segmented } from '../../components/segmented.tsx'
import { Bar as Grey } from '../../components/skeleton.tsx'
import { boot } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { nameOf } from '../../data/names.ts'
import { load, record } from '../../data/records.ts'
import { isUndo } from '../../data/step-keys.ts'
import type { Rec } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { query, setQuery } from '../../lib/router.ts'
import { Bar } from '../../shell/bar.tsx'
import { sources } from '../../shell/sources.ts'
import { texts as tableTexts } from '../../tables/table/texts.ts'
import { texts } from '../../tables/texts.ts'
import { MergePanel } from './merge-panel.tsx'
import { MergeWith } from './merge-with.tsx'
import { type MergeObject, type Pair, pairsOf } from './pairs.ts'
import './duplicates.css'

/** Pairs of records that may be the same, found while the page is open, and one of them side by side. */
export function Screen() {
  const object: MergeObject = query.value.get('object') === 'company' ? 'company' : 'contact'
  const given = query.value.get('pair')?.split(',') ?? []
  return (
    <SourcesContext.Provider value={sources}>
      <Pairs key={object} object={object} given={given.length === 2 ? (given as [string, string]) : undefined} />
    </SourcesContext.Provider>
  )
}

function Pairs({ object, given }: { object: MergeObject; given: [string, string] | undefined }) {
  const kind = PATHS[object]
  const search = useMemo(() => pairsOf(object), [object])
  useEffect(() => {
    search.start()
    // A merge that is taken back makes them two again.
    const stop = client().events.onEvent(({ type, key }, of) => {
      if (of === kind && type.endsWith('.created') && key !== null && isUndo(key)) search.restart()
    })
    return () => {
      stop()
      search.stop()
    }
  }, [search])
  const words = texts().dup
  // The record from whose page one came; its pairs come first.
  const wanted = query.value.get('with')
  const isWanted = (pair: Pair) => pair.older_id === wanted || pair.newer_id === wanted
  const found = search.pairs.value
  const pairs = wanted ? [...found.filter(isWanted), ...found.filter((pair) => !isWanted(pair))] : found
  const total = boot.value.counts[kind]
  const number = (value: number) => format.value.number(value)
  const chosen = given ?? null
  const choose = (pair: Pair | null) =>
    void setQuery({ pair: pair ? `${pair.older_id},${pair.newer_id}` : null }, { replace: true })
  const summary = search.isDone.value
    ? words.found(pairs.length)
    : words.looked(number(Math.min(search.looked.value, total)), number(Math.max(total, search.looked.value)))
  return (
    <>
      <Bar title={words.title} crumbs={[{ href: `/${kind}`, label: texts()[kind].title }]} summary={summary}>
        <Segmented
          label={words.title}
          value={object}
          choices={[
            { value: 'contact', label: words.contacts, icon: 'person' },
            { value: 'company', label: words.companies, icon: 'firm' },
          ]}
          onChange={(next) => void setQuery({ object: next, pair: null, with: null })}
        />
      </Bar>
      <div class="dup">
        <ul class="scroll grow" data-scroll="duplicates">
          {pairs.map((pair) => (
            <PairRow
              key={`${pair.older_id},${pair.newer_id}`}
              kind={kind}
              pair={pair}
              isHere={chosen !== null && isOf(pair, chosen)}
              onOpen={() => choose(pair)}
            />
          ))}
          {!search.isDone.value && search.error.value === undefined && (
            <li class="dup-row row strip" aria-busy="true">
              <Grey row={pairs.length} />
            </li>
          )}
          {search.error.value !== undefined && (
            <li>
              <Empty
                icon="alert"
                title={tableTexts().failed}
                actions={<Button onClick={search.start}>{tableTexts().again}</Button>}
              >
                {sayWhy(search.error.value)}
              </Empty>
            </li>
          )}
          {search.isDone.value && pairs.length === 0 && (
            <li>
              <Empty icon="merge" title={words.none}>
                {words.noneBody}
              </Empty>
            </li>
          )}
        </ul>
        {wanted && !chosen && (
          <MergeWith
            object={object}
            id={wanted}
            onPick={(other) => void setQuery({ pair: `${wanted},${other}` })}
            onClose={() => void setQuery({ with: null }, { replace: true })}
          />
        )}
        {chosen && (
          <MergePanel
            key={chosen.join()}
            object={object}
            ids={chosen}
            reasons={found.find((pair) => isOf(pair, chosen))?.reasons ?? []}
            onClose={() => choose(null)}
            onMerged={(gone) => {
              search.drop(gone)
              void setQuery({ pair: null, with: null }, { replace: true })
            }}
          />
        )}
      </div>
    </>
  )
}

const isOf = ({ older_id, newer_id }: Pair, ids: readonly string[]): boolean =>
  ids.includes(older_id) && ids.includes(newer_id)

type PairRowProps = { kind: 'contacts' | 'companies'; pair: Pair; isHere: boolean; onOpen: () => void }

function PairRow({ kind, pair, isHere, onOpen }: PairRowProps) {
  const words = texts()
  useEffect(() => {
    for (const id of [pair.older_id, pair.newer_id]) void load(kind, id).catch(() => undefined)
  }, [pair])
  const two = [pair.older_id, pair.newer_id].map((id) => record(kind, id).value as Rec | null | undefined)
  if (two.some((each) => each === null)) return null
  const name = (at: number) => String(two[at]?.name ?? '…')
  return (
    <li class={isHere ? 'dup-row row strip is-on' : 'dup-row row strip'}>
      <span class="dup-two stack">
        {[0, 1].map((at) => (
          <span key={at} class="dup-one row">
            <Avatar kind={kind === 'contacts' ? 'contact' : 'company'} name={name(at)} />
            <span class="mid" dir="auto">
              {name(at)}
            </span>
            <span class="cut small mute" dir="auto" title={detailOf(two[at])}>
              {detailOf(two[at])}
            </span>
          </span>
        ))}
      </span>
      <span class="small dim dup-why">{pair.reasons.map((reason) => words.add.because[reason]).join(', ')}</span>
      <Button aria-pressed={isHere} onClick={onOpen} aria-label={`${words.dup.compare}: ${name(0)}, ${name(1)}`}>
        {words.dup.merge}
      </Button>
    </li>
  )
}

function detailOf(found: Rec | null | undefined): string {
  if (!found) return ''
  const emails = (found.emails as { email: string }[] | undefined)?.map(({ email }) => email)
  const company = typeof found.company_id === 'string' ? nameOf('companies', found.company_id) : undefined
  return [company, emails?.[0], (found.domains as string[] | undefined)?.[0]].filter(Boolean).join(' · ')
}
