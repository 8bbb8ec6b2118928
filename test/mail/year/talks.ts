import type { Random } from '../../lib/mail/parse/mime/random.ts'
import { BOXES, type Box, GROUP, HOUR_MS, MINUTE_MS, named, type Person, type Written } from './world.ts'

// What happens in a year: talks of people with our desk, and who answers what in them.

/** One thing that happens. It is told to Dealbox at `seenAt`, which is `at` or later. */
export type Happening =
  | {
      kind: 'mail'
      talk: Talk
      box: Box
      at: number
      seenAt: number
      write: () => Written
      isAwaited: boolean
      isAnswer: boolean
    }
  /** A member writes with Dealbox: an answer, unless it is to others. Its id, and what is signed in it, are known only then. */
  | {
      kind: 'answer'
      talk: Talk
      at: number
      seenAt: number
      reader: { id: string }
      token: { id: string }
      isReplaced: boolean
      /** To the person of the talk unless it says so. */
      to?: Pick<Person, 'name' | 'email'>
      /** It opens a conversation, and goes to these as well. */
      bcc?: readonly Person[]
    }

export type Talk = {
  name: string
  /** With whom it is; null if it is among ourselves. */
  person: Person | null
  /** What Dealbox may not make a message of. */
  isSilent?: boolean
}

type Thread = { talk: Talk; box: Box; subject: string; refs: { id: string }[]; text: string }

/** A member, and two at our domain who have no account. */
const COLLEAGUES = ['Ana <ana@acme.example>', 'Boss <boss@harbor.example>', 'ida@mail.harbor.example']
const SUBJECTS = ['Order', 'Invoice', 'Question', 'Your offer', 'Pump leaks', 'Appointment', 'Hello']
const REMARKS = ['Thanks for that.', 'It still leaks.', 'When can you come?', 'I take it.', 'No, the other one.']

export function yearOf(random: Random, people: readonly Person[], start: number, count: number): Happening[] {
  const all: Happening[] = []
  let talks = 0
  let ids = 0
  const ownId = () => `<own${++ids}@harbor.example>`
  /** Servers hold back the first mail of somebody, so that what answers it may come before it. */
  const delay = (): number => random.pick([0, 0, 0, 5, 30, 118, 300]) * MINUTE_MS

  function mail(
    { talk, box }: Pick<Thread, 'talk' | 'box'>,
    at: number,
    write: () => Written,
    { isAwaited = false, isAnswer = false, isFirst = false, isOurs = true } = {},
  ): void {
    const seenAt = at + (isFirst ? delay() : 0)
    all.push({ kind: 'mail', talk, box, at, seenAt, write, isAwaited, isAnswer })
    if (!random.chance(0.06)) return
    // It comes twice: the same again, or by another mailbox, where a gateway may have changed it.
    const other = random.pick([box, ...BOXES])
    const isChanged = other !== box && random.chance(0.5)
    // A scanner held its file back at first.
    const file = !isOurs && random.chance(0.3) ? { file: `1,2,${all.length}` } : {}
    const changed = (): Written => {
      const written = write()
      return isChanged
        ? { ...written, ...file, subject: `[EXT] ${written.subject}`, text: `${written.text}\n--\nScanned.` }
        : { ...written, ...file }
    }
    all.push({
      kind: 'mail',
      talk,
      box: other,
      at: at + MINUTE_MS,
      seenAt: seenAt + delay(),
      write: changed,
      isAwaited: false,
      isAnswer: false,
    })
  }

  const addressOf = (box: Box): string => random.pick([box.address, box.address, box.aliases[0] as string])

  /** A person writes, as the next of a thread. */
  function writes(thread: Thread, by: Person, at: number, more: Partial<Written> & { isAwaited?: boolean } = {}): void {
    const id = by.nextId()
    const before = [...thread.refs]
    const to = more.to ?? [addressOf(thread.box)]
    const { isAwaited = true, ...fields } = more
    const text = `${random.pick(REMARKS)} ${id.slice(1, 8)}${by.quote(thread.text, 'Harbor')}`
    const subject = before.length > 0 ? `${by.again}${thread.subject}` : thread.subject
    mail(
      thread,
      at,
      () => {
        const refs = before.map((each) => each.id)
        const threading = refs.length > 0 ? by.threading(refs) : {}
        const headers = { ...threading, ...fields.headers }
        return { id, from: named(by), subject, at: at + by.skew, text, ...fields, to, headers }
      },
      { isAwaited, isFirst: before.length === 0, isOurs: false },
    )
    thread.refs.push({ id })
    thread.text = text.slice(0, 200)
  }

  /** Somebody of ours writes with another program, with the mailbox in Cc. */
  function sends(thread: Thread, to: string, at: number, isAnswer: boolean, isKept = isAnswer): void {
    const id = ownId()
    const refs = thread.refs.map((each) => each)
    mail(
      thread,
      at,
      () => ({
        id,
        from: `Harbor <${thread.box.address}>`,
        to: [to],
        cc: [thread.box.address],
        subject: `Re: ${thread.subject}`,
        at,
        text: `We look at it. ${id}`,
        headers:
          refs.length > 0
            ? { 'In-Reply-To': (refs.at(-1) as { id: string }).id, References: refs.map((each) => each.id).join(' ') }
            : {},
      }),
      { isAnswer },
    )
    if (isKept) thread.refs.push({ id })
  }

  function answers(thread: Thread, at: number, more: { to?: Person; bcc?: readonly Person[] } = {}): void {
    const [token, reader] = [{ id: '' }, { id: '' }]
    const isReplaced = random.chance(0.3)
    all.push({ kind: 'answer', talk: thread.talk, at, seenAt: at, reader, token, isReplaced, ...more })
    thread.refs.push(token, reader)
  }

  /** Somebody asks a supplier, who answers, or a colleague of theirs, for some rounds. The person of the talk sees none of it, and nobody waits. */
  function asks(thread: Thread, person: Person, next: (least: number) => number): void {
    const supplier = { ...person, name: 'Supplier', email: `parts${talks}@supply.example`, skew: 0 }
    const side: Thread = { ...thread, refs: [...thread.refs] }
    for (let rounds = 1 + random.int(3); rounds > 0; rounds--) {
      if (random.chance(0.7)) answers(side, next(6 * HOUR_MS), { to: supplier })
      else sends(side, named(supplier), next(6 * HOUR_MS), false, true)
      const by = random.chance(0.7) ? supplier : { ...supplier, email: `stock${talks}@supply.example` }
      writes(side, by, next(MINUTE_MS), { isAwaited: false })
    }
  }

  /** Somebody outside writes in our name. Their mail is like one of a stranger, and waits. */
  function forges(thread: Thread, person: Person, at: number): void {
    const checked = random.chance(0.5) ? { 'Authentication-Results': '127.0.0.1; spf=fail; dmarc=fail' } : {}
    const [{ id: first }, id] = [thread.refs[0] as { id: string }, ownId()]
    mail(
      thread,
      at,
      () => ({
        ...{ id, at, from: `Harbor <${thread.box.address}>`, to: [named(person)], cc: [thread.box.address] },
        ...{ subject: `Re: ${thread.subject}`, text: `Pay to our new account. ${id}` },
        headers: {
          ...checked,
          Received: 'from mail.evil.example (mail.evil.example [203.0.113.66]) by mx.harbor.example with ESMTPS id x',
          'In-Reply-To': first,
        },
      }),
      { isAwaited: true },
    )
  }

  /** The talk goes on for some rounds. Nobody answers before a mail can have been seen. */
  function goesOn(thread: Thread, person: Person, since: number): number {
    let at = since
    const next = (least: number): number => (at += least + random.int(2 * HOUR_MS))
    for (let rounds = random.int(5); rounds > 0; rounds--) {
      const turn = random.int(10)
      if (turn < 5) answers(thread, next(6 * HOUR_MS))
      else if (turn < 7) sends(thread, named(person), next(MINUTE_MS), true)
      else if (turn < 8) asks(thread, person, next)
      else if (turn < 9 && thread.talk.name.startsWith('question')) forges(thread, person, next(6 * HOUR_MS))
      const reply = random.int(10)
      if (reply < 6) writes(thread, person, next(MINUTE_MS))
      else if (reply < 7)
        writes(thread, person, next(MINUTE_MS), { isAwaited: false, headers: { 'Auto-Submitted': 'auto-replied' } })
      else if (reply < 8) {
        const colleague = { ...person, name: `Colleague ${person.name}`, email: `c.${person.email}` }
        writes(thread, colleague, next(MINUTE_MS), { cc: [named(person)] })
      }
    }
    return at
  }

  const thread = (person: Person | null, name: string, box = random.pick(BOXES)): Thread => ({
    talk: { name: `${name} ${++talks}`, person },
    box,
    subject: `${random.pick(SUBJECTS)}`,
    refs: [],
    text: '',
  })

  const kinds: Record<string, (at: number) => void> = {
    question(at) {
      const person = random.pick(people)
      const own = thread(person, 'question')
      writes(own, person, at)
      goesOn(own, person, at)
    },
    /** Strangers answer a mass mail that was sent by Bcc from elsewhere: one id for all. */
    mass(at) {
      const root = { id: `<mass${++ids}@elsewhere.example>` }
      for (const person of new Set(Array.from({ length: 4 }, () => random.pick(people)))) {
        const own = { ...thread(person, 'mass'), refs: [root] }
        writes(own, person, at + random.int(9) * HOUR_MS)
        goesOn(own, person, at + 10 * HOUR_MS)
      }
    },
    /** A mail of ours to one, and to two by Bcc who do not know of each other. */
    bcc(at) {
      const some = Array.from({ length: 12 }, () => random.pick(people))
      const [to, ...bcc] = [...new Map(some.map((each) => [hostOf(each), each])).values()].slice(0, 3) as [Person]
      const open = { ...thread(to, 'mailing'), box: BOXES[0] as Box }
      answers(open, at, { to, bcc })
      const root = [...open.refs]
      for (const person of bcc) {
        const own = { ...thread(person, 'bcc'), box: BOXES[0] as Box, refs: [...root] }
        writes(own, person, at + HOUR_MS + random.int(9) * HOUR_MS)
        goesOn(own, person, at + 11 * HOUR_MS)
      }
      if (random.chance(0.5)) writes(open, to, at + HOUR_MS)
      goesOn(open, to, at + 11 * HOUR_MS)
    },
    /** A service sends what people wrote into our form. */
    form(at) {
      for (const person of [random.pick(people), random.pick(people)]) {
        const own = thread(person, 'form', BOXES[0] as Box)
        const headers = { 'Reply-To': named(person), ...(random.chance(0.5) ? { Precedence: 'bulk' } : {}) }
        writes(own, { ...person, threading: () => ({}) }, at, { from: 'Forms <no-reply@forms.example>', headers })
        goesOn(own, person, at)
        at += MINUTE_MS
      }
    },
    group(at) {
      const person = random.pick(people)
      const own = thread(person, 'group', BOXES[0] as Box)
      writes(own, person, at, {
        to: [GROUP],
        headers: { 'List-Id': '<help.groups.harbor.example>', Precedence: 'list' },
      })
      goesOn(own, person, at)
    },
    /** A colleague forwards what somebody wrote to them. */
    forward(at) {
      const person = random.pick(people)
      const own = thread(person, 'forward')
      const from = random.pick(BOXES.filter((box) => box !== own.box))
      const colleagues = random.chance(0.5) ? [random.pick(COLLEAGUES)] : []
      const id = ownId()
      const text = `Yours?\n\n---------- Forwarded message ---------\nFrom: ${named(person)}\nDate: Friday\nSubject: ${own.subject}\nTo: me\n\nPlease help. ${id}`
      mail(
        own,
        at,
        () => ({
          id,
          from: `Harbor <${from.address}>`,
          to: [own.box.address],
          cc: colleagues,
          subject: `Fwd: ${own.subject}`,
          at,
          text,
        }),
        { isAwaited: true },
      )
      answers(own, at + 7 * HOUR_MS)
      writes(own, person, at + 8 * HOUR_MS)
    },
    ourselves(at) {
      const own = thread(null, 'ourselves')
      const from = random.pick(BOXES.filter((box) => box !== own.box))
      const colleagues = random.chance(0.5) ? [random.pick(COLLEAGUES)] : []
      const id = ownId()
      mail(
        own,
        at,
        () => ({
          id,
          from: `Harbor <${from.address}>`,
          to: [own.box.address],
          cc: colleagues,
          subject: own.subject,
          at,
          text: `Call Mr Oak. ${id}`,
        }),
        { isAwaited: true },
      )
    },
    newsletter(at) {
      const own = thread(null, 'newsletter')
      const id = `<news${++ids}@shop.example>`
      const headers = {
        'List-Id': '<news.shop.example>',
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        Precedence: 'bulk',
      }
      const sender = random.chance(0.5)
        ? { from: 'Shop <news@shop.example>', headers }
        : { from: 'Shop <no-reply@mailer.service.example>', headers: { ...headers, 'Reply-To': 'info@shop.example' } }
      mail(own, at, () => ({
        id,
        ...sender,
        to: [own.box.address],
        subject: 'Deals',
        at,
        text: `Buy! ${id}`,
      }))
    },
  }
  const names = Object.keys(kinds)
  while (all.length < count) {
    const at = start + random.int(365 * 24) * HOUR_MS
    kinds[random.chance(0.4) ? 'question' : random.pick(names)]?.(at)
  }
  return all.sort((one, other) => one.seenAt - other.seenAt || one.at - other.at)
}

const hostOf = ({ email }: Person): string => email.slice(email.indexOf('@'))
