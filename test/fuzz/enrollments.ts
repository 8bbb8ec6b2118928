import { timeOfId } from '../../src/lib/id.ts'
import type { Database } from '../../src/store/sqlite/driver.ts'

// How enrollments and mails on their way out have to stand after a run, told from their steps, jobs and events.

type Enrollment = {
  org_id: number
  id: string
  sequence_id: string
  sequence_version: number
  contact_id: string | null
  status: string
  stop_reason: string | null
  current_step: number
  due_at: number | null
  next_step_at: number | null
  conversation_id: string | null
  replied_at: number | null
  finished_at: number | null
  version: number
}
type Done = {
  position: number
  step_id: string
  type: string
  message_id: string | null
  task_id: string | null
  sent_at: number | null
  status: string | null
  error: string | null
  message_of: string | null
  conversation_id: string | null
}
type Sequence = { id: string; status: string; current_version: number; is_looked_at: number }
type Version = { steps: { id: string; type: string }[]; stop_on: string[] }
type Job = { due_at: number; failed_at: number | null; leased_until: number | null }
type Contact = { do_not_contact: number; unsubscribed_at: number | null }
type Told = { version: number; status: string; current_step: number }

const LIVE = ['scheduled', 'active', 'paused']
const FAILURES = ['no_mailbox', 'send_failed', 'error']

export function enrollmentFaults(db: Database): string[] {
  const versionOf = versions(db)
  const sequences = new Map(
    (
      db
        .prepare(
          `SELECT *, EXISTS (SELECT 1 FROM jobs WHERE jobs.org_id = sequences.org_id AND kind = 'sequence.look'
             AND key = sequences.id) AS is_looked_at FROM sequences`,
        )
        .all() as Sequence[]
    ).map((each) => [each.id, each]),
  )
  const stepsOf = db.prepare(
    `SELECT step.*, message.status, message.error, message.enrollment_id AS message_of, message.conversation_id
     FROM enrollment_steps AS step
     LEFT JOIN messages AS message ON message.org_id = step.org_id AND message.id = step.message_id
     WHERE step.org_id = ? AND step.enrollment_id = ? ORDER BY step.position`,
  )
  const jobOf = db.prepare("SELECT * FROM jobs WHERE org_id = ? AND kind = 'enrollment.step' AND key = ?")
  const contactOf = db.prepare('SELECT do_not_contact, unsubscribed_at FROM contacts WHERE org_id = ? AND id = ?')
  const heard = db
    .prepare(
      `SELECT count(*) FROM messages WHERE org_id = ? AND conversation_id = ? AND direction = 'inbound'
       AND is_automatic = 0`,
    )
    .pluck()
  const tell = told(db)

  return (db.prepare('SELECT * FROM enrollments').all() as Enrollment[]).flatMap((one) => {
    const { org_id: org, id, contact_id, conversation_id } = one
    const steps = stepsOf.all(org, id) as Done[]
    const version = versionOf(one)
    const sequence = sequences.get(one.sequence_id)!
    const contact = contact_id === null ? undefined : (contactOf.get(org, contact_id) as Contact | undefined)
    const isHeard = conversation_id !== null && heard.get(org, conversation_id) !== 0
    const faults = [
      ...ownFaults(one, version),
      ...stepFaults(one, steps, version),
      ...stopFaults(one, steps, { contact, sequence, version, isHeard }),
      ...jobFaults(one, jobOf.get(org, id) as Job | undefined, sequence),
      ...tell(one),
    ]
    const told = `${one.status}, ${one.stop_reason}, ${steps.at(-1)?.error ?? 'no error'}`
    return faults.map((each) => `enrollment ${id} (${told}): ${each}`)
  })
}

function versions(db: Database) {
  const find = db.prepare(
    'SELECT steps, stop_on FROM sequence_versions WHERE org_id = ? AND sequence_id = ? AND number = ?',
  )
  const known = new Map<string, Version>()
  return ({ org_id, sequence_id, sequence_version }: Enrollment): Version => {
    const key = `${sequence_id} ${sequence_version}`
    if (!known.has(key)) {
      const { steps, stop_on } = find.get(org_id, sequence_id, sequence_version) as Record<string, string>
      known.set(key, { steps: JSON.parse(steps!), stop_on: JSON.parse(stop_on!) })
    }
    return known.get(key)!
  }
}

/** What its own fields say together. */
function ownFaults(one: Enrollment, { steps }: Version): string[] {
  const isLive = LIVE.includes(one.status)
  const rules: [string, boolean][] = [
    ['it is over without finished_at, or the other way', isLive !== (one.finished_at === null)],
    ['it is over, and something is due, or the other way', isLive !== (one.due_at !== null)],
    [
      'it ended for no reason, or goes on for one',
      ['stopped', 'failed'].includes(one.status) !== (one.stop_reason !== null),
    ],
    [
      'it failed for what stops one, or the other way',
      (one.status === 'failed') !== FAILURES.includes(one.stop_reason ?? ''),
    ],
    ['it is completed before its last step', one.status === 'completed' && one.current_step !== steps.length],
    ['it goes on behind its last step', isLive && one.current_step >= Math.max(steps.length, 1)],
    ['it is to start, and has done something', one.status === 'scheduled' && one.current_step > 0],
  ]
  return rules.flatMap(([what, isWrong]) => (isWrong ? [what] : []))
}

/** Each step was done once, in order, and as the version has it that it follows. */
function stepFaults({ id, current_step, conversation_id }: Enrollment, done: Done[], { steps }: Version): string[] {
  const said: string[] = []
  if (done.length !== current_step) said.push(`it has done ${done.length} steps, and says ${current_step}`)
  for (const [index, { position, step_id, type, ...step }] of done.entries()) {
    const isMail = type === 'email'
    const due = steps[index]
    if (position !== index || step_id !== due?.id || type !== due.type) said.push(`its step ${index} is another one`)
    if (isMail !== (step.message_id !== null) || isMail === (step.task_id !== null))
      said.push(`its step ${index} has not made what it is for`)
    if (!isMail) continue
    if (step.message_of !== id) said.push(`the mail of its step ${index} is not its own`)
    if (step.conversation_id !== conversation_id) said.push(`the mail of its step ${index} is in another conversation`)
    if (step.status === 'sent' && step.sent_at === null) said.push(`its step ${index} was sent, and has no sent_at`)
    if (step.status === 'queued' && step.sent_at !== null) said.push(`its step ${index} has sent_at before it was sent`)
  }
  return said
}

type Around = { contact: Contact | undefined; sequence: Sequence; version: Version; isHeard: boolean }

/** Nothing goes on that should have ended. */
function stopFaults(one: Enrollment, done: Done[], { contact, sequence, version, isHeard }: Around): string[] {
  const isLive = LIVE.includes(one.status)
  const failed = done.some(wasRefused)
  const last = done.at(-1)
  const rules: [string, boolean][] = [
    ['it goes on without a contact', isLive && contact === undefined],
    ['it goes on with somebody who wants to be left alone', isLive && contact?.do_not_contact === 1],
    [
      'it goes on with somebody who unsubscribed',
      isLive && contact != null && contact.unsubscribed_at !== null && version.stop_on.includes('unsubscribe'),
    ],
    ['it was answered, and does not say so', isHeard && one.replied_at === null],
    ['it goes on after an answer', isLive && one.replied_at !== null && version.stop_on.includes('reply')],
    ['it goes on after a mail that was refused', isLive && failed],
    [
      'it is completed by a mail that was refused',
      one.status === 'completed' && last !== undefined && wasRefused(last),
    ],
    ['it goes on in a sequence that was given up', isLive && sequence.status === 'archived' && !sequence.is_looked_at],
    ['it failed by a mail, and none was refused', one.stop_reason === 'send_failed' && !failed],
    ['it stopped by an answer that nobody gave', one.stop_reason === 'reply' && one.replied_at === null],
  ]
  return rules.flatMap(([what, isWrong]) => (isWrong ? [what] : []))
}

/** By a server; one that was not wanted any more when its time came was not, be it after an attempt of which nobody knows. */
const wasRefused = ({ status, sent_at, error }: Done): boolean =>
  status === 'failed' && sent_at === null && !/^It was not sent(?: again)?\./.test(error ?? '')

/** One that goes on has one job, at its time; where its sequence stands still, it may have been looked at already. */
function jobFaults(one: Enrollment, job: Job | undefined, sequence: Sequence): string[] {
  if (one.next_step_at === null) {
    // One that failed again and again stays for people to see.
    return job && one.stop_reason !== 'error' ? ['it has a job, and nothing to do'] : []
  }
  if (job)
    return job.due_at === one.next_step_at ? [] : [`its job is due at ${job.due_at}, and not ${one.next_step_at}`]
  return sequence.status === 'active' && !sequence.is_looked_at ? ['nothing has it go on'] : []
}

/** The newest event shows what it is, and each end was told of once. */
function told(db: Database): (one: Enrollment) => string[] {
  const newest = new Map<string, Told>()
  const times = new Map<string, number>()
  const events = db
    .prepare("SELECT type, object_id, data FROM events WHERE type LIKE 'enrollment.%' ORDER BY commit_seq")
    .raw()
  for (const [type, id, data] of events.iterate() as Iterable<[string, string, string]>) {
    newest.set(id, JSON.parse(data).object)
    times.set(`${type} ${id}`, (times.get(`${type} ${id}`) ?? 0) + 1)
  }
  return (one) => {
    const last = newest.get(one.id)
    if (!last) return one.version > 1 || one.current_step > 0 ? [] : ['nobody was told of it']
    const timesOf = (what: string): number => times.get(`enrollment.${what} ${one.id}`) ?? 0
    if (timesOf('created') === 0) return [] // it was there before events were
    const said: string[] = []
    if (last.version !== one.version || last.status !== one.status || last.current_step !== one.current_step)
      said.push(`it was last told of as ${last.status}, ${last.current_step}, version ${last.version}`)
    if (timesOf('created') !== 1) said.push(`it was told ${timesOf('created')} times that it began`)
    const stops = Number(['stopped', 'failed'].includes(one.status))
    if (timesOf('stopped') !== stops) said.push(`it was told ${timesOf('stopped')} times that it ended early`)
    // One whose last mail is refused was completed before.
    const ends = timesOf('completed')
    if (ends > 1 || (one.status === 'completed' && ends !== 1))
      said.push(`it was told ${ends} times that it is completed`)
    return said
  }
}

type Mail = {
  id: string
  status: string
  error: string | null
  sent_at: number
  external_id: string | null
  mailbox_id: string | null
  address: string | null
  unconfirmed_tries: number | null
  attempted_at: number | null
  job: string | null
  is_leased: number
  told: string | null
}

/** `timesTaken` says how often a mail was taken by whoever got it; `since` is when mails began to go out. */
export function mailFaults(db: Database, timesTaken: (id: string) => number, since: number): string[] {
  const all = db.prepare(
    `SELECT message.id, message.status, message.error, message.external_id, mail.mailbox_id, mailbox.address,
            mail.unconfirmed_tries, mail.attempted_at, job.id AS job, job.leased_until IS NOT NULL AS is_leased,
            (SELECT group_concat(type) FROM events WHERE events.org_id = message.org_id AND object_id = message.id
               AND type IN ('message.sent', 'message.failed')) AS told
     FROM messages AS message
     LEFT JOIN message_headers AS mail ON mail.org_id = message.org_id AND mail.message_id = message.id
     LEFT JOIN mailboxes AS mailbox ON mailbox.org_id = mail.org_id AND mailbox.id = mail.mailbox_id
     LEFT JOIN jobs AS job ON job.org_id = message.org_id AND job.kind = 'message.send' AND job.key = message.id
     WHERE message.direction = 'outbound'`,
  )
  return (all.all() as Mail[])
    .filter(({ id }) => timeOfId(id) >= since)
    .flatMap((one) => {
      const faults = [...queueFaults(one), ...wayFaults(one, timesTaken)]
      return faults.map((each) => `message ${one.id} (${one.status}, ${one.error}): ${each}`)
    })
}

function queueFaults({ status, job, is_leased, mailbox_id, told }: Mail): string[] {
  const said: string[] = []
  if (status === 'queued' && job === null) said.push('it waits, and nothing sends it')
  if (status === 'queued' && mailbox_id === null) said.push('it waits, and no mailbox is to send it')
  // A job ends a moment after its mail.
  if (status !== 'queued' && job !== null && !is_leased) said.push('it does not wait, and something sends it')
  const due = status === 'queued' ? null : `message.${status}`
  if (told !== due) said.push(`it was told of by ${told}, and not by ${due}`)
  return said
}

const MAIL_ID = /^<[^<>\s]+@[^<>\s]+>$/

/** What was sent has come, once; unless nobody could know. */
function wayFaults(one: Mail, timesTaken: (id: string) => number): string[] {
  const { id, status, external_id, address, unconfirmed_tries, attempted_at } = one
  if (address === null) return []
  const own = `<${id}@${address.slice(address.indexOf('@') + 1)}>`
  const times = timesTaken(external_id !== null && MAIL_ID.test(external_id) ? external_id : own)
  const isDoubtful = (unconfirmed_tries ?? 0) > 0 || attempted_at !== null
  if (status === 'sent' && times === 0) return ['it was sent, and nobody has it']
  if (times > 1 && !isDoubtful) return [`it was sent ${times} times`]
  return status !== 'sent' && times > 0 && !isDoubtful ? ['somebody has it'] : []
}

/** What a sequence or an invitation opens is closed until there is an answer; everything else begins open. */
export function openingFaults(db: Database): string[] {
  const wrong = db.prepare(
    `SELECT c.id, first.status FROM conversations AS c
     JOIN conversation_statuses AS first ON first.org_id = c.org_id AND first.conversation_id = c.id
       AND first.conversation_version = 1
     JOIN messages AS message ON message.org_id = c.org_id AND message.id =
       (SELECT min(id) FROM messages AS m WHERE m.org_id = c.org_id AND m.conversation_id = c.id)
     WHERE (first.status = 'closed') <> (message.direction = 'outbound'
       AND (message.enrollment_id IS NOT NULL OR message.is_automatic = 1))`,
  )
  return (wrong.all() as { id: string; status: string }[]).map(
    ({ id, status }) => `the conversation ${id} began ${status}, and should not`,
  )
}
