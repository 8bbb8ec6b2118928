import { useEffect } from 'preact/hooks'
import { confirmFinal } from '../../components/confirm.tsx'
import { Icon } from '../../components/icon.tsx'
import { showToast } from '../../components/toast.tsx'
import type { BoardRow } from '../../data/board-row.ts'
import { boot, memberName } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { format } from '../../lib/locale.ts'
import { catalogue } from '../../lib/texts/texts.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import type { BoardState } from './board-state.ts'
import type { Target } from './lift.ts'
import { en } from './texts/held-en.ts'

// What colleagues have done to deals while they were in the hand: who drops them has seen what they were, not what they are.

const words = catalogue({ en, de: () => import('./texts/held-de.ts').then(({ de }) => de) })

type Find = (id: string) => BoardRow | undefined
/** `lines` are sentences. */
type Change = { title: string; lines: string[] }

/** What differs from the rows as they were when they were taken. */
export function changesSince(taken: readonly BoardRow[], find: Find): Change[] {
  return taken.flatMap((before): Change[] => {
    const now = find(before.id)
    const lines = now === before ? [] : now ? changesOf(before, now) : [whereItWent(before)]
    return lines.length === 0 ? [] : [{ title: before.title, lines }]
  })
}

/** The same as it is shown: with the titles, if there are several. */
export function linesOf(changes: readonly Change[], most = 5): string[] {
  const all = changes.flatMap(({ title, lines }) =>
    lines.map((line) => (changes.length === 1 ? line : words().of(title, line))),
  )
  return all.length <= most ? all : [...all.slice(0, most), words().more(all.length - most)]
}

/** On the card in the hand: what colleagues have done to it since. It is said, too. */
export function InHandLines({ board, say }: { board: BoardState; say: (text: string) => void }) {
  board.rows.value // with each change of them it is looked at anew
  const lines = linesOf(changesSince(board.taken.value, board.find), 3)
  const said = lines.join('. ')
  useEffect(() => {
    if (said !== '') say(said)
  }, [said])
  if (lines.length === 0) return null
  return (
    <div class="clash">
      {lines.map((line) => (
        <p key={line}>
          <Icon name="alert" small /> {line}
        </p>
      ))}
    </div>
  )
}

/**
 * Asks whether what was begun is to be done to deals that have changed since, and says of those that have left the board
 * that nothing is done. Returns the deals to do it to.
 */
export async function askAgain(taken: readonly BoardRow[], target: Target, find: Find): Promise<string[]> {
  let known = taken
  for (;;) {
    const changes = changesSince(known, find)
    const left = known.flatMap(({ id }) => find(id) ?? [])
    const isThere = 'stage' in target && left.every(({ stage_id }) => stage_id === target.stage)
    if (left.length === 0 && changes[0]) {
      showToast({ kind: 'error', text: words().refused(changes[0].title, linesOf(changes).join('. ')) })
      return []
    }
    if (changes.length === 0 || isThere) return left.map(({ id }) => id)
    if (!(await ask(changes, target))) return []
    // More may have come while the question stood there.
    known = left
  }
}

function ask(changes: readonly Change[], target: Target): Promise<boolean> {
  const [first] = changes
  const { title, titleMany, keep, move, close, yours } = words()
  const name = 'stage' in target ? stageName(target.stage) : texts()[target.outcome]
  return confirmFinal({
    title: changes.length === 1 && first ? title(first.title) : titleMany(changes.length),
    text: (
      <>
        <ul class="meanwhile">
          {linesOf(changes).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        <p>{yours(name)}</p>
      </>
    ),
    keep,
    verb: 'stage' in target ? move(name) : close(target.outcome),
    isHarmless: true,
  })
}

const entryOf = (id: string) => client().store.find('deals', id)
const nameOr = (id: string | null | undefined): string => (id && memberName(id)) || words().someone
/** Who set a field last, as far as it is known. */
const authorOf = (id: string, field: string): string => nameOr(entryOf(id)?.authors.get(field)?.by)
const stageName = (id: string): string => boot.peek().stages.find((stage) => stage.id === id)?.name ?? ''

type Shown = readonly [field: string, label: string, of: (row: BoardRow) => string]

function shown(): Shown[] {
  const { savedFields: fields, noAmount, noOwner, noCompany } = texts()
  const { money, day } = format.peek()
  const { none, company } = words()
  const tags = (ids: readonly string[]) =>
    boot
      .peek()
      .tags.filter(({ id }) => ids.includes(id))
      .map(({ name }) => name)
      .join(', ')
  return [
    ['title', fields.title, ({ title }) => title],
    ['amount', fields.amount, ({ amount, currency }) => (amount === null ? noAmount : money(amount, currency ?? ''))],
    ['owner_id', fields.owner_id, ({ owner_id }) => (owner_id && memberName(owner_id)) || noOwner],
    ['company_id', company, ({ company_name }) => company_name ?? noCompany],
    [
      'expected_close_date',
      fields.expected_close_date,
      ({ expected_close_date: date }) => (date === null ? none : day(date, 0)),
    ],
    ['tag_ids', fields.tag_ids, ({ tag_ids }) => tags(tag_ids) || none],
  ]
}

function changesOf(before: BoardRow, now: BoardRow): string[] {
  const { id, stage_id } = now
  const move = words().moved(authorOf(id, 'stage'), stageName(before.stage_id), stageName(stage_id))
  const fields = shown().flatMap(([field, label, of]) =>
    of(before) === of(now) ? [] : [words().changed(authorOf(id, field), label, of(before), of(now))],
  )
  return stage_id === before.stage_id ? fields : [move, ...fields]
}

/** It has left the board: closed, deleted, or moved to another pipeline. */
function whereItWent({ id, stage_id }: BoardRow): string {
  const { base, deletion } = entryOf(id) ?? {}
  const gone = deletion?.peek()
  if (gone || !base) return words().deleted(nameOr(gone?.by))
  if (base.status === 'won' || base.status === 'lost') return words().closed(authorOf(id, 'status'), base.status)
  return words().moved(authorOf(id, 'stage'), stageName(stage_id), stageName(String(base.stage)))
}
