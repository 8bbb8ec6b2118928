import assert from 'node:assert/strict'
import test from 'node:test'
import { exchange } from '../../../src/demo/story/inbox.ts'
import { life } from '../../../src/demo/story/sales.ts'
import type { Profile, Step } from '../../../src/demo/story/steps.ts'
import { work } from '../../../src/demo/story/work.ts'
import { AS_OF, between, type Of, share, unique } from '../replay/replay-fixture.ts'

const DAY_MS = 86_400_000
const SAID = new Set(['service', 'talk', 'say', 'tend', 'meeting', 'held', 'transcript'])

const tell = (profile: Profile, seed = 1, asOf = AS_OF): Step[] => {
  const options = { seed, profile, asOf }
  return [...exchange(work(life(options), options), options)]
}
const usual = { demo: tell('demo'), '10k': tell('10k') }

const only = <Do extends Step['do']>(steps: Step[], ...what: Do[]) =>
  steps.filter((step) => (what as string[]).includes(step.do)) as Extract<Step, { do: Do }>[]

/** In the order of their talks: the steps of each. */
function talksOf(steps: Step[]): { first: Of<'talk'>; rest: (Of<'say'> | Of<'tend'>)[] }[] {
  const talks = only(steps, 'talk').map((first) => ({ first, rest: [] as (Of<'say'> | Of<'tend'>)[] }))
  for (const step of only(steps, 'say', 'tend')) talks[step.talk]?.rest.push(step)
  return talks
}

test('what is said around a life changes nothing of it', () => {
  for (const profile of ['demo', '10k'] as const) {
    const options = { seed: 1, profile, asOf: AS_OF }
    const story = usual[profile].filter((step) => !SAID.has(step.do))
    assert.equal(JSON.stringify(story), JSON.stringify([...work(life(options), options)]))
  }
})

test('the same options say the same, another seed says something else', () => {
  const text = (seed: number) => JSON.stringify(tell('demo', seed))
  assert.equal(text(1), text(1))
  assert.notEqual(text(1), text(2))
})

for (const profile of ['demo', '10k'] as const) {
  test(`all that is said in the ${profile} is in the order of time, by and about those who are there`, () => {
    const made = { deal: 0, contact: 0, company: 0, member: 0, tag: 0, talk: 0, meeting: 0 }
    const viewers = new Set<number>()
    let before = 0
    for (const step of usual[profile]) {
      assert.ok(step.at >= before && step.at <= AS_OF && Number.isInteger(step.at), 'out of order')
      before = step.at
      if ('by' in step && step.by !== undefined && SAID.has(step.do))
        assert.ok(step.by < made.member && !viewers.has(step.by), 'by nobody, or by one who only looks on')
      if (step.do === 'service') assert.ok(step.keyTag < made.tag)
      if (step.do === 'talk' && 'contact' in step) assert.ok(step.contact < made.contact)
      if (step.do === 'tend') {
        assert.ok((step.deal ?? -1) < made.deal && (step.owner ?? -1) < made.member)
        for (const tag of step.tags ?? []) assert.ok(tag < made.tag)
      }
      if (step.do === 'say' || step.do === 'tend') assert.ok(step.talk < made.talk)
      if (step.do === 'held' || step.do === 'transcript') assert.ok(step.meeting < made.meeting)
      if (step.do === 'meeting') {
        assert.ok((step.company ?? -1) < made.company && (step.deal ?? -1) < made.deal)
        for (const guest of step.guests) {
          if ('contact' in guest) assert.ok(guest.contact < made.contact)
          if ('member' in guest) assert.ok(guest.member < made.member)
        }
      }
      if (step.do in made && 'ref' in step) assert.equal(step.ref, made[step.do as keyof typeof made]++)
      if (step.do === 'member' && step.given.role === 'viewer') viewers.add(step.ref)
    }
  })
}

test('every seed has an inbox in use: so many conversations, meetings and transcripts', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const steps = tell('demo', seed)
    between(only(steps, 'talk').length, 60, 90)
    between(only(steps, 'say').length, 110, 210)
    between(only(steps, 'meeting').length, 36, 50)
    between(only(steps, 'transcript').length, 6, 8)
    for (const { given } of only(steps, 'transcript')) between(given.segments.length, 20, 60)
    const strangers = only(steps, 'talk').flatMap((talk) => ('from' in talk ? [talk.from] : []))
    between(strangers.length, 3, 10)
    unique(strangers.map(({ email }) => email))
    assert.equal(only(steps, 'service').length, 1)
  }
})

test('the large profiles have some of it, and no more transcripts than the smallest', () => {
  const steps = usual['10k']
  between(only(steps, 'talk').length, 700, 1100)
  between(only(steps, 'meeting').length, 600, 1000)
  between(only(steps, 'transcript').length, 10, 20)
  const talks = talksOf(steps)
  between(talks.reduce((sum, { rest }) => sum + 1 + only(rest, 'say').length, 0) / talks.length, 3, 4)
})

test('texts have all of their words, and mails know what they answer', () => {
  for (const { first, rest } of [...talksOf(usual.demo), ...talksOf(usual['10k'])]) {
    const { channel } = first
    const all = [first, ...only(rest, 'say')].map(({ given }) => given)
    const known: string[] = []
    assert.equal(first.subject === null, channel === 'sms' || (channel === 'chat' && first.subject === null))
    for (const { direction, body_text, body_html = '', external_id, in_reply_to, attachments = [] } of all) {
      assert.doesNotMatch(`${first.subject}${body_text}${body_html}`, /[{}]|undefined|\bnull,/)
      assert.ok(body_text.trim() === body_text && body_text.isWellFormed())
      assert.equal(external_id !== undefined, channel === 'email' && direction !== 'note')
      assert.equal(in_reply_to, external_id === undefined ? undefined : known.at(-1))
      if (external_id !== undefined) known.push(external_id)
      for (const { data, content_type } of attachments) checkFile(Buffer.from(data, 'base64'), content_type)
    }
    unique(known)
  }
})

test('a reader of PDF finds every object where the file says that it is', () => {
  const files = only(usual.demo, 'say').flatMap(({ given }) => given.attachments ?? [])
  const pdfs = files.filter(({ content_type }) => content_type === 'application/pdf')
  assert.ok(pdfs.length > 3 && files.length > pdfs.length)
  for (const { data } of pdfs) {
    const text = Buffer.from(data, 'base64').toString('latin1')
    const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1])
    assert.match(text.slice(start), /^xref\n0 6\n0{10} 65535 f \n/)
    const places = [...text.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, place]) => Number(place))
    assert.equal(places.length, 5)
    for (const [index, place] of places.entries()) assert.ok(text.startsWith(`${index + 1} 0 obj\n`, place))
    const [, length, stream] = /<< \/Length (\d+) >>\nstream\n([\s\S]*?)\nendstream/.exec(text) ?? []
    assert.equal(stream?.length, Number(length))
  }
})

function checkFile(bytes: Buffer, type: string): void {
  assert.ok(bytes.length > 20)
  if (type === 'application/pdf') assert.equal(bytes.subarray(0, 5).toString(), '%PDF-')
  else assert.match(bytes.toString(), /^(?:[^,\r\n]*,)+[^,\r\n]*\r\n/)
}

test('the team answers in working time, the others also in the evening', () => {
  const steps = usual['10k']
  const isWork = (at: number) => {
    const time = new Date(at)
    return time.getUTCDay() % 6 !== 0 && at % DAY_MS >= 8 * 3_600_000 && at % DAY_MS <= 16 * 3_600_000
  }
  for (const step of only(steps, 'tend')) assert.ok(isWork(step.at))
  const said = only(steps, 'say', 'talk')
  for (const { at, by } of said) if (by !== undefined) assert.ok(isWork(at), new Date(at).toISOString())
  const others = said.filter(({ given }) => given.direction === 'inbound')
  between(
    share(others, ({ at }) => !isWork(at)),
    0.03,
    0.15,
  )
  for (const { at, by, given } of said) {
    assert.equal(by === undefined, given.direction === 'inbound' && by === undefined)
    if (given.direction !== 'inbound') assert.ok(by !== undefined, new Date(at).toISOString())
  }
})

test('conversations end, but for a handful that nobody has finished', () => {
  for (const { profile, least } of [
    { profile: 'demo', least: 0.75 },
    { profile: '10k', least: 0.97 },
  ] as const) {
    const talks = talksOf(usual[profile])
    const isDone = ({ rest }: (typeof talks)[number]) =>
      only(rest, 'tend').some(({ given: { status } }) => status === 'closed')
    between(share(talks, isDone), least, 1)
    assert.ok(talks.filter((talk) => !isDone(talk)).length >= 8)
    for (const { rest } of talks) {
      const closed = rest.findIndex((step) => step.do === 'tend' && step.given.status === 'closed')
      const next = rest[closed + 1]
      if (closed >= 0 && next)
        assert.ok(next.do === 'say' && next.given.direction === 'inbound', 'a closed one goes on')
    }
  }
})

test('a conversation is put off to a time ahead, and goes on behind it', () => {
  for (const { rest } of talksOf(usual['10k'])) {
    for (const [index, step] of rest.entries()) {
      if (step.do !== 'tend' || step.given.status !== 'snoozed') continue
      const until = Date.parse(step.given.snoozed_until as string)
      assert.ok(until > step.at)
      const next = rest[index + 1]
      if (next) assert.ok(next.at > until)
    }
  }
})

test('meetings are held in working time, after they were arranged, and end one way', () => {
  for (const profile of ['demo', '10k'] as const) {
    const steps = usual[profile]
    const ends = new Map<number, Of<'held'>>()
    for (const held of only(steps, 'held')) {
      assert.ok(!ends.has(held.meeting), 'held twice')
      ends.set(held.meeting, held)
    }
    const meetings = only(steps, 'meeting')
    for (const { at, ref, given, guests } of meetings) {
      const [start, end] = [Date.parse(given.starts_at), Date.parse(given.ends_at)]
      assert.ok(start > at && end > start && start % 1_800_000 === 0)
      assert.ok(new Date(start).getUTCDay() % 6 !== 0 && new Date(start).getUTCHours() >= 8)
      assert.equal(guests.filter(({ role }) => role === 'organizer').length, 1)
      unique(guests.map(({ role, response, ...who }) => JSON.stringify(who)))
      assert.equal(given.location === null, given.conference_url !== null)
      const held = ends.get(ref)
      if (!held) assert.ok(end + 26 * 60_000 > AS_OF || start > AS_OF, 'nobody wrote down what became of it')
      else if (held.given.status === 'canceled') assert.ok(held.at < start && held.at > at)
      else assert.ok(held.at > end)
    }
    const statuses = [...ends.values()].map(({ given }) => given.status)
    between(
      share(statuses, (status) => status === 'completed'),
      0.7,
      0.95,
    )
    // The small demo may have none of a rare kind.
    const rare = ['no_show', 'canceled'].filter((status) => statuses.some((each) => each === status))
    assert.ok(rare.length >= (profile === 'demo' ? 1 : 2))
    assert.ok(meetings.filter(({ given }) => Date.parse(given.starts_at) > AS_OF).length >= 4)
    unique(meetings.flatMap(({ given }) => given.ical_uid ?? []))
  }
})

test('a transcript is of a meeting that took place online, by those who were there, in order', () => {
  const steps = usual.demo
  const meetings = only(steps, 'meeting')
  for (const { at, meeting, voices, given } of only(steps, 'transcript')) {
    const { guests, given: planned } = meetings[meeting] as Of<'meeting'>
    assert.ok(planned.conference_url !== null && at > Date.parse(planned.ends_at))
    const held = only(steps, 'held').find((step) => step.meeting === meeting)
    assert.deepEqual(
      [held?.given.status, held?.given.recording_url],
      ['completed', `${planned.conference_url}/recording`],
    )
    const there = guests.map((guest) =>
      'contact' in guest ? `c${guest.contact}` : 'member' in guest && `m${guest.member}`,
    )
    for (const { contact, member } of voices)
      assert.ok(there.includes(contact === undefined ? `m${member}` : `c${contact}`))
    const keys = new Set(voices.map(({ key }) => key))
    let before = 0
    for (const { speaker, start_ms, end_ms, text } of given.segments) {
      assert.ok(keys.has(speaker) && start_ms > before && end_ms > start_ms)
      assert.doesNotMatch(text, /[{}]|undefined/)
      before = end_ms
    }
    assert.ok(before < Date.parse(planned.ends_at) - Date.parse(planned.starts_at))
  }
})

test('whatever the last day is, there is something that nobody has finished', () => {
  for (const day of ['2026-11-21', '2026-11-23', '2026-12-25', '2027-01-01', '2027-01-04', '2027-01-08']) {
    const asOf = Date.parse(day)
    const steps = tell('demo', 3, asOf)
    const tended = new Map(only(steps, 'tend').map(({ talk, given }) => [talk, given]))
    const last = (status: string) => [...tended.values()].filter((given) => given.status === status)
    assert.ok(last('pending').length >= 2, day)
    const asleep = last('snoozed').filter(({ snoozed_until }) => Date.parse(snoozed_until as string) > asOf)
    assert.ok(asleep.length >= 2, day)
    const unread = only(steps, 'talk').filter(({ ref, given }) => given.direction === 'inbound' && !tended.has(ref))
    assert.ok(unread.length >= 2, day)
    const ahead = only(steps, 'meeting').filter(({ given }) => Date.parse(given.starts_at) > asOf)
    assert.ok(ahead.length >= 4, day)
  }
})
