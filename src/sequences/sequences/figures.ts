import { type Deps, once } from '../../deps.ts'
import { firstIdAt } from '../../lib/id.ts'
import type { Span } from './intervals.ts'
import type { Step } from './sequence.ts'

// The counts behind the performance of a sequence. Each statement reads a range of an index, and of the records only
// what it needs.

/** From `start` (inclusive) to `end` (exclusive), in milliseconds. */
export type Range = Pick<Span, 'start' | 'end'>

/** A step as in the newest version that contains it. */
export type StepOf = Pick<Step, 'id' | 'position' | 'type'> & { is_current: boolean }

/** Mails of a step that were sent in a range, and how many of them were answered or bounced at any time. */
export type Sent = { sent: number; answered: number; returned: number }

/** The columns of an enrollment that record a time. */
export type Happening = 'replied_at' | 'unsubscribed_at' | 'meeting_booked_at'

export type Won = { currency: string | null; micros: string | null }

/** How many of a step's newest mails are checked for a mailbox that could receive replies. */
const SAMPLE = 20

export const sequenceFigures = once(({ db }: Deps) => {
  const steps = db.prepare(
    `SELECT step.value ->> 'id' AS id, step.value ->> 'position' AS position, step.value ->> 'type' AS type,
            version.number = sequences.current_version AS is_current
     FROM sequences
     CROSS JOIN sequence_versions AS version ON version.org_id = sequences.org_id AND version.sequence_id = sequences.id
     CROSS JOIN json_each(version.steps) AS step
     WHERE sequences.org_id = ? AND sequences.id = ? ORDER BY version.number`,
  )
  const ofStep = (column: string) => `FROM enrollment_steps
     WHERE org_id = ? AND step_id = ? AND ${column} >= ? AND ${column} < ?`
  const sent = db.prepare(
    `SELECT count(*) AS sent, count(replied_at) AS answered, count(bounced_at) AS returned ${ofStep('sent_at')}`,
  )
  const wasSent = db.prepare(`SELECT 1 ${ofStep('sent_at')} LIMIT 1`).pluck()
  const repliedTo = db.prepare(`SELECT count(*) ${ofStep('replied_at')}`).pluck()
  const bounced = db.prepare(`SELECT count(*) ${ofStep('bounced_at')}`).pluck()

  const own = 'FROM enrollments WHERE org_id = ? AND sequence_id = ?'
  const enrolled = db.prepare(`SELECT count(*) ${own} AND id >= ? AND id < ?`).pluck()
  const happened = (column: Happening) => db.prepare(`SELECT count(*) ${own} AND ${column} >= ? AND ${column} < ?`)
  const happenings = {
    replied_at: happened('replied_at').pluck(),
    unsubscribed_at: happened('unsubscribed_at').pluck(),
    meeting_booked_at: happened('meeting_booked_at').pluck(),
  }
  const ever = (column: Happening) => db.prepare(`SELECT 1 ${own} AND ${column} IS NOT NULL LIMIT 1`).pluck()
  const known = { replied_at: ever('replied_at'), unsubscribed_at: ever('unsubscribed_at') }
  const everBounced = db
    .prepare('SELECT 1 FROM enrollment_steps WHERE org_id = ? AND step_id = ? AND bounced_at IS NOT NULL LIMIT 1')
    .pluck()
  const finished = db.prepare(
    `SELECT count(*) AS finished, count(*) FILTER (WHERE status = 'completed') AS completed
     ${own} AND finished_at >= ? AND finished_at < ?`,
  )
  const live = db.prepare(`SELECT count(*) ${own} AND status IN ('scheduled', 'active', 'paused') AND id < ?`).pluck()
  const endedSince = db.prepare(`SELECT count(*) ${own} AND finished_at >= ? AND id < ?`).pluck()
  const answering = db.prepare(
    `SELECT count(DISTINCT coalesce(contact_id, id)) AS contacts,
            count(DISTINCT iif(replied_at >= first, coalesce(contact_id, id), NULL)) AS answered
     FROM (
       SELECT enrollment_id, min(sent_at) AS first FROM json_each(?) AS step
       CROSS JOIN enrollment_steps ON org_id = ? AND step_id = step.value AND sent_at >= ? AND sent_at < ?
       GROUP BY enrollment_id
     ) CROSS JOIN enrollments ON org_id = ? AND id = enrollment_id`,
  )
  const won = db.prepare(
    `SELECT currency, CAST(amount_micros AS TEXT) AS micros
     FROM (SELECT DISTINCT deal_id ${own} AND deal_id IS NOT NULL)
     CROSS JOIN deals ON org_id = ? AND id = deal_id
     WHERE status = 'won' AND closed_at >= ? AND closed_at < ?`,
  )
  const listening = db.prepare('SELECT 1 FROM mailboxes WHERE org_id = ? AND imap IS NOT NULL LIMIT 1').pluck()
  const wentByListening = db
    .prepare(
      `SELECT 1 FROM (
         SELECT message_id FROM enrollment_steps WHERE org_id = ? AND step_id = ? AND sent_at < ?
         ORDER BY sent_at DESC LIMIT ${SAMPLE}
       ) AS step
       CROSS JOIN message_headers ON message_headers.org_id = ? AND message_headers.message_id = step.message_id
       CROSS JOIN mailboxes ON mailboxes.org_id = ? AND mailboxes.id = message_headers.mailbox_id
       WHERE mailboxes.imap IS NOT NULL LIMIT 1`,
    )
    .pluck()
  const link = db.prepare('SELECT public_base_url IS NOT NULL FROM orgs WHERE id = ?').pluck()

  /** The current steps in their order, then those that only earlier versions have. */
  function stepsOf(org: number, sequenceId: string): StepOf[] {
    const all = new Map<string, StepOf>()
    for (const step of steps.all(org, sequenceId) as (Omit<StepOf, 'is_current'> & { is_current: number })[])
      all.set(step.id, { ...step, is_current: step.is_current === 1 })
    return [...all.values()].sort(
      (one, other) => Number(other.is_current) - Number(one.is_current) || one.position - other.position,
    )
  }

  const isSentIn = (org: number, stepId: string, { start, end }: Range): boolean =>
    wasSent.get(org, stepId, start, end) !== undefined
  const sentIn = (org: number, stepId: string, { start, end }: Range): Sent => sent.get(org, stepId, start, end) as Sent
  const repliedToIn = (org: number, stepId: string, { start, end }: Range): number =>
    repliedTo.get(org, stepId, start, end) as number
  const bouncedIn = (org: number, stepId: string, { start, end }: Range): number =>
    bounced.get(org, stepId, start, end) as number

  /** Ids contain the creation time, so that the index alone finds the records. */
  const enrolledIn = (org: number, sequenceId: string, { start, end }: Range): number =>
    enrolled.get(org, sequenceId, firstIdAt(start), firstIdAt(end)) as number
  const happenedIn = (org: number, sequenceId: string, what: Happening, { start, end }: Range): number =>
    happenings[what].get(org, sequenceId, start, end) as number

  function finishedIn(org: number, sequenceId: string, { start, end }: Range): { finished: number; completed: number } {
    return finished.get(org, sequenceId, start, end) as { finished: number; completed: number }
  }

  /** How many enrollments were live at the given moment: computed backwards from now, because few are live now. */
  function liveAt(org: number, sequenceId: string, ms: number): number {
    const first = firstIdAt(ms)
    return (live.get(org, sequenceId, first) as number) + (endedSince.get(org, sequenceId, ms, first) as number)
  }

  /** Contacts who were sent a mail in the range, and how many of them replied after that. */
  function answeringOf(org: number, of: readonly StepOf[], { start, end }: Range) {
    const ids = JSON.stringify(of.map(({ id }) => id))
    return answering.get(ids, org, start, end, org) as { contacts: number; answered: number }
  }

  const wonIn = (org: number, sequenceId: string, { start, end }: Range): Won[] =>
    won.all(org, sequenceId, org, start, end) as Won[]

  /** Whether replies, bounces and unsubscribes would be recorded. */
  function tracked(org: number, sequenceId: string, of: readonly StepOf[], until: number) {
    const replies =
      listening.get(org) !== undefined &&
      of.some(({ id }) => wentByListening.get(org, id, until, org, org) !== undefined)
    return {
      replied: replies || known.replied_at.get(org, sequenceId) !== undefined,
      bounced: replies || of.some(({ id }) => everBounced.get(org, id) !== undefined),
      unsubscribed: replies || link.get(org) === 1 || known.unsubscribed_at.get(org, sequenceId) !== undefined,
    }
  }

  return {
    ...{ stepsOf, isSentIn, sentIn, repliedToIn, bouncedIn },
    ...{ enrolledIn, happenedIn, finishedIn, liveAt, answeringOf, wonIn, tracked },
  }
})
