import { type Deps, once } from '../../deps.ts'
import { beginningOf, dateIn } from '../../lib/calendar/days.ts'
import { DAY_MS, parseTime, rfc3339 } from '../../lib/time.ts'
import { MAX_AHEAD } from '../../lib/written/days/days-in-text.ts'
import { readReturn } from '../../lib/written/days/return-date.ts'
import { orgOf } from '../../store/orgs/orgs.ts'
import type { RawRow } from '../../store/rows/columns.ts'
import { enrollmentEngine } from './engine.ts'
import { LIVE, rowColumns } from './enrollment.ts'
import { enrollmentWriter } from './enrollment-writer.ts'

/** An automatic reply, in the conversation that it came into. */
export type AutomaticReply = {
  contact_id: string
  conversation_id: string
  /** Its own subject, and the one that it answers. */
  subject: string | null
  asked: string | null
  text: string
  /** When it arrived, in milliseconds: "Monday" counts from then. */
  at: number
}

/** Nobody reads what a sequence sends to somebody who is away: its next step waits for the return that a reply states. */
export const absences = once((deps: Deps) => {
  const { db, clock } = deps
  const { allowedAt } = enrollmentEngine(deps)
  const { save } = enrollmentWriter(deps)
  const { select, present } = rowColumns
  const live = LIVE.map((status) => `'${status}'`).join(', ')
  const meant = db
    .prepare(
      `SELECT ${select} FROM enrollments
       WHERE org_id = @org AND (contact_id = @contact_id OR conversation_id = @conversation_id) AND status IN (${live})
       ORDER BY id`,
    )
    .raw()
  const nameOf = db.prepare('SELECT name FROM sequences WHERE org_id = ? AND id = ?').pluck()

  /**
   * Puts off the next step of the contact's enrollments, and of those whose mail was answered. Returns a sentence if any
   * waits now. Of two days that may be meant it is the later one: a day too late costs less than a mail that nobody reads.
   */
  function holdFor(org: number, reply: AutomaticReply): string[] {
    const { timezone } = orgOf(db, org)
    const today = dateIn(timezone, reply.at)
    const read = readReturn(ownText(reply), { today })
    const date = 'value' in read ? read.value : 'either' in read ? read.either.at(-1) : undefined
    if (date === undefined) return []
    const last = dateIn(timezone, reply.at + MAX_AHEAD * DAY_MS)
    const until = beginningOf(date < last ? date : last, timezone)
    if (until <= clock.now()) return []
    const { contact_id, conversation_id } = reply
    const found = (meant.all({ org, contact_id, conversation_id }) as RawRow[]).map(present)
    const held = found.filter((enrollment) => {
      const due = allowedAt(org, enrollment, until)
      const isLater = due > (parseTime(enrollment.due_at ?? '') ?? 0)
      if (isLater) save({ org, member: null }, enrollment, { due_at: rfc3339(due) })
      return isLater
    })
    if (held.length === 0) return []
    const names = [...new Set(held.map(({ sequence_id }) => `"${nameOf.get(org, sequence_id)}"`))].join(' and ')
    return [`It states an absence, so the next step of the sequence ${names} waits until ${dateIn(timezone, until)}.`]
  }

  return { holdFor }
})

/** Programs put the subject that they answer behind their own words, or use it alone. */
function ownText({ subject, asked, text }: AutomaticReply): string {
  const own = (subject ?? '').split(/:|\bre\b/i)[0] as string
  return own !== '' && asked?.includes(own.trim()) ? text : `${own}\n\n${text}`
}
