import { timeOfId } from '../../src/lib/id.ts'
import type { Connection } from '../../src/store/sqlite/driver.ts'
import { enrollmentFaults, mailFaults, openingFaults } from './enrollments.ts'
import { type Conversation, chosenPolicies, LATE_MS, type Status, slaFindings } from './sla-targets.ts'

// What has to hold in the database after a run, whatever was asked for: told from the messages, the statuses and the
// events, by other words than those of the server.

type Message = {
  id: string
  direction: string
  sent_at: number
  body_text: string
  is_answer: number
  is_aside: number
  forwards_message_id: string | null
  /** Its author is a member, or at the domain of a mailbox. */
  is_ours: number
  author: string | null
  recipients: string
}
const PATIENCE_MS = 120_000
const MAX_TOLD = 5

/** Resolves when nothing is due any more, or after a while. */
export async function untilIdle(db: Connection): Promise<void> {
  const due = db.prepare('SELECT count(*) FROM jobs WHERE failed_at IS NULL AND due_at <= ?').pluck()
  for (let left = PATIENCE_MS; left > 0 && due.get(Date.now()) !== 0; left -= 100)
    await new Promise((resolve) => setTimeout(resolve, 100))
}

/** Who got the mails that went out since then, and how often each. */
export type Post = { timesTaken: (id: string) => number; since: number }

/** What is wrong with the state of the database, at one moment: the server goes on. */
export function stateFaults(db: Connection, now = Date.now(), post?: Post): string[] {
  const checks = [
    jobFaults,
    eventFaults,
    numberFaults,
    transcriptFaults,
    fileFaults,
    conversationFaults,
    openingFaults,
    enrollmentFaults,
    () => (post ? mailFaults(db, post.timesTaken, post.since) : []),
  ]
  const look = db.transaction(() =>
    checks.flatMap((check) => {
      const faults = check(db, now)
      const more = faults.length - MAX_TOLD
      return more > 0 ? [...faults.slice(0, MAX_TOLD), `and ${more} more of the kind`] : faults
    }),
  )
  return look()
}

/** Everything has run when it was due, and nothing has failed but what others refused: mails. */
function jobFaults(db: Connection, now: number): string[] {
  const failed = db
    .prepare(
      `SELECT kind, key, last_error FROM jobs WHERE last_error IS NOT NULL
       AND (kind <> 'message.send' OR failed_at IS NOT NULL)`,
    )
    .raw()
  const late = db.prepare('SELECT kind, key, due_at FROM jobs WHERE due_at < ? AND leased_until IS NULL').raw()
  return [
    ...failed.all().map((row) => `a job has failed: ${row}`),
    ...late.all(now - LATE_MS).map((row) => `a job is late: ${row}`),
  ]
}

/** Numbers without a gap; each event shows a later version of its record, and the last one the newest. */
function eventFaults(db: Connection): string[] {
  const gaps = db
    .prepare('SELECT org_id FROM events GROUP BY org_id HAVING max(seq) - min(seq) + 1 <> count(*)')
    .pluck()
    .all()
  const events = db.prepare('SELECT org_id, seq, type, object_id, data FROM events ORDER BY commit_seq').raw()
  const versions = new Map<string, number>()
  const faults = gaps.map((org) => `the events of org ${org} have a gap`)
  for (const [org, seq, type, id, data] of events.iterate() as Iterable<[number, number, string, string, string]>) {
    const { version } = JSON.parse(data).object
    const before = versions.get(id)
    const isOld = before !== undefined && (type.endsWith('.deleted') ? version < before : version <= before)
    if (isOld) faults.push(`event ${seq} of org ${org}, ${type}, shows version ${version} after ${before} of ${id}`)
    versions.set(id, version)
  }
  for (const table of [
    'conversations',
    'messages',
    'meetings',
    'transcripts',
    'deals',
    'contacts',
    'companies',
    'tasks',
  ]) {
    const records = db.prepare(`SELECT id, version FROM ${table}`).raw().all() as [string, number][]
    for (const [id, version] of records)
      if (version < (versions.get(id) ?? 0)) faults.push(`${table} ${id} is older than its last event`)
  }
  return faults
}

/** Conversations are numbered from 1 on, also where some were refused. */
function numberFaults(db: Connection): string[] {
  const numbered = db
    .prepare(
      `SELECT orgs.id FROM orgs LEFT JOIN conversations AS c ON c.org_id = orgs.id GROUP BY orgs.id
       HAVING count(c.number) <> orgs.last_conversation OR coalesce(max(c.number), 0) <> orgs.last_conversation`,
    )
    .pluck()
  return numbered.all().map((org) => `the numbers of conversations of org ${org} have a gap`)
}

function transcriptFaults(db: Connection): string[] {
  const flags = db.prepare(
    `SELECT id FROM meetings AS m WHERE has_transcript <>
       EXISTS (SELECT 1 FROM transcripts AS t WHERE t.org_id = m.org_id AND t.meeting_id = m.id)`,
  )
  const sums = db.prepare(
    `SELECT t.id FROM transcripts AS t LEFT JOIN transcript_segments AS s ON s.org_id = t.org_id AND s.transcript_id = t.id
     GROUP BY t.org_id, t.id
     HAVING t.duration_ms <> coalesce(max(s.end_ms), 0) OR count(s.position) <> coalesce(max(s.position) + 1, 0)`,
  )
  return [
    ...flags
      .pluck()
      .all()
      .map((id) => `has_transcript of the meeting ${id} is wrong`),
    ...sums
      .pluck()
      .all()
      .map((id) => `the transcript ${id} has other segments than it says`),
  ]
}

/** Messages show the files that there are. */
function fileFaults(db: Connection): string[] {
  const shown = db.prepare(
    `SELECT m.id FROM messages AS m WHERE
       (SELECT json_group_array(value ->> 'id' || ' ' || (value ->> 'size_bytes') ORDER BY key) FROM json_each(m.attachments)) <>
       (SELECT json_group_array(a.id || ' ' ||
            (SELECT coalesce(sum(length(data)), 0) FROM file_chunks AS c WHERE c.org_id = a.org_id AND c.sha256 = a.sha256)
          ORDER BY a.id) FROM attachments AS a
        WHERE a.org_id = m.org_id AND a.message_id = m.id)`,
  )
  return shown
    .pluck()
    .all()
    .map((id) => `the message ${id} shows other files than it has`)
}

function conversationFaults(db: Connection, now: number): string[] {
  const slaFaults = slaFindings(db, now)
  const policyFaults = chosenPolicies(db)
  return ofConversations(db, 0, (one, messages, statuses) => [
    ...messageFaults(one, messages, statuses),
    ...statusFaults(one, statuses, now),
    ...slaFaults(one),
    ...policyFaults(one, statuses),
  ])
}

/** The same in the middle of a run, of those that have changed since a time: what is wrong now may be right later. */
export function talkFaults(db: Connection, since: number): string[] {
  const look = db.transaction(() => {
    const policyFaults = chosenPolicies(db)
    return ofConversations(db, since, (one, messages, statuses) => [
      ...messageFaults(one, messages, statuses),
      ...policyFaults(one, statuses),
    ])
  })
  return look()
}

type Judge = (one: Conversation, messages: Message[], statuses: Status[]) => string[]

function ofConversations(db: Connection, since: number, judge: Judge): string[] {
  const where = 'WHERE org_id = ? AND conversation_id = ?'
  // What a sequence wrote answers nobody, and neither does what could not be sent, is held, or went to others.
  const messagesOf = db.prepare(
    `SELECT id, direction, sent_at, body_text, is_aside, forwards_message_id, lower(author ->> 'email') AS author,
       EXISTS (SELECT 1 FROM mailboxes AS own WHERE own.org_id = message.org_id
         AND lower(author ->> 'email') LIKE '%' || lower(substr(own.address, instr(own.address, '@'))))
       OR EXISTS (SELECT 1 FROM members WHERE members.org_id = message.org_id
         AND members.email = lower(author ->> 'email')) AS is_ours,
       lower(sent_to || sent_cc || sent_bcc) AS recipients,
       direction = 'outbound' AND status <> 'failed' AND enrollment_id IS NULL AND NOT is_aside
         AND is_automatic = 0 AS is_answer
     FROM (SELECT messages.*, coalesce((SELECT is_aside FROM message_headers AS mail
         WHERE mail.org_id = messages.org_id AND mail.message_id = messages.id), 0) AS is_aside FROM messages ${where} AND send_at IS NULL) AS message
     ORDER BY id`,
  )
  const statusesOf = db.prepare(`SELECT at, status FROM conversation_statuses ${where} ORDER BY conversation_version`)
  const all = db.prepare('SELECT * FROM conversations WHERE updated_at >= ?').all(since) as Conversation[]
  return all.flatMap((one) => {
    const of = [one.org_id, one.id]
    const messages = messagesOf.all(...of) as Message[]
    const statuses = statusesOf.all(...of) as Status[]
    return judge(one, messages, statuses).map((each) => `conversation ${one.number} of org ${one.org_id}: ${each}`)
  })
}

/** Times may be equal to the millisecond: then either order is right. */
function messageFaults(one: Conversation, messages: Message[], statuses: Status[]): string[] {
  const heard = messages.filter(({ direction }) => direction !== 'note')
  const inbound = heard.filter(({ direction }) => direction === 'inbound')
  const answers = heard.filter(({ is_answer }) => is_answer === 1).map(({ sent_at }) => sent_at)
  const last = Math.max(...heard.map(({ sent_at }) => sent_at))
  const said: string[] = []
  for (const aside of heard.filter((each) => each.is_aside === 1 && each.forwards_message_id === null)) {
    // A colleague who writes along is no customer.
    const answered = inbound.find(
      ({ id, author, is_ours }) => id < aside.id && !is_ours && aside.recipients.includes(`"${author}"`),
    )
    if (answered) said.push(`${aside.id} is an aside, and went to ${answered.author}, who had written before`)
  }
  if (one.last_message_at !== last) said.push(`last_message_at is ${one.last_message_at}, and not ${last}`)
  const text = heard.findLast(({ sent_at }) => sent_at === last)!.body_text
  const begin = text.trim().split(/\s+/)[0]!.slice(0, 50)
  if (!one.preview.startsWith(begin)) said.push(`the preview "${one.preview}" is not of "${begin}"`)
  const first = answers.length === 0 ? null : Math.min(...answers)
  if (one.first_response_at !== first) said.push(`first_response_at is ${one.first_response_at}, and not ${first}`)
  const readAt = one.read_at ?? -1
  const least = inbound.filter(({ id }) => timeOfId(id) > readAt).length
  const most = inbound.filter(({ id }) => timeOfId(id) >= readAt).length
  if (one.unread_count < least || one.unread_count > most)
    said.push(`unread_count is ${one.unread_count}, and not ${least} to ${most}`)
  const closedAt = statuses.findLast(({ status }) => status === 'closed')?.at ?? -1
  const waiting = (isLater: (one: number, other: number) => boolean): number | null => {
    const open = inbound.filter(
      ({ id, sent_at, is_aside }) =>
        is_aside === 0 && isLater(timeOfId(id), closedAt) && !answers.some((at) => !isLater(sent_at, at)),
    )
    return open.length === 0 || one.status === 'closed' ? null : Math.min(...open.map(({ sent_at }) => sent_at))
  }
  const expected = [waiting((a, b) => a > b), waiting((a, b) => a >= b)]
  if (!expected.includes(one.waiting_since))
    said.push(`waiting_since is ${one.waiting_since}, and not ${[...new Set(expected)].join(' or ')}`)
  return said
}

function statusFaults(one: Conversation, statuses: Status[], now: number): string[] {
  const last = statuses.at(-1)!
  const said: string[] = []
  if (last.status !== one.status) said.push(`it is ${one.status}, and became ${last.status}`)
  const hasSame = statuses.some(({ status }, at) => status === statuses[at + 1]?.status)
  if (hasSame) said.push('it became what it was')
  if (one.closed_at !== null && Math.abs(one.closed_at - last.at) > 50)
    said.push(`closed_at is ${one.closed_at}, and it was closed at ${last.at}`)
  if (one.snoozed_until !== null && one.snoozed_until < now - LATE_MS)
    said.push(`it sleeps until ${one.snoozed_until}, which is over`)
  return said
}
