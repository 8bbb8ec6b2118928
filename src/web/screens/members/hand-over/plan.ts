import type { Counts, WorkKind } from '../../../../site/app/hand-over/work.ts'

// Who gets what, before it is sent. Pure functions, which divide as the server does.

export type { Counts, WorkKind }

/** What a member has: `finished` are those of which they would only be handed over if that is asked for. */
export type Work = { open: Counts; finished: Counts }

/** The receivers of each kind; kinds without any stay. */
export type Receivers = { [Kind in WorkKind]?: readonly string[] }

export type Plan = { to: Receivers; isWhole: boolean; returnsOn: string }

/** As they are shown. */
const ORDER: readonly WorkKind[] = [
  'deals',
  'tasks',
  'contacts',
  'companies',
  'conversations',
  'meetings',
  'enrollments',
  'lists',
  'views',
]

/** The kinds of which there is something. */
export const kindsOf = (counts: Counts): WorkKind[] => ORDER.filter((kind) => (counts[kind] ?? 0) > 0)

export const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, each) => sum + each, 0)

/** What can be handed over: what is open, and what is finished as well if that is asked for. */
export const offered = ({ open, finished }: Work, isWhole: boolean): Counts =>
  Object.fromEntries(
    ORDER.map((kind) => [kind, (open[kind] ?? 0) + (isWhole ? (finished[kind] ?? 0) : 0)] as const).filter(
      ([, count]) => count > 0,
    ),
  )

/** How many of the turns from one on are those of a receiver. */
function turnsOf(at: number, receivers: number, from: number, count: number): number {
  const before = (turn: number) => Math.max(0, Math.ceil((turn - at) / receivers))
  return before(from + count) - before(from)
}

/** What each receiver gets, and what stays: turn by turn, from kind to kind, so that all get as much. */
export function shares(counts: Counts, to: Receivers): { given: Map<string, Counts>; stays: Counts } {
  const given = new Map<string, Counts>()
  const stays: Counts = {}
  let turn = 0
  for (const kind of kindsOf(counts)) {
    const count = counts[kind] as number
    const receivers = to[kind] ?? []
    if (receivers.length === 0) {
      stays[kind] = count
      continue
    }
    for (const [at, id] of receivers.entries()) {
      const share = turnsOf(at, receivers.length, turn, count)
      if (share > 0) given.set(id, { ...given.get(id), [kind]: share })
    }
    turn += count
  }
  return { given, stays }
}

/** The request. What was seen goes along, so that more is refused. */
export function bodyOf(work: Work, { to, isWhole, returnsOn }: Plan, isLeaving: boolean) {
  const counts = offered(work, isWhole)
  const kinds = kindsOf(counts).filter((kind) => (to[kind] ?? []).length > 0)
  const finished = isWhole ? kindsOf(work.finished).filter((kind) => kinds.includes(kind)) : []
  return {
    to: Object.fromEntries(kinds.map((kind) => [kind, to[kind]])),
    expected: Object.fromEntries(kinds.map((kind) => [kind, counts[kind]])),
    ...(finished.length > 0 && { finished }),
    ...(isLeaving && { deactivate: true }),
    ...(returnsOn !== '' && { returns_on: returnsOn }),
  }
}
