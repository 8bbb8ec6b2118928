import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DAY, mail, startTimelines, task } from './enrollment-replay.ts'

// Automatic replies that say when somebody is back. See enrollment-replay.ts for how to read the tables.

type Timelines = Awaited<ReturnType<typeof startTimelines>>

let berlin: Timelines
before(async () => {
  berlin = await startTimelines('Europe/Berlin')
})
after(() => berlin.stop())
const runTable: Timelines['runTable'] = (...all) => berlin.runTable(...all)

const twoMails = [mail(0, 'Hello'), mail(2 * DAY)]

/** What the messages say that came since the last question. */
let asked = ''
async function said(): Promise<string[]> {
  const all = berlin.store.db
    .prepare("SELECT id, error FROM messages WHERE direction = 'inbound' AND id > ? ORDER BY id")
    .all(asked) as { id: string; error: string | null }[]
  asked = all.at(-1)?.id ?? asked
  return all.flatMap(({ error }) => error ?? [])
}

describe('an automatic reply', () => {
  test('that states a return holds the next step until the beginning of that day', async () => {
    await runTable(
      { steps: twoMails },
      `
      02-01 10:00 | enroll                       | active 1    | 02-03 10:00 | Hello     | created updated
      02-02 09:00 | away I am back on 12 February. | active 1    | 02-12 00:00 |           | updated
      02-11 23:59 |                              | active 1    | 02-12 00:00 |           |
      02-12 00:00 |                              | completed 2 |             | Re: Hello | completed`,
    )
    assert.deepEqual(await said(), [
      'It states an absence, so the next step of the sequence "Welcome" waits until 2027-02-12.',
    ])
  })

  test('holds it within the hours of the sequence', () =>
    runTable(
      { steps: twoMails, hours: true },
      `
      02-15 10:00 | enroll                              | active 1    | 02-17 10:00 | Hello     | created updated
      02-16 09:00 | away Ich bin ab 20.2. wieder da.    | active 1    | 02-22 09:00 |           | updated
      02-22 09:00 |                                     | completed 2 |             | Re: Hello | completed`,
    ))

  test('of an end of the absence, or of two dates, holds it until the later day', () =>
    runTable(
      { steps: [mail(0, 'Hello'), mail(2 * DAY), task(DAY, 'Call')] },
      `
      02-23 10:00 | enroll                                          | active 1    | 02-25 10:00 | Hello     | created updated
      02-23 11:00 | away Je suis absente jusqu’au 1er mars inclus.  | active 1    | 03-02 00:00 |           | updated
      03-02 00:00 |                                                 | active 2    | 03-03 00:00 | Re: Hello | updated
      03-02 01:00 | away I am out of the office until Thursday.     | active 2    | 03-05 00:00 |           | updated
      03-02 02:00 | away I am back on 3/4/2027.                     | active 2    | 04-03 00:00 |           | updated
      04-03 00:00 |                                                 | completed 3 |             | [Call]    | completed`,
    ))

  test('holds nothing if it states none, an earlier day, or one that is past', async () => {
    await said()
    await runTable(
      { steps: [mail(0, 'Hello'), mail(5 * DAY)] },
      `
      04-05 10:00 | enroll                                          | active 1    | 04-10 10:00 | Hello     | created updated
      04-05 11:00 | away I am out of the office since 1 April.      | active 1    | 04-10 10:00 |           |
      04-05 12:00 | away I am back on 8 April.                      | active 1    | 04-10 10:00 |           |
      04-05 13:00 | away I was on leave and am back since 20 April. | active 1    | 04-10 10:00 |           |
      04-05 14:00 | away I am back on 1 April.                      | active 1    | 04-10 10:00 |           |
      04-05 15:00 | away I am back on 12 April. Tom is back on 9 May. | active 1    | 04-10 10:00 |           |
      04-10 10:00 |                                                 | completed 2 |             | Re: Hello | completed`,
    )
    assert.deepEqual(await said(), [])
  })

  test('holds it half a year at most', () =>
    runTable(
      { steps: twoMails },
      `
      04-12 10:00 | enroll                                | active 1    | 04-14 10:00 | Hello     | created updated
      04-12 11:00 | away I return on 1 September 2028.    | active 1    | 10-09 00:00 |           | updated
      04-12 12:00 | stop                                  | stopped manual 1 |        |           | stopped`,
    ))

  test('counts as a new mail, and by whoever answers the mail of the sequence', () =>
    runTable(
      { steps: twoMails },
      `
      05-03 10:00 | enroll                                          | active 1    | 05-05 10:00 | Hello     | created updated
      05-03 11:00 | away-elsewhere Estaré de vuelta el 12 de mayo.  | active 1    | 05-12 00:00 |           | updated
      05-03 12:00 | away-colleague Ik ben terug op 14 mei.          | active 1    | 05-14 00:00 |           | updated
      05-03 13:00 | away-forged I am back on 20 May.                | active 1    | 05-14 00:00 |           |
      05-14 00:00 |                                                 | completed 2 |             | Re: Hello | completed`,
    ))

  test('may state it in its own words of the subject, not in those that it answers', () =>
    runTable(
      { steps: [mail(0, 'Are you back on 27 May?'), mail(2 * DAY)] },
      `
      05-16 10:00 | enroll                                           | active 1    | 05-18 10:00 | Are you back on 27 May? | created updated
      05-16 11:00 | away-subject Automatic reply: Are you back on 27 May? | active 1 | 05-18 10:00 |          |
      05-16 12:00 | away-subject Are you back on 27 May?             | active 1    | 05-18 10:00 |           |
      05-16 13:00 | away-subject Abwesend bis einschl. 20.05. Re: Are you back on 27 May? | active 1 | 05-21 00:00 | | updated
      05-21 00:00 |                                                  | completed 2 |             | Re: Are you back on 27 May? | completed`,
    ))

  test('holds what waits for its start, and what is paused', () =>
    runTable(
      { steps: twoMails },
      `
      06-01 10:00 | enroll 06-03 10:00                        | scheduled 0 | 06-03 10:00 |           | created
      06-01 11:00 | away-elsewhere Rientrerò il 7 giugno.     | scheduled 0 | 06-07 00:00 |           | updated
      06-07 00:00 |                                           | active 1    | 06-09 00:00 | Hello     | updated
      06-07 01:00 | pause                                     | paused 1    |             |           | paused
      06-07 02:00 | away I am back on June 14.                | paused 1    |             |           |
      06-08 10:00 | resume                                    | active 1    | 06-14 00:00 |           | updated
      06-14 00:00 |                                           | completed 2 |             | Re: Hello | completed`,
    ))

  test('and a person who writes the same stops the sequence as before', () =>
    runTable(
      { steps: twoMails },
      `
      07-01 10:00 | enroll                               | active 1        | 07-03 10:00 | Hello | created updated
      07-01 11:00 | write-away I am back on 12 July.     | stopped reply 1 |             |       | stopped`,
    ))
})
