import { type Noun, nounOf, PATHS } from '../../../lib/pure/nouns.ts'
import type { BinKind, BinRow, LeftOut } from '../../data/bin.ts'
import { type Named, nameOf } from '../../data/names.ts'
import { format } from '../../lib/locale.ts'
import { fieldName } from '../../shell/steps/words.ts'
import { texts } from './texts.ts'

// What a restore brings and what it leaves out, in words.

const NAMED: Readonly<Record<BinKind, Named | undefined>> = {
  deals: 'deals',
  contacts: 'contacts',
  companies: 'companies',
  notes: undefined,
  tasks: undefined,
  meetings: undefined,
}

/** "3 notes and 2 tasks"; empty if nothing. */
export const broughtWords = (brought: Readonly<Record<string, number>>): string =>
  format.value.list(Object.entries(brought).map(([kind, number]) => texts().many(kind, number)))

/** The record that has now what another one had. */
const holderOf = (kind: BinKind, { other }: LeftOut): string => {
  const named = NAMED[kind]
  return (other && named && nameOf(named, other)) ?? '…'
}

/** Each once, however many records it is about. Emails come back all the same, so they are no loss. */
export function leftWords({ kind }: BinRow['record'], left: readonly LeftOut[]): string {
  const words = texts()
  const parts = left.flatMap((each): string[] => {
    const { field, reason } = each
    if (reason === 'shared') return []
    if (field === 'members') return [words.gone(words.aList)]
    if (field === 'has_transcript') return [words.transcript]
    const isOwn = each.object === nounOf(kind)
    const name = isOwn ? fieldName(kind, field) : words.many(PATHS[each.object as Noun] ?? '', 1)
    if (reason === 'taken') return [words.taken(name, holderOf(kind, each))]
    if (reason === 'deleted') return [words.gone(name)]
    return [reason === 'invalid' ? words.invalid(name) : words.changed(name)]
  })
  return format.value.list([...new Set(parts)])
}

/** Emails that another record has, too; empty if there is none. */
export function sharedWords({ kind }: BinRow['record'], left: readonly LeftOut[]): string {
  const shared = left.find(({ reason }) => reason === 'shared')
  return shared ? texts().shared(texts().anEmail, holderOf(kind, shared)) : ''
}

export const refusalWords = ({ refusal }: BinRow): string =>
  refusal === null ? '' : (texts().cannot[refusal.field ?? ''] ?? refusal.detail)

export const titleOf = ({ record }: BinRow): string => record.title || texts().untitled
