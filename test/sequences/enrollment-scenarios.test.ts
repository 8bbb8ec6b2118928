import { after, before, describe, test } from 'node:test'
import { call, DAY, mail, mailbox, startTimelines, task } from './enrollment-replay.ts'

// See enrollment-replay.ts for how to read the tables.

const H = 3600
type Timelines = Awaited<ReturnType<typeof startTimelines>>

let lagos: Timelines // an hour ahead of UTC all year
before(async () => {
  lagos = await startTimelines('Africa/Lagos')
})
after(() => lagos.stop())
const runTable: Timelines['runTable'] = (...all) => lagos.runTable(...all)

const workday = { business_days_only: true }
const threeMails = [mail(0, 'Hello {{contact.first_name}}'), mail(2 * DAY), mail(3 * DAY, 'Last one')]
const twoMails = [mail(0, 'Hello'), mail(2 * DAY)]

describe('steps', () => {
  test('are done one after the other, each after its delay', () =>
    runTable(
      { steps: threeMails },
      `
      Mon 10:00  | enroll | active 1    | Wed 10:00 | Hello Ana     | created updated
      Wed 09:59  |        | active 1    | Wed 10:00 |               |
      Wed 10:00  |        | active 2    | Sat 10:00 | Re: Hello Ana | updated
      Sat 10:00  |        | completed 3 |           | Last one      | completed
      Mon2 10:00 |        | completed 3 |           |               |`,
    ))

  test('without a delay follow at once, each by itself', () =>
    runTable(
      { steps: [task(0, 'One'), call(0, 'Two {{contact.name}}'), mail(0, 'Three')] },
      `Mon 10:00 | enroll | completed 3 | | [One], [Two Ana Ruiz], Three | created updated updated completed`,
    ))

  test('wait for the start that was asked for, the first with its delay behind it', () =>
    runTable(
      { steps: [mail(H, 'Hello'), mail(DAY)] },
      `
      Mon 10:00 | enroll Wed 09:00 | scheduled 0 | Wed 10:00 |           | created
      Wed 09:30 |                  | scheduled 0 | Wed 10:00 |           |
      Wed 10:00 |                  | active 1    | Thu 10:00 | Hello     | updated
      Thu 10:00 |                  | completed 2 |           | Re: Hello | completed`,
    ))

  test('begin now where the start has passed', () =>
    runTable({ steps: twoMails }, `Tue 10:00 | enroll Mon 09:00 | active 1 | Thu 10:00 | Hello | created updated`))

  test('stay those of the version that an enrollment began with', () =>
    runTable(
      { steps: twoMails },
      `
      Mon 10:00 | enroll         | active 1    | Wed 10:00 | Hello     | created updated
      Tue 10:00 | settings other | active 1    | Wed 10:00 |           |
      Wed 10:00 |                | completed 2 |           | Re: Hello | completed`,
      { other: { steps: [task(0, 'Another'), task(DAY, 'way'), task(DAY, 'of doing it')] } },
    ))
})

describe('business days', () => {
  test('alone count, Monday to Friday without hours', () =>
    runTable(
      { steps: [mail(0, 'Hello'), mail(2 * DAY, undefined, workday), task(5 * DAY, 'Look', workday)] },
      `
      Thu 10:00  | enroll | active 1    | Mon2 10:00 | Hello     | created updated
      Mon2 10:00 |        | active 2    | Mon3 10:00 | Re: Hello | updated
      Mon3 10:00 |        | completed 3 |            | [Look]    | completed`,
    ))

  test('are those on which the hours open', () =>
    runTable(
      { steps: [task(0, 'One'), task(2 * DAY, 'Two', workday)], hours: true },
      `
      Thu 10:00  | enroll | active 1    | Mon2 10:00 | [One] | created updated
      Mon2 10:00 |        | completed 2 |            | [Two] | completed`,
    ))

  test('are waited for, at the same time of the day', () =>
    runTable(
      { steps: [task(0, 'One', workday), task(1 * DAY + 6 * H, 'Two', workday), task(12 * H, 'Three', workday)] },
      `
      Sat 11:00  | enroll | active 0    | Mon2 11:00 |         | created
      Mon2 11:00 |        | active 1    | Tue2 17:00 | [One]   | updated
      Fri2 00:00 |        | completed 3 |            | [Two] Tue2 17:00, [Three] Wed2 05:00 | updated completed`,
    ))

  test('do not matter to a step that does not ask for them', () =>
    runTable(
      { steps: [mail(0, 'Hello'), mail(2 * DAY)] },
      `
      Thu 10:00 | enroll | active 1    | Sat 10:00 | Hello     | created updated
      Sat 10:00 |        | completed 2 |           | Re: Hello | completed`,
    ))
})

describe('hours', () => {
  const steps = [mail(0, 'Hello'), mail(8 * H), mail(30 * 60)]

  test('are waited for', () =>
    runTable(
      { steps, hours: true },
      `
      Fri 18:00  | enroll | active 0    | Mon2 09:00 |           | created
      Mon2 09:00 |        | active 1    | Tue2 09:00 | Hello     | updated
      Tue2 09:00 |        | active 2    | Tue2 09:30 | Re: Hello | updated
      Tue2 09:30 |        | completed 3 |            | Re: Hello | completed`,
    ))

  test('count as they are when the step is due, not as they were', () =>
    runTable(
      { steps: twoMails },
      `
      Thu 10:00  | enroll       | active 1    | Sat 10:00  | Hello     | created updated
      Fri 10:00  | settings now | active 1    | Sat 10:00  |           |
      Sat 10:00  |              | active 1    | Mon2 09:00 |           | updated
      Mon2 09:00 |              | completed 2 |            | Re: Hello | completed`,
      { now: { steps: twoMails, hours: true } },
    ))

  test('that never open are looked at every day', () =>
    runTable(
      {
        steps: [task(0, 'One')],
        hours: true,
        exceptions: [{ from_date: '2026-01-01', to_date: '2099-12-31', intervals: [] }],
      },
      `
      Mon 10:00 | enroll       | active 0    | Tue 10:00 |                 | created
      Thu 09:00 |              | active 0    | Thu 10:00 |                 | updated updated
      Thu 09:30 | settings now | active 0    | Thu 10:00 |                 |
      Thu 12:00 |              | completed 1 |           | [One] Thu 10:00 | completed`,
      { now: { steps: [task(0, 'One')], hours: true } },
    ))
})

describe('a pause', () => {
  test('of the enrollment ends at the time that the step was due', () =>
    runTable(
      { steps: twoMails },
      `
      Mon 10:00 | enroll | active 1    | Wed 10:00 | Hello     | created updated
      Mon 12:00 | pause  | paused 1    |           |           | paused
      Tue 12:00 | resume | active 1    | Wed 10:00 |           | updated
      Wed 10:00 |        | completed 2 |           | Re: Hello | completed`,
    ))

  test('that has lasted longer has the step done at once', () =>
    runTable(
      { steps: twoMails },
      `
      Mon 10:00 | enroll | active 1    | Wed 10:00 | Hello     | created updated
      Tue 12:00 | pause  | paused 1    |           |           | paused
      Thu 12:00 | resume | completed 2 |           | Re: Hello | updated completed`,
    ))

  test('that has lasted longer ends when the hours open', () =>
    runTable(
      { steps: twoMails, hours: true },
      `
      Mon 10:00  | enroll | active 1    | Wed 10:00  | Hello     | created updated
      Tue 12:00  | pause  | paused 1    |            |           | paused
      Sat 12:00  | resume | active 1    | Mon2 09:00 |           | updated
      Mon2 09:00 |        | completed 2 |            | Re: Hello | completed`,
    ))

  test('before the start keeps it', () =>
    runTable(
      { steps: twoMails },
      `
      Mon 10:00 | enroll Thu 10:00 | scheduled 0 | Thu 10:00 |       | created
      Mon 12:00 | pause            | paused 0    |           |       | paused
      Tue 12:00 | resume           | active 0    | Thu 10:00 |       | updated
      Thu 10:00 |                  | active 1    | Sat 10:00 | Hello | updated`,
    ))

  test('of the sequence holds all up, and what fell due meanwhile is done when it goes on', () =>
    runTable(
      { steps: [...twoMails, mail(DAY)] },
      `
      Mon 10:00 | enroll          | active 1    | Wed 10:00 | Hello     | created updated
      Tue 10:00 | sequence paused | active 1    | Wed 10:00 |           |
      Wed 10:00 |                 | active 1    | Wed 10:00 |           |
      Thu 12:00 | sequence active | active 2    | Fri 12:00 | Re: Hello | updated
      Fri 12:00 |                 | completed 3 |           | Re: Hello | completed`,
    ))

  test('of the sequence does not end the pause of an enrollment', () =>
    runTable(
      { steps: twoMails },
      `
      Mon 10:00 | enroll          | active 1 | Wed 10:00 | Hello | created updated
      Tue 10:00 | pause           | paused 1 |           |       | paused
      Tue 11:00 | sequence paused | paused 1 |           |       |
      Thu 12:00 | sequence active | paused 1 |           |       |
      Fri 12:00 |                 | paused 1 |           |       |`,
    ))

  test('of the sequence that is over before the step is due changes nothing', () =>
    runTable(
      { steps: twoMails },
      `
      Mon 10:00 | enroll          | active 1    | Wed 10:00 | Hello     | created updated
      Tue 10:00 | sequence paused | active 1    | Wed 10:00 |           |
      Tue 12:00 | sequence active | active 1    | Wed 10:00 |           |
      Wed 10:00 |                 | completed 2 |           | Re: Hello | completed`,
    ))
})

describe('it ends', () => {
  const ended = (action: string, reason: string, more: Parameters<typeof runTable>[0] = { steps: twoMails }) =>
    runTable(
      more,
      `
      Mon 10:00 | enroll    | active 1            | Wed 10:00 | Hello | created updated
      Tue 10:00 | ${action} | ${reason} 1 |           |       | stopped
      Thu 10:00 |           | ${reason} 1 |           |       |`,
    )
  const goesOn = (action: string, stop_on: string[], told = '', steps = twoMails) =>
    runTable(
      { steps, stop_on },
      `
      Mon 10:00 | enroll    | active 1    | Wed 10:00 | Hello     | created updated
      Tue 10:00 | ${action} | active 1    | Wed 10:00 |           | ${told}
      Wed 10:00 |           | completed 2 |           | Re: Hello | completed`,
    )

  test('by the answer to its mail', () => ended('reply', 'stopped reply'))
  test('by a word of the contact on another channel', () => ended('reply elsewhere', 'stopped reply'))
  test('by a mail that comes back', () => ended('bounce', 'stopped bounce'))
  test('by a mail that is refused, whatever the sequence says', () =>
    ended('refuse', 'failed send_failed', { steps: twoMails, stop_on: [] }))
  test('by an unsubscription', () => ended('unsubscribe', 'stopped unsubscribe'))
  test('by a meeting', () => ended('meeting Fri 15:00', 'stopped meeting_booked'))
  test('by the end of a deal of the contact', () => ended('win', 'stopped deal_closed'))
  test('when the contact is to be left alone, whatever the sequence says', () =>
    ended('leave-alone', 'stopped do_not_contact', { steps: twoMails, stop_on: [] }))
  test('when the contact is deleted', () => ended('delete', 'stopped contact_deleted'))
  test('by hand', () => ended('stop', 'stopped manual'))
  test('with its sequence', () => ended('sequence archived', 'stopped sequence_archived'))

  test('not by an answer, where the sequence does not say so; that is noted', () =>
    goesOn('reply', ['bounce'], 'updated'))
  test('not by a mail that comes back, where the sequence does not say so', () => goesOn('bounce', ['reply']))
  test('not by a meeting, where the sequence does not say so', () => goesOn('meeting Fri 15:00', ['reply']))
  test('not by a meeting that is over', () => goesOn('meeting Mon 15:00', ['meeting_booked']))
  test('not by the end of a deal, where the sequence does not say so', () => goesOn('win', ['reply']))
  test('not by mails that the contact wants no more of, where the sequence does not say so and sends none', () =>
    runTable(
      { steps: [mail(0, 'Hello'), task(2 * DAY, 'Call'), mail(DAY)], stop_on: [] },
      `
      Mon 10:00 | enroll      | active 1              | Wed 10:00 | Hello  | created updated
      Tue 10:00 | unsubscribe | active 1              | Wed 10:00 |        |
      Wed 10:00 |             | active 2              | Thu 10:00 | [Call] | updated
      Thu 10:00 |             | stopped unsubscribe 2 |           |        | stopped`,
    ))
  test('by the end of the deal that it is about', () =>
    runTable(
      { steps: twoMails },
      `
      Mon 10:00 | enroll-for-deal | active 1              | Wed 10:00 | Hello | created updated
      Tue 10:00 | win             | stopped deal_closed 1 |           |       | stopped`,
    ))
  test('where a mail is to be sent to a contact without an email', () =>
    runTable(
      { steps: [mail(0, 'Hello'), task(DAY, 'Call'), mail(DAY)] },
      `
      Mon 10:00 | enroll   | active 1           | Tue 10:00 | Hello                | created updated
      Mon 12:00 | no-email | active 1           | Tue 10:00 |                      |
      Thu 10:00 |          | stopped no_email 2 |           | [Call] Tue 10:00     | updated stopped`,
    ))
  test('before its first step, too', () =>
    runTable(
      { steps: twoMails },
      `
      Mon 10:00 | enroll Fri 10:00  | scheduled 0              | Fri 10:00 | | created
      Tue 10:00 | meeting Wed 15:00 | stopped meeting_booked 0 |           | | stopped`,
    ))
  test('not by what the contact says before there was a mail', () =>
    runTable(
      { steps: [task(0, 'Call'), mail(2 * DAY, 'Hello')] },
      `
      Mon 10:00 | enroll          | active 1    | Wed 10:00 | [Call] | created updated
      Tue 10:00 | reply elsewhere | active 1    | Wed 10:00 |        |
      Wed 10:00 |                 | completed 2 |           | Hello  | completed
      Wed 12:00 | reply           | completed 2 |           |        | updated
      Wed 13:00 | reply           | completed 2 |           |        |`,
    ))
  test('while it is paused, too', () =>
    runTable(
      { steps: twoMails },
      `
      Mon 10:00 | enroll | active 1        | Wed 10:00 | Hello | created updated
      Mon 12:00 | pause  | paused 1        |           |       | paused
      Tue 10:00 | reply  | stopped reply 1 |           |       | stopped`,
    ))
  test('as failed where its last mail is refused', () =>
    runTable(
      { steps: [mail(0, 'Hello')] },
      `
      Mon 10:00 | enroll | completed 1          | | Hello | created completed
      Mon 10:01 | refuse | failed send_failed 1 | |       | stopped`,
    ))
  test('as completed also where its last mail comes back', () =>
    runTable(
      { steps: [mail(0, 'Hello')] },
      `
      Mon 10:00 | enroll | completed 1 | | Hello | created completed
      Mon 10:01 | bounce | completed 1 | |       |`,
    ))
  test('where there is no mailbox', () =>
    runTable(
      { steps: [task(0, 'Call'), mail(DAY, 'Hello')], mailboxes: [] },
      `
      Mon 10:00 | enroll | active 1            | Tue 10:00 | [Call] | created updated
      Tue 10:00 |        | failed no_mailbox 1 |           |        | stopped`,
    ))
})

describe('a mailbox', () => {
  test('sends so many mails a day: the others wait for the next one', () =>
    runTable(
      { steps: [mail(0, 'Hello')], mailboxes: [mailbox({ daily_limit: 2 })] },
      `
      Mon 10:00 | crowd 5 |             |           |                 |
      Mon 11:00 | enroll  | active 0    | Wed 00:00 |                 | created updated
      Tue 09:00 |         | active 0    | Wed 00:00 |                 |
      Wed 09:00 |         | completed 1 |           | Hello Wed 00:00 | completed`,
    ))

  test('sends as many when the hours open: no place is lost to the night', () =>
    runTable(
      { steps: [mail(0, 'Hello')], hours: true, mailboxes: [mailbox({ daily_limit: 2 })] },
      `
      Thu 10:00  | crowd 5 |             |            |                  |
      Thu 11:00  | enroll  | active 0    | Mon2 09:00 |                  | created updated
      Mon2 12:00 |         | completed 1 |            | Hello Mon2 09:00 | completed`,
    ))

  test('spaces its mails', () =>
    runTable(
      { steps: [mail(0, 'Hello'), mail(DAY)], mailboxes: [mailbox({ spacing_s: 600 })] },
      `
      Mon 10:00 | crowd 2 |             |           |                 |
      Mon 10:05 | enroll  | active 0    | Mon 10:20 |                 | created updated
      Mon 12:00 |         | active 1    | Tue 10:20 | Hello Mon 10:20 | updated`,
    ))

  test('spaces them over night', () =>
    runTable(
      { steps: [mail(0, 'Hello')], hours: true, mailboxes: [mailbox({ spacing_s: 600 })] },
      `
      Mon 16:45 | crowd 3 |             |           |                 |
      Mon 16:50 | enroll  | active 0    | Tue 09:10 |                 | created updated
      Tue 12:00 |         | completed 1 |           | Hello Tue 09:10 | completed`,
    ))

  test('does not hold up tasks', () =>
    runTable(
      { steps: [mail(0, 'Hello'), task(DAY, 'Call')], mailboxes: [mailbox({ spacing_s: 3600 })] },
      `
      Mon 10:00 | crowd 4 |             |           |                  |
      Mon 10:00 | enroll  | active 0    | Mon 14:00 |                  | created updated
      Tue 14:00 |         | completed 2 |           | Hello Mon 14:00, [Call] | updated completed`,
    ))

  test('keeps its place for nobody who has paused', () =>
    runTable(
      { steps: [mail(0, 'Hello')], mailboxes: [mailbox({ spacing_s: 3600 })] },
      `
      Mon 10:00 | crowd 2 |             |           |       |
      Mon 10:30 | enroll  | active 0    | Mon 12:00 |       | created updated
      Mon 11:00 | pause   | paused 0    |           |       | paused
      Mon 11:30 | resume  | active 0    | Mon 12:00 |       | updated
      Mon 12:00 |         | active 0    | Mon 13:00 |       | updated
      Mon 13:00 |         | completed 1 |           | Hello | completed`,
    ))

  test('that was exchanged gives its mails a place of its own', () =>
    runTable(
      { steps: [mail(0, 'Hello')], mailboxes: [mailbox({ spacing_s: 3600 })] },
      `
      Mon 10:00 | crowd 2        |             |           |       |
      Mon 10:30 | enroll         | active 0    | Mon 12:00 |       | created updated
      Mon 11:00 | settings other | active 0    | Mon 12:00 |       |
      Mon 11:30 | crowd 1        | active 0    | Mon 12:00 |       |
      Mon 12:00 |                | active 0    | Mon 12:30 |       | updated
      Mon 12:30 |                | completed 1 |           | Hello | completed`,
      {
        other: {
          steps: [mail(0, 'Hello')],
          mailboxes: [
            mailbox({ is_default: false }),
            mailbox({ key: 'other', address: 'other@acme.example', spacing_s: 3600 }),
          ],
        },
      },
    ))

  test('keeps its place for what waits while the sequence is paused', () =>
    runTable(
      { steps: [mail(0, 'Hello')], mailboxes: [mailbox({ spacing_s: 3600 })] },
      `
      Mon 10:00 | crowd 2         |             |           |       |
      Mon 10:30 | enroll          | active 0    | Mon 12:00 |       | created updated
      Mon 11:00 | sequence paused | active 0    | Mon 12:00 |       |
      Mon 11:30 | sequence active | active 0    | Mon 12:00 |       |
      Mon 12:00 |                 | completed 1 |           | Hello | completed`,
    ))
})

describe('a server that is down', () => {
  test('over the weekend does what fell due when it is up again and the hours are open', () =>
    runTable(
      { steps: [mail(0, 'Hello'), mail(DAY), mail(DAY)], hours: true },
      `
      Fri 10:00  | enroll | active 1    | Mon2 09:00 | Hello     | created updated
      Fri 12:00  | down   |             |            |           |
      Tue2 03:00 | up     | active 1    | Tue2 09:00 |           | updated
      Tue2 09:00 |        | active 2    | Wed2 09:00 | Re: Hello | updated
      Wed2 09:00 |        | completed 3 |            | Re: Hello | completed`,
    ))

  test('does each step once, counted from when it is done', () =>
    runTable(
      { steps: [task(0, 'One'), task(DAY, 'Two'), task(DAY, 'Three')] },
      `
      Mon 10:00  | enroll | active 1    | Tue 10:00  | [One]   | created updated
      Mon 12:00  | down   |             |            |         |
      Mon2 12:00 | up     | active 2    | Tue2 12:00 | [Two]   | updated
      Tue2 12:00 |        | completed 3 |            | [Three] | completed`,
    ))

  test('loses no mails of a day to its limit: they leave when it is up again on that day', () =>
    runTable(
      { steps: [mail(0, 'Hello')], mailboxes: [mailbox({ daily_limit: 2 })] },
      `
      Mon 10:00 | crowd 2 |             |           |       |
      Mon 11:00 | enroll  | active 0    | Tue 00:00 |       | created updated
      Mon 11:00 | crowd 1 | active 0    | Tue 00:00 |       |
      Mon 20:00 | down    |             |           |       |
      Tue 09:15 | up      | completed 1 |           | Hello | completed`,
    ))

  test('for a whole day gives the mails of that day another one', () =>
    runTable(
      { steps: [mail(0, 'Hello')], mailboxes: [mailbox({ daily_limit: 2 })] },
      `
      Mon 10:00 | crowd 2 |             |           |       |
      Mon 11:00 | enroll  | active 0    | Tue 00:00 |       | created updated
      Mon 11:00 | crowd 3 | active 0    | Tue 00:00 |       |
      Mon 20:00 | down    |             |           |       |
      Wed 09:15 | up      | active 0    | Thu 00:00 |       | updated
      Thu 00:00 |         | completed 1 |           | Hello | completed`,
    ))

  test('sends no faster afterwards: places that have passed are given anew', () =>
    runTable(
      { steps: [mail(0, 'Hello')], mailboxes: [mailbox({ spacing_s: 600 })] },
      `
      Mon 10:00 | crowd 3 |             |           |                 |
      Mon 10:00 | enroll  | active 0    | Mon 10:30 |                 | created updated
      Mon 10:01 | down    |             |           |                 |
      Tue 10:00 | up      | active 0    | Tue 10:20 |                 | updated
      Tue 11:00 |         | completed 1 |           | Hello Tue 10:20 | completed`,
    ))

  test('sends no faster on the same day either', () =>
    runTable(
      { steps: [mail(0, 'Hello')], mailboxes: [mailbox({ spacing_s: 600 })] },
      `
      Mon 10:00 | crowd 3 |             |           |                 |
      Mon 10:00 | enroll  | active 0    | Mon 10:30 |                 | created updated
      Mon 10:01 | down    |             |           |                 |
      Mon 15:00 | up      | active 0    | Mon 15:20 |                 | updated
      Mon 16:00 |         | completed 1 |           | Hello Mon 15:20 | completed`,
    ))
})

test('an enrollment follows a contact who is merged away', () =>
  runTable(
    { steps: twoMails },
    `
    Mon 10:00 | enroll     | active 1    | Wed 10:00 | Hello     | created updated
    Tue 10:00 | merge-away | active 1    | Wed 10:00 |           | updated
    Wed 10:00 |            | completed 2 |           | Re: Hello | completed`,
  ))

describe('where the clocks change, in Berlin', () => {
  let berlin: Timelines
  before(async () => {
    berlin = await startTimelines('Europe/Berlin')
  })
  after(() => berlin.stop())

  test('days keep their time of the day, holidays are none of business, and hours are those of the wall clock', async () => {
    await berlin.runTable(
      { steps: [task(0, 'One'), task(DAY, 'Two'), task(H, 'Three')] },
      `
      03-27 10:00 | enroll | active 1    | 03-28 10:00 | [One]   | created updated
      03-28 10:00 |        | active 2    | 03-28 11:00 | [Two]   | updated
      03-28 11:00 |        | completed 3 |             | [Three] | completed`,
    )
    const easter = [{ from_date: '2027-04-02', to_date: '2027-04-05', name: 'Closed', intervals: [] }]
    await berlin.runTable(
      { steps: [mail(0, 'Hello'), mail(2 * DAY, undefined, workday)], hours: true, exceptions: easter },
      `
      04-01 16:00 | enroll | active 1    | 04-07 16:00 | Hello     | created updated
      04-07 16:00 |        | completed 2 |             | Re: Hello | completed`,
    )
    await berlin.runTable(
      { steps: [task(0, 'One', workday), task(8 * H, 'Two')], hours: true },
      `
      10-30 10:00 | enroll | active 0    | 11-01 09:00 |       | created
      11-01 09:00 |        | active 1    | 11-02 09:00 | [One] | updated
      11-02 09:00 |        | completed 2 |             | [Two] | completed`,
    )
  })
})
