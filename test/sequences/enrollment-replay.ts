import assert from 'node:assert/strict'
import { applySettings } from '../../src/app/settings/document.ts'
import { mergeStore } from '../../src/cleanup/merges/merges.ts'
import type { Mailbox } from '../../src/inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../../src/inbox/mailboxes/mailboxes.ts'
import { readMail } from '../../src/lib/mail/parse/read.ts'
import { incomingStore } from '../../src/mail/incoming.ts'
import { sequenceKinds } from '../../src/sequences/enrollments/jobs.ts'
import { stopRules } from '../../src/sequences/enrollments/stop-rules.ts'
import { unsubscribing } from '../../src/sequences/enrollments/unsubscribe.ts'
import { schedulerHarness } from '../store/jobs/scheduler-harness.ts'
import { startServer } from '../support/server.ts'

// What plays timelines of enrollments that are written as tables. Each line is
//   time | what happens | how it stands | when the next step is due | what was sent or made | events
// Times are those of a wall clock. `Mon 09:00` is in the week in which the scenario begins, `Mon2 09:00` in the one
// after; `03-28 09:00` is a day of 2027. How it stands is the status, the reason and how many steps are done. What was
// sent or made since the line before is a mail by its subject, a task by its title in brackets, each with its time where
// that is not the one of the line. Mails stay queued: there is no server to send them. The scheduler runs whenever
// something falls due, except while it is down.

type Row = Record<string, string | number | null>
type Item = Record<string, unknown>

const H = 3600
export const DAY = 24 * H

export const mail = (delay_s: number, subject?: string, more: Item = {}): Item => ({
  type: 'email',
  delay_s,
  ...(subject === undefined ? {} : { subject }),
  body: 'Hello {{contact.first_name}}',
  ...more,
})
export const task = (delay_s: number, task_title: string, more: Item = {}): Item => ({
  type: 'task',
  delay_s,
  task_title,
  ...more,
})
export const call = (delay_s: number, task_title: string): Item => ({ ...task(delay_s, task_title), type: 'call' })

const WEEK = Object.fromEntries(
  ['mon', 'tue', 'wed', 'thu', 'fri'].map((day) => [day, [{ from: '09:00', to: '17:00' }]]),
)
export const office = (timezone: string, exceptions: Item[] = []): Item => ({
  ...{ key: 'office', name: 'Office', timezone, weekly: WEEK, exceptions },
})
export const mailbox = (more: Item = {}): Item => ({
  ...{ key: 'sales', name: 'Sales', address: 'sales@acme.example', is_default: true },
  smtp: { host: '127.0.0.1', port: 25, tls: 'none' },
  ...more,
})

export type Setting = {
  steps: Item[]
  hours?: boolean
  exceptions?: Item[]
  stop_on?: string[]
  mailboxes?: Item[]
  sequence?: Item
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const DAY_MS = DAY * 1000

/** A server whose clock follows the tables, all in one time zone. */
export async function startTimelines(timezone: string) {
  const server = await startServer()
  const { a, advance, call: ask, deps, events, lastSeq, now, store } = server
  const scheduler = schedulerHarness(server, { kinds: sequenceKinds(deps) })
  const watch = stopRules(deps)
  const who = { org: a.org, member: a.owner }
  const nextDue = store.db
    .prepare("SELECT min(due_at) FROM jobs WHERE kind IN ('enrollment.step', 'sequence.look') AND failed_at IS NULL")
    .pluck()
  let people = 0
  let scenes = 0
  let start = 0

  const there = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone)

  function at(text: string): number {
    const [, day = '', weeks = '1', date, time = ''] =
      /^(?:(\w{3})(\d)?|(\d\d-\d\d)) (\d\d:\d\d(?::\d\d)?)$/.exec(text) ?? []
    if (date) return Temporal.PlainDateTime.from(`2027-${date}T${time}`).toZonedDateTime(timezone).epochMilliseconds
    assert.ok(DAYS.includes(day), text)
    const days = DAYS.indexOf(day) + 7 * (Number(weeks) - 1)
    return there(start).add({ days }).withPlainTime(time).epochMilliseconds
  }

  /** The other way round. */
  function wall(ms: number, isDated: boolean): string {
    const moment = there(ms)
    const time = moment.toPlainTime().toString({ smallestUnit: ms % 60_000 ? 'second' : 'minute' })
    if (isDated) return `${moment.toPlainDate().toString().slice(5)} ${time}`
    const days = Math.round((moment.startOfDay().epochMilliseconds - start) / DAY_MS)
    const weeks = Math.floor(days / 7) + 1
    return `${DAYS[((days % 7) + 7) % 7]}${weeks === 1 ? '' : weeks} ${time}`
  }

  /** Advances the clock to that moment and runs the jobs that fall due on the way. */
  async function goTo(ms: number, isDown: boolean): Promise<void> {
    for (;;) {
      const due = isDown ? null : (nextDue.get() as number | null)
      if (due === null || due > ms) break
      advance(Math.max(0, due - now()))
      await scheduler.tick()
    }
    assert.ok(ms >= now(), 'time goes on')
    advance(ms - now())
    if (!isDown) await scheduler.tick()
  }

  const made = async (path: string, given: Item): Promise<string> => {
    const { status, body } = await ask('POST', path, given)
    assert.equal(status, 201, JSON.stringify(body))
    return body.id
  }
  const patched = async (path: string, given: Item): Promise<void> => {
    const { status, body } = await ask('PATCH', path, given)
    assert.equal(status, 200, JSON.stringify(body))
  }

  function apply({ steps, hours = false, exceptions = [], stop_on, mailboxes = [mailbox()], sequence = {} }: Setting) {
    const given = { key: `s${scenes}`, name: 'Welcome', status: 'active', steps, hours: hours ? 'office' : null }
    applySettings(store, a.org, {
      org: { name: 'Acme', timezone, currency: 'EUR', public_base_url: 'https://crm.acme.example' },
      hours: [office(timezone, exceptions)],
      mailboxes,
      sequences: [{ ...given, ...(stop_on ? { stop_on } : {}), ...sequence }],
    })
  }

  const newContact = (more: Item = {}): Promise<string> => {
    people++
    return made('/contacts', {
      first_name: 'Ana',
      last_name: 'Ruiz',
      emails: [{ email: `p${people}@x.example` }],
      ...more,
    })
  }

  const one = (sql: string, ...values: unknown[]): Row => store.db.prepare(sql).get(...values) as Row

  async function runTable(setting: Setting, table: string, others: Record<string, Setting> = {}): Promise<void> {
    const lines = table.trim().split('\n')
    const isDated = /^\s*\d/.test(lines[0] as string)
    const today = there(now() + DAY_MS).startOfDay()
    start = today.add({ days: (8 - today.dayOfWeek) % 7 }).epochMilliseconds
    if (!isDated) advance(start - now())
    scenes++
    const contact = await newContact()
    const deal = await made('/deals', { title: 'Rollout', primary_contact_id: contact })
    let current = setting
    apply(current)
    const sequence = one('SELECT id FROM sequences WHERE org_id = ? AND key = ?', a.org, `s${scenes}`).id as string
    const scene = { id: '', contact, deal, sequence }
    let isDown = false
    let seq = lastSeq()

    async function act(action: string): Promise<void> {
      const [verb = '', ...words] = action.split(' ')
      const rest = words.join(' ')
      const { id } = scene
      const message = () =>
        one('SELECT max(id) AS id FROM messages WHERE org_id = ? AND enrollment_id = ?', a.org, id).id as string
      const tell = (job: () => void) => store.write(() => void job())
      const patch = (status: string) => patched(`/enrollments/${id}`, { status })
      const conversation = () => one('SELECT conversation_id AS id FROM enrollments WHERE id = ?', id).id
      const arrive = async (text: string, more: Record<string, string> = {}) => {
        const { email, answered } = one(
          `SELECT contacts.emails ->> 0 ->> 'email' AS email,
             (SELECT external_id FROM messages WHERE enrollment_id = ? ORDER BY id DESC LIMIT 1) AS answered
           FROM contacts WHERE id = ?`,
          id,
          contact,
        )
        const fields = {
          ...{ 'Message-ID': `<away${now()}@x.example>`, From: `${email}`, To: 'sales@acme.example' },
          ...{
            Subject: 'Automatic reply: Hello',
            'In-Reply-To': `${answered}`,
            'Auto-Submitted': 'auto-replied',
            ...more,
          },
        }
        const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
        const read = await readMail(
          Buffer.from(`${head.join('')}Content-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`),
        )
        const box = { ...mailboxStore(deps).defaultOf(a.org), imap: { host: 'imap.acme.example' } } as Mailbox
        await tell(() => void incomingStore(deps).take(a.org, box, read, now()))
      }
      const acts: Record<string, () => unknown> = {
        enroll: async () => {
          const start_at = rest === '' ? {} : { start_at: new Date(at(rest)).toISOString() }
          scene.id = await made('/enrollments', { sequence_id: sequence, contact_id: contact, ...start_at })
        },
        'enroll-for-deal': async () => {
          scene.id = await made('/enrollments', { sequence_id: sequence, contact_id: contact, deal_id: deal })
        },
        /** Enrolls other contacts, which the table does not show. */
        crowd: async () => {
          for (let n = 0; n < Number(rest); n++)
            await made('/enrollments', { sequence_id: sequence, contact_id: await newContact() })
          await goTo(now(), false)
        },
        pause: () => patch('paused'),
        resume: () => patch('active'),
        stop: () => patch('stopped'),
        down: () => void (isDown = true),
        up: () => void (isDown = false),
        sequence: () => apply({ ...current, sequence: { status: rest } }),
        settings: () => {
          current = others[rest] as Setting
          apply(current)
        },
        reply: () =>
          made('/messages', {
            ...(rest === 'elsewhere'
              ? { contact_id: contact, channel: 'chat' }
              : { conversation_id: conversation(), from: { email: 'someone@x.example' } }),
            direction: 'inbound',
            body_text: 'Thanks',
          }),
        /** An automatic reply of the contact, as it is on the wire. */
        away: () => arrive(rest),
        /** The same by somebody else, from another address. */
        'away-colleague': () => arrive(rest, { From: 'Tom <tom@x.example>' }),
        /** A new mail of the contact, that a program sent, or a person. */
        'away-elsewhere': () => arrive(rest, { 'In-Reply-To': '' }),
        'write-away': () => arrive(rest, { 'In-Reply-To': '', 'Auto-Submitted': 'no' }),
        'away-subject': () => arrive('I am away.', { Subject: rest }),
        'away-forged': () => arrive(rest, { 'Authentication-Results': 'mx.acme.example; dmarc=fail' }),
        bounce: () => tell(() => watch.bounced({ org: a.org, member: null }, { id: message() })),
        refuse: () => tell(() => watch.failed({ org: a.org, member: null }, { id: message() })),
        unsubscribe: () =>
          tell(() => {
            const { unsubscribe, url } = unsubscribing(deps)
            assert.ok(unsubscribe((url(a.org, { id }) as string).split('/').at(-1) as string))
          }),
        meeting: () =>
          made('/meetings', {
            title: 'Demo',
            starts_at: new Date(at(rest)).toISOString(),
            ends_at: new Date(at(rest) + 3_600_000).toISOString(),
            participants: [{ contact_id: contact }],
          }),
        win: async () => {
          assert.equal((await ask('POST', `/deals/${deal}/close`, { reason_id: a.reasons.won })).status, 200)
        },
        'leave-alone': () => patched(`/contacts/${contact}`, { do_not_contact: true }),
        'no-email': () => patched(`/contacts/${contact}`, { emails: [] }),
        delete: async () => {
          assert.equal((await ask('DELETE', `/contacts/${contact}`)).status, 204)
        },
        'merge-away': async () => {
          const kept = await newContact()
          await tell(() => void mergeStore(deps).merge(who, 'contact', kept, contact))
        },
      }
      const found = acts[verb]
      assert.ok(found, `nobody knows how to "${action}"`)
      await found()
    }

    /** What was sent or made, since that event, by all enrollments of the sequence. */
    function done(from: string, lineAt: number): string {
      const rows = store.db
        .prepare(
          `SELECT step.at, message_headers.subject, tasks.title FROM enrollment_steps AS step
             JOIN enrollments ON enrollments.org_id = step.org_id AND enrollments.id = step.enrollment_id
             LEFT JOIN message_headers ON message_headers.org_id = step.org_id AND message_headers.message_id = step.message_id
             LEFT JOIN tasks ON tasks.org_id = step.org_id AND tasks.id = step.task_id
           WHERE step.org_id = ? AND enrollments.id = ? ORDER BY step.position`,
        )
        .all(a.org, scene.id) as Row[]
      const fresh = rows.slice(Number(from))
      return fresh
        .map(({ at: ms, subject, title }) => {
          const what = title === null ? `${subject}` : `[${title}]`
          return ms === lineAt ? what : `${what} ${wall(ms as number, isDated)}`
        })
        .join(', ')
    }

    let known = 0
    for (const line of lines) {
      const [time = '', action = '', status = '', next = '', did = '', told = ''] = line
        .split('|')
        .map((cell) => cell.trim())
      const lineAt = at(time)
      await goTo(lineAt, isDown)
      if (action !== '') await act(action)
      if (isDown) continue
      await goTo(lineAt, false)
      if (scene.id === '') continue
      const { body } = await ask('GET', `/enrollments/${scene.id}`)
      const types = events(seq)
        .filter(({ object_id, type }) => object_id === scene.id && type.startsWith('enrollment.'))
        .map(({ type }) => type.slice('enrollment.'.length))
      const reason = body.stop_reason === null ? '' : ` ${body.stop_reason}`
      assert.deepEqual(
        {
          status: `${body.status}${reason} ${body.current_step}`,
          next: body.next_step_at === null ? '' : wall(Date.parse(body.next_step_at), isDated),
          did: done(String(known), lineAt),
          told: types.join(' '),
        },
        { status, next, did, told },
        `${time} | ${action}`,
      )
      known = store.db.prepare('SELECT 1 FROM enrollment_steps WHERE enrollment_id = ?').all(scene.id).length
      seq = lastSeq()
    }
  }

  async function stop(): Promise<void> {
    await scheduler.stop()
    await server.stop()
  }

  return { ...server, scheduler, apply, at, goTo, made, newContact, runTable, stop, who }
}
