import type { Conversation } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { texts } from './texts.ts'

// The SLA clock of a conversation, in words and as a ring.

export type SlaShown = {
  state: 'ok' | 'risk' | 'over' | 'met' | 'hold'
  left?: number
  text: string
  /** Whether the text is what is left of the time. */
  isRest?: boolean
  title?: string
}

/** Beyond this the time of the day says more than how long it is until then. */
const SOON_MS = 12 * 3_600_000
const AT_RISK = 0.2

type Due = { at: number; from: number; what: 'first' | 'next' | 'resolution' }

/** The target that is due next. Null while none is pending. */
export function nextDue({ sla, first_response_at, waiting_since, created_at, status }: Conversation): Due | null {
  if (status === 'closed') return null
  const since = Date.parse(waiting_since ?? created_at)
  const all: Due[] = []
  const add = (at: string | null, from: number, what: Due['what']) => at && all.push({ at: Date.parse(at), from, what })
  if (first_response_at === null) add(sla.first_response_due_at, since, 'first')
  add(sla.next_response_due_at, since, 'next')
  add(sla.resolution_due_at, Date.parse(created_at), 'resolution')
  return all.sort((one, other) => one.at - other.at)[0] ?? null
}

/** Undefined where there is nothing to say: closed, or nobody waits and nothing was promised. */
export function slaOf(record: Conversation, now: number): SlaShown | undefined {
  const { status, sla, waiting_since, first_response_at } = record
  const words = texts()
  if (status === 'closed') return undefined
  const due = nextDue(record)
  const isAnswered = waiting_since === null && first_response_at !== null
  if (!due || (due.what === 'resolution' && isAnswered && due.at - now > SOON_MS)) {
    if (isAnswered) return { state: 'met', text: words.answered }
    if (sla.policy_id !== null && waiting_since !== null)
      return { state: 'hold', text: words.paused, title: words.pausedTitle }
    if (waiting_since === null) return undefined
    return { state: 'ok', left: 1, text: words.waits(format.value.duration(now - Date.parse(waiting_since))) }
  }
  const title = words.due[due.what](format.value.when(due.at, now))
  const rest = due.at - now
  if (rest <= 0) return { state: 'over', text: format.value.late(-rest), title }
  const left = Math.min(1, rest / Math.max(1, due.at - due.from))
  const text = rest < SOON_MS ? format.value.duration(rest) : format.value.when(due.at, now)
  const state = left <= AT_RISK || sla.status === 'at_risk' ? 'risk' : 'ok'
  return { state, left, text, isRest: rest < SOON_MS, title }
}
