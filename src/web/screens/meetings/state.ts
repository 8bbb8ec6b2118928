import { boot } from '../../data/boot.ts'
import type { Meeting } from '../../data/types.ts'
import { now } from '../../lib/now.ts'
import { texts } from './texts.ts'

type Shown = { is: 'good' | 'warn' | 'late' | 'hollow' | ''; text: string }

/** Who may write meetings: the server decides, the screens offer no more. */
export const mayWriteMeetings = (): boolean => boot.value.capabilities.includes('rest.meetings.meetings.write')
export const mayWriteTranscripts = (): boolean => boot.value.capabilities.includes('rest.meetings.transcript.write')

/** Whether it has begun: what came of it can be said from then on, not before. */
export const hasBegun = ({ starts_at }: Pick<Meeting, 'starts_at'>): boolean => Date.parse(starts_at) <= now.value

/** How a meeting stands: before it begins who has answered, then what came of it. */
export function stateOf(meeting: Meeting): Shown {
  const words = texts()
  const { status, participants } = meeting
  if (status !== 'scheduled') {
    const is = status === 'completed' ? 'good' : status === 'no_show' ? 'late' : ''
    return { is, text: words.states[status] }
  }
  if (hasBegun(meeting)) {
    const isOver = Date.parse(meeting.ends_at) <= now.value
    return { is: isOver ? 'hollow' : 'good', text: isOver ? words.noOutcome : words.isOn }
  }
  const guests = participants.filter(({ role }) => role !== 'organizer')
  if (guests.length === 0) return { is: 'hollow', text: words.states.scheduled }
  const [first] = guests
  if (guests.length === 1 && first) return { is: dotOf(first.response), text: words.responses[first.response] }
  const count = guests.filter(({ response }) => response === 'accepted').length
  return { is: count === guests.length ? 'good' : 'hollow', text: words.accepted(count, guests.length) }
}

export const dotOf = (response: Meeting['participants'][number]['response']): Shown['is'] =>
  (({ accepted: 'good', tentative: 'warn', declined: 'late', pending: 'hollow' }) as const)[response]
