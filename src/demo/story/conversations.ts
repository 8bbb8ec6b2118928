import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import { type Channel, type Line, type Topic, WORDS } from '../words/words.ts'
import { WORKING_DAY_MS, type WorkingTime } from './calendar.ts'
import { fileOf } from './files.ts'
import { mail, type Writer } from './mail.ts'
import type { Random } from './random.ts'
import type { MessageGiven, Step, Stranger, TendGiven } from './steps.ts'

/** Share of replies after which a conversation is set to pending. */
const PENDING = 0.6
/** Share of closed conversations that a customer reopens. */
const AGAIN = 0.12
/** Share of messages written in the evening. */
const EVENING = 0.15

/** Long enough to last beyond the end of a story that is near. */
const LONG_DAYS = 6

const LAST_WORDS = [
  'One more word: it works, and everybody here is glad. Thank you!',
  'I forgot to say thank you. So: thank you!',
  'Just to let you know that all is well here now.',
]

/** The tag of customers with their own SLA policy. */
export const KEY_TAG = WORDS.tags[0]?.name as string

/** The contact or stranger of a conversation. */
export type Partner = {
  who: { contact: number } | { from: Stranger }
  first: string
  name: string
  firm: string
  deal?: number | undefined
  seats: string
  /** Channels on which the partner can be reached. */
  channels: readonly Channel[]
  /** The member who owns the deal. */
  owner: number
  /** A customer with its own SLA policy. */
  isKey: boolean
}

/** How a conversation ends; some are unfinished when the story ends. */
export type Ending = 'closed' | 'unread' | 'taken' | 'pending' | 'snoozed'

export type Later = (at: number, act: (at: number) => Iterable<Step>) => void

type Talk = {
  ref: number
  topic: Topic
  channel: Channel
  partner: Partner
  ending: Ending
  words: Record<string, string>
  number: number
  /** Index of the next line. */
  next: number
  /** A member will handle it; `isNoticed`: has handled it. */
  isTaken: boolean
  isNoticed: boolean
  isUnread: boolean
  isReopened: boolean
  last: { text: string; id: string } | undefined
  mails: number
}

/** What the conversations need from the story. */
type Surroundings = {
  random: Random
  desk: WorkingTime
  later: Later
  /** The team records everything, including pending conversations. */
  isThorough: boolean
  member: (ref: number) => Writer
  /** Returns the number of a tag, undefined if it does not exist yet. */
  tag: (name: string) => number | undefined
}

/** Generates conversations: each proceeds from line to line at the pace of its channel. */
export function conversationBook({ random, desk, later, isThorough, member, tag }: Surroundings) {
  let count = 0

  function* open(at: number, partner: Partner, topic: Topic, ending: Ending = 'closed'): Generator<Step> {
    const number = random.between(1000, 9999)
    const talk: Talk = {
      ref: count++,
      topic,
      channel: random.pick(topic.channels.filter((each) => partner.channels.includes(each))),
      partner,
      ending,
      words: {
        them: partner.first,
        us: member(partner.owner).first,
        firm: partner.firm,
        seats: partner.seats,
        module: random.pick(WORDS.modules),
        team: random.pick(WORDS.teams),
        day: random.pick(WORDS.days),
        number: String(number),
      },
      number,
      next: 1,
      isTaken: false,
      isNoticed: false,
      isUnread: false,
      isReopened: false,
      last: undefined,
      mails: 0,
    }
    const line = topic.lines[0] as Line
    const subject = topic.subject === null ? null : told(topic.subject, talk.words)
    yield {
      do: 'talk',
      at,
      ref: talk.ref,
      by: writer(talk, line),
      channel: talk.channel,
      subject,
      given: message(talk, line),
      ...partner.who,
    }
    follow(talk, line, at)
  }

  function* speak(talk: Talk, at: number): Generator<Step> {
    const line = talk.topic.lines[talk.next++] as Line
    yield { do: 'say', at, talk: talk.ref, by: writer(talk, line), given: message(talk, line) }
    follow(talk, line, at)
  }

  /** Plans what follows a line. */
  function follow(talk: Talk, line: Line, at: number): void {
    const { ending } = talk
    if (line.by === 'them') talk.isUnread = true
    if (ending === 'unread') return
    if (ending === 'taken') takeUp(talk, after(at, 25))
    else if (line.by === 'us' && (ending === 'pending' || ending === 'snoozed')) leave(talk, at, ending)
    else goOn(talk, line, at)
  }

  function goOn(talk: Talk, line: Line, at: number): void {
    if (line.by === 'us' && !talk.isTaken) takeUp(talk, after(at, 1))
    const next = talk.topic.lines[talk.next]
    if (!next) done(talk, line, at)
    else if (next.by === 'them') wait(talk, line, at)
    else if (line.days !== undefined) putOff(talk, at, line.days)
    else answer(talk, next, at)
  }

  /**
   * Closes the conversation a while after the last line. A final thank-you needs no reply, but its SLA target is met
   * only when a member has read it.
   */
  function done(talk: Talk, line: Line, at: number): void {
    const minutes = line.by === 'them' ? answerTime(talk) : random.between(12, 600)
    later(after(at, minutes), (now) => close(talk, now))
  }

  function answer(talk: Talk, line: Line, at: number): void {
    const minutes = line.by === 'note' ? random.between(6, 40) : answerTime(talk)
    if (!talk.isTaken || (talk.isUnread && isThorough)) takeUp(talk, after(at, minutes))
    later(after(at, minutes + 3), (now) => speak(talk, now))
  }

  /** Waits for the other side to reply. */
  function wait(talk: Talk, line: Line, at: number): void {
    if (line.by === 'us' && isThorough && random.chance(PENDING))
      later(after(at, 2), (now) => tend(talk, now, { status: 'pending' }))
    const minutes = { email: 5 * 60, chat: 2.5, sms: 20, phone: 120 }[talk.channel]
    const reply = after(at, 3 + Math.min(random.logNormal(minutes, 0.9), 3 * 8 * 60))
    later(sometimesLate(talk.channel, reply), (now) => speak(talk, now))
  }

  function answerTime({ channel, topic, partner }: Talk): number {
    const haste = topic.priority === 'high' || topic.priority === 'urgent' ? 0.4 : 1
    const minutes = { email: 70, chat: 3, sms: 15, phone: 60 }[channel] * haste * (partner.isKey ? 0.6 : 1)
    return 1 + Math.min(random.logNormal(minutes, 0.9), 11 * 60)
  }

  /** Snoozes the conversation until the office opens `days` working days later; then a member continues. */
  function putOff(talk: Talk, at: number, days: number): void {
    const opens = snooze(talk, after(at, 2), days)
    later(after(opens, random.between(10, 90)), (now) => speak(talk, now))
  }

  function leave(talk: Talk, at: number, ending: 'pending' | 'snoozed'): void {
    if (ending === 'snoozed') snooze(talk, after(at, 2), LONG_DAYS)
    else later(after(at, 2), (now) => tend(talk, now, { status: 'pending' }))
  }

  /** Snoozes until the office opens `days` working days later; returns that time. */
  function snooze(talk: Talk, at: number, days: number): number {
    const opens = desk.at((Math.floor(desk.of(at) / WORKING_DAY_MS) + days) * WORKING_DAY_MS)
    later(at, (now) => tend(talk, now, { status: 'snoozed', snoozed_until: new Date(opens).toISOString() }))
    return opens
  }

  function takeUp(talk: Talk, at: number): void {
    talk.isTaken = true
    talk.isUnread = false
    later(at, (now) => tend(talk, now, {}))
  }

  function* close(talk: Talk, at: number): Generator<Step> {
    yield* tend(talk, at, { status: 'closed' })
    if (talk.isReopened || talk.topic.on !== 'won' || talk.channel === 'phone' || !random.chance(AGAIN)) return
    talk.isReopened = true
    later(after(at, random.between(500, 2400)), (now) => again(talk, now))
  }

  function* again(talk: Talk, at: number): Generator<Step> {
    const line: Line = { by: 'them', texts: LAST_WORDS }
    yield { do: 'say', at, talk: talk.ref, given: message(talk, line) }
    done(talk, line, at)
  }

  /** The first call also assigns an owner and links what the conversation is about. */
  function* tend(talk: Talk, at: number, given: TendGiven): Generator<Step> {
    const { ref, partner, topic } = talk
    const common = { do: 'tend', at, talk: ref, by: partner.owner } as const
    if (talk.isNoticed) {
      yield { ...common, given }
      return
    }
    talk.isNoticed = true
    const named = [...(partner.isKey ? [KEY_TAG] : []), ...(topic.tag === undefined ? [] : [topic.tag])]
    const tags = named.flatMap((name) => tag(name) ?? [])
    const priority = topic.priority === undefined ? {} : { priority: topic.priority }
    yield { ...common, given: { ...priority, ...given }, owner: partner.owner, deal: partner.deal, tags }
  }

  /** Calls are recorded by the member who takes them. */
  const writer = ({ channel, partner }: Talk, { by }: Line): number | undefined =>
    by === 'them' && channel !== 'phone' ? undefined : partner.owner

  function message(talk: Talk, line: Line): MessageGiven {
    const { channel, partner, last, number } = talk
    const text = told(random.pick(line.texts), talk.words)
    const direction = ({ them: 'inbound', us: 'outbound', note: 'note' } as const)[line.by]
    const files = line.file ? { attachments: [fileOf(random, line.file, number, partner.firm)] } : {}
    if (channel !== 'email' || direction === 'note') return { direction, body_text: text, ...files }
    const isTeam = direction === 'outbound'
    const from = isTeam ? member(partner.owner) : { first: partner.first, name: partner.name, isTeam }
    const to = isTeam ? partner.first : talk.isTaken ? member(partner.owner).first : null
    const id = `<talk-${talk.ref}.${talk.mails++}@${isTeam ? 'northwind-demo' : 'mail'}.example>`
    talk.last = { text, id }
    const given = mail(random, text, { from, to, before: last?.text })
    return { direction, ...given, ...files, external_id: id, ...(last ? { in_reply_to: last.id } : {}) }
  }

  const after = (at: number, minutes: number): number => desk.at(desk.of(at) + Math.ceil(minutes * MINUTE_MS))

  /** Emails and text messages are also written in the evening. */
  function sometimesLate(channel: Channel, at: number): number {
    if (channel === 'chat' || channel === 'phone' || !random.chance(EVENING)) return at
    const evening = Math.floor(at / DAY_MS) * DAY_MS + 17 * HOUR_MS
    return evening + random.int(5 * HOUR_MS)
  }

  return { open }
}

/** Fills in the placeholders of a text. */
export function told(text: string, words: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => words[name] as string)
}
