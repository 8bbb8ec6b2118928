import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { officeOf } from '../../mail/office.ts'
import { SUPPORT, setMailboxes } from '../../support/mailbox.ts'
import { type Row, recordsOf } from '../../support/records.ts'
import { examples } from '../../support/seed.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { startSmtp } from '../../support/smtp.ts'
import { type Read, readInvitation, responsesOf, takeIn } from './post.ts'

// Whatever is changed, and in whatever order the mails arrive, the calendars of the participants have the meeting as it is.

let server: TestServer
let desk: ReturnType<typeof officeOf>
before(async () => {
  server = await startServer()
  desk = officeOf(server)
})
after(() => server.stop())
const { newRecord, getRecord } = recordsOf(() => server)

const PEOPLE = ['eva@firm.example', 'Bo@Other.example', 'ida@third.example', 'ana@acme.example', 'support@acme.example']
const hour = (day: number, hours: number): string => new Date(Date.UTC(2026, 11, day, hours)).toISOString()

const participants = fc
  .subarray(PEOPLE)
  .map((emails) => emails.map((email, index) => ({ email: index % 2 ? email : email.toLowerCase() })))
const changes = fc.record(
  {
    title: fc.constantFrom('Demo', 'Talk', 'Demo; with, "signs"\\', 'Überblick 🎉'),
    location: fc.constantFrom(null, 'Room 4', 'Somewhere'),
    description: fc.constantFrom(null, 'First line\nsecond line'),
    at: fc.constantFrom(1, 2, 3),
    timezone: fc.constantFrom(null, 'Europe/Berlin', 'America/New_York'),
    status: fc.constantFrom('scheduled', 'canceled'),
    summary: fc.constantFrom('Fine', 'Good'),
    participants,
  },
  { requiredKeys: [] },
)
type Changes = Partial<{ at: number; status: string; participants: { email: string }[] }> & Row
const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant('change' as const), changes }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('answer' as const),
        who: fc.nat(2),
        response: fc.constantFrom('accepted', 'declined'),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 900, 60_000) }) },
  ),
  { maxLength: 12 },
)

const given = ({ at, ...rest }: Changes): Row => ({
  ...rest,
  ...(at === undefined ? {} : { starts_at: hour(at, 9), ends_at: hour(at, 10) }),
})

/** One event of a calendar; `CANCEL` removes it. */
type Calendar = Map<string, Read>

/** As RFC 5546 says: the newer version counts, by SEQUENCE and then by DTSTAMP. */
function apply(calendar: Calendar, mail: Read): void {
  const known = calendar.get(mail.uid)
  if (known && (known.sequence > mail.sequence || (known.sequence === mail.sequence && known.stamp >= mail.stamp)))
    return
  calendar.set(mail.uid, mail)
}

test('at the end each calendar has the meeting as it is, in whatever order the mails arrive', async (t) => {
  const smtp = await startSmtp(t)
  const { tick } = desk.office(t, smtp.server.port)
  await fc.assert(
    fc.asyncProperty(
      changes,
      steps,
      fc.boolean(),
      fc.infiniteStream(fc.nat()),
      async (first, all, isDeleted, random) => {
        smtp.mails.length = 0
        const meeting = await newRecord('/meetings', {
          title: 'Demo',
          starts_at: hour(1, 9),
          ends_at: hour(1, 10),
          send_invitations: true,
          ...given(first),
        })
        const path = `/meetings/${meeting.id}`
        for (const step of all) {
          if (step.do === 'wait') server.advance(step.ms)
          else {
            const now = await getRecord(path)
            const answering = now.participants.map((each: Row, index: number) =>
              step.do === 'answer' && index === step.who ? { ...each, response: step.response } : each,
            )
            const body = step.do === 'change' ? given(step.changes) : { participants: answering }
            const { status, text } = await server.call('PATCH', path, body)
            assert.equal(status, 200, text)
          }
        }
        const last = await getRecord(path)
        if (isDeleted) assert.equal((await server.call('DELETE', path)).status, 204)
        await tick()
        const calendars = new Map<string, Calendar>()
        const mails = await Promise.all(
          smtp.mails.map(async ({ source, to }) => ({ read: await readInvitation(source), to })),
        )
        const order = mails.map((mail) => ({ mail, place: random.next().value as number }))
        for (const { mail } of order.toSorted((one, other) => one.place - other.place))
          for (const email of mail.to.map((each) => each.toLowerCase())) {
            const calendar = calendars.get(email) ?? new Map()
            apply(calendar, mail.read)
            calendars.set(email, calendar)
          }
        const isOn = !isDeleted && last.status !== 'canceled'
        const there = new Set(isOn ? last.participants.map(({ email }: Row) => email.toLowerCase()) : [])
        for (const email of PEOPLE.map((each) => each.toLowerCase())) {
          const event = calendars.get(email)?.get(`${meeting.id}@dealbox`)
          if (email === 'support@acme.example') assert.equal(event, undefined)
          else if (!there.has(email)) assert.ok(!event || event.method === 'CANCEL', `${email} still has it`)
          else {
            assert.ok(event, `${email} does not have it`)
            const { method, title, description, location, starts, ends } = event
            assert.deepEqual(
              { method, title, description, location, starts, ends },
              {
                method: 'REQUEST',
                title: last.title,
                description: last.description,
                location: last.location,
                starts: Date.parse(last.starts_at),
                ends: Date.parse(last.ends_at),
              },
            )
          }
        }
      },
    ),
    { numRuns: examples(100) },
  )
})

test('two organisations with Dealbox have the same meeting, and the same answers', async (t) => {
  const other = await startServer()
  const smtp = await startSmtp(t)
  const ours = desk.office(t, smtp.server.port)
  const theirs = officeOf(other)
  const { tick } = theirs.office(t, smtp.server.port, { address: 'team@birch.example', name: 'Birch' })
  t.after(() => other.stop()) // after what it sends by has ended
  const box = (at: TestServer, address: string) =>
    setMailboxes(at, [{ ...SUPPORT, address, smtp: { ...SUPPORT.smtp, port: smtp.server.port } }]).support
  const [support, team] = [box(server, 'support@acme.example'), box(other, 'team@birch.example')]
  const last = () => smtp.mails.at(-1)?.source as Buffer

  const meeting = await newRecord('/meetings', {
    title: 'Demo',
    starts_at: hour(1, 9),
    ends_at: hour(1, 10),
    participants: [{ email: 'team@birch.example' }],
    send_invitations: true,
  })
  await ours.tick()
  await takeIn(other, team, last())
  const { data } = await theirs.inbox.get('/meetings')
  const [there] = data
  assert.deepEqual([there.title, there.starts_at, there.ical_uid], ['Demo', meeting.starts_at, `${meeting.id}@dealbox`])
  const accepted = there.participants.map((each: Row) =>
    each.email === 'team@birch.example' ? { ...each, response: 'accepted' } : each,
  )
  const { status, text } = await other.call('PATCH', `/meetings/${there.id}`, {
    participants: accepted,
    send_invitations: true,
  })
  assert.equal(status, 200, text)
  await tick()
  await takeIn(server, support, last())
  const path = `/meetings/${meeting.id}`
  assert.deepEqual(responsesOf(await getRecord(path)), { 'team@birch.example': 'accepted' })

  await server.call('PATCH', path, { starts_at: hour(2, 9), ends_at: hour(2, 10) })
  await ours.tick()
  await takeIn(other, team, last())
  const moved = await theirs.inbox.get(`/meetings/${there.id}`)
  assert.equal(moved.starts_at, hour(2, 9))
  await server.call('DELETE', path)
  await ours.tick()
  await takeIn(other, team, last())
  assert.equal((await theirs.inbox.get(`/meetings/${there.id}`)).status, 'canceled')
  assert.equal((await theirs.inbox.get('/meetings')).data.length, 1)
})
