import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupOf, isAnyTime, rowsOf, startOfDay } from '../../../src/web/screens/tasks/groups.ts'
import { readLine } from '../../../src/web/screens/tasks/quick-add.ts'

const ZONE = 'Europe/Berlin'
/** Tuesday, 24 November 2026, 10:00 in Berlin. */
const NOW = Date.parse('2026-11-24T09:00:00Z')

const reading = (text: string) => {
  const { title, type, dueAt } = readLine(text, NOW, ZONE)
  return [title, type, dueAt === null ? null : new Date(dueAt).toISOString()]
}

test('a line of a new task names its kind, day and time', () => {
  for (const [text, ...expected] of [
    [
      'Call Margit about the demo room tomorrow 9:00',
      'Call Margit about the demo room',
      'call',
      '2026-11-25T08:00:00.000Z',
    ],
    ['Send the offer', 'Send the offer', 'todo', null],
    ['Email Ilona on Friday', 'Email Ilona', 'email', '2026-11-27T22:59:00.000Z'],
    ['Meet Kenji at 14:30', 'Meet Kenji', 'meeting', '2026-11-24T13:30:00.000Z'],
    ['Ring back 9am', 'Ring back', 'call', '2026-11-25T08:00:00.000Z'],
    ['Angebot schicken morgen um 8:15', 'Angebot schicken', 'todo', '2026-11-25T07:15:00.000Z'],
    ['Margit anrufen', 'Margit anrufen', 'call', null],
    ['Prepare the visit on tuesday', 'Prepare the visit', 'todo', '2026-12-01T22:59:00.000Z'],
    ['Übergabe übermorgen', 'Übergabe', 'todo', '2026-11-26T22:59:00.000Z'],
    ['Order 12', 'Order 12', 'todo', null],
    ['Order 25:00', 'Order 25:00', 'todo', null],
    ['Tomorrow', 'Tomorrow', 'todo', null],
    ['9:00', '9:00', 'todo', null],
  ])
    assert.deepEqual(reading(text as string), expected, text as string)
})

test('a day and a time may be written in any way that the readers know, in the language of the member', () => {
  for (const [text, locale, title, due] of [
    ['Call Ilona on 3 Dec at 10am', 'en-GB', 'Call Ilona', '2026-12-03T09:00:00.000Z'],
    ['Send it by 12/3/2026 2:30 PM', 'en-US', 'Send it', '2026-12-03T13:30:00.000Z'],
    ['Send it by 3/12/2026 2:30 PM', 'en-GB', 'Send it', '2026-12-03T13:30:00.000Z'],
    ['Send it by 12/3/2026 2:30 PM', 'en-GB', 'Send it by 12/3/2026 2:30 PM', null],
    ['Angebot schicken bis 15.1.', 'de-DE', 'Angebot schicken', '2027-01-15T22:59:00.000Z'],
    ['Margit anrufen Mo 8:15', 'de-DE', 'Margit anrufen', '2026-11-30T07:15:00.000Z'],
    ['Margit anrufen morgen um halb neun', 'de-DE', 'Margit anrufen', '2026-11-25T07:30:00.000Z'],
    ['Appeler Zoé demain à 9h30', 'fr-FR', 'Appeler Zoé', '2026-11-25T08:30:00.000Z'],
    ['Call back in 2 hours', 'en-GB', 'Call back', '2026-11-24T11:00:00.000Z'],
    ['Renew in 2 weeks', 'en-GB', 'Renew', '2026-12-08T22:59:00.000Z'],
    // What belongs to the title, and what is nobody's day.
    ['Pay the invoice of 3 December', 'en-GB', 'Pay the invoice of 3 December', null],
    ['Notes from yesterday', 'en-GB', 'Notes from yesterday', null],
    ['Call Sam', 'en-GB', 'Call Sam', null],
    ['Ask Mo', 'en-GB', 'Ask Mo', null],
    ['Fix 3/4', 'en-GB', 'Fix 3/4', null],
    ['Report for Q1 2027', 'en-GB', 'Report for Q1 2027', null],
    ['Order 1:30:00 of film', 'en-GB', 'Order 1:30:00 of film', null],
    // Of two days or times, a line could only keep one.
    ['Call Ida Monday 9:00 or 10:00', 'en-GB', 'Call Ida Monday 9:00 or 10:00', null],
    ['Ida anrufen Montag oder Dienstag', 'de-DE', 'Ida anrufen Montag oder Dienstag', null],
    ['Move the visit from Monday to Tuesday', 'en-GB', 'Move the visit from Monday to Tuesday', null],
    ['Visit Ida 9:00 - 10:00', 'en-GB', 'Visit Ida 9:00 - 10:00', null],
    ['Visit Ida 9:00-10:00', 'en-GB', 'Visit Ida 9:00-10:00', null],
    ['Visit Ida tomorrow 9:00-10:00', 'en-GB', 'Visit Ida tomorrow 9:00-10:00', null],
    ['Visit Ida Monday, Tuesday', 'en-GB', 'Visit Ida Monday, Tuesday', null],
    ['Visit Ida Monday / Tuesday 9:00', 'en-GB', 'Visit Ida Monday / Tuesday 9:00', null],
    ['Ask Mo or Sam, tomorrow', 'en-GB', 'Ask Mo or Sam,', '2026-11-25T22:59:00.000Z'],
    // Of two readings, the next one that is not over: nobody plans for 2569.
    ['Renew on 28.11.2569', 'en-GB', 'Renew', '2026-11-28T22:59:00.000Z'],
  ] as const) {
    const read = readLine(text, NOW, ZONE, locale)
    assert.deepEqual([read.title, read.dueAt === null ? null : new Date(read.dueAt).toISOString()], [title, due], text)
  }
})

test('a line says that a day or a time in it is none of when it is due', () => {
  for (const [text, isOpen] of [
    ['Call Ida Monday 9:00 or 10:00', true],
    ['Visit Ida Monday, Tuesday', true],
    ['Visit Ida 9:00-10:00', true],
    ['Send it by 3 March 2020', true],
    ['Order 25:00', true],
    ['Call Ida Monday 9:00', false],
    ['Call Ida', false],
    ['Pay the invoice of 3 December', false],
  ] as const)
    assert.equal(readLine(text, NOW, ZONE, 'en-GB').isOpen, isOpen, text)
})

test('a day without a time of day is its last minute, also where the clocks change', () => {
  const before = Date.parse('2026-10-24T20:00:00Z') // the clocks go back in the next night
  const { dueAt } = readLine('Call tomorrow', before, ZONE)
  assert.equal(new Date(dueAt as number).toISOString(), '2026-10-25T22:59:00.000Z')
  assert.equal(isAnyTime('2026-10-25T22:59:00.000Z', ZONE), true)
  assert.equal(isAnyTime('2026-10-25T22:59:00.000Z', 'UTC'), false)
  assert.equal(startOfDay(Date.parse('2026-10-24T20:00:00Z'), ZONE), '2026-10-23T22:00:00.000Z')
})

test('a task stands by the day of the member, late before all, done ones at the end of their group', () => {
  const task = (id: string, due_at: string | null, status = 'open') => ({ id, due_at, status, completed_at: null })
  const groups = (due: string | null, status?: string) => groupOf(task('', due, status), NOW, ZONE)
  assert.equal(groups('2026-11-24T08:59:00Z'), 'late')
  assert.equal(groups('2026-11-24T08:59:00Z', 'done'), 'today')
  assert.equal(groups('2026-11-24T09:00:00Z'), 'today', 'on time')
  assert.equal(groups('2026-11-24T09:30:00Z'), 'today')
  assert.equal(groups('2026-11-24T22:59:00Z'), 'today')
  assert.equal(groups('2026-11-24T23:00:00Z'), 'tomorrow')
  assert.equal(groups('2026-11-30T22:00:00Z'), 'week')
  assert.equal(groups('2026-11-30T23:00:00Z'), 'later')
  assert.equal(groups(null), 'whenever')
  const rows = rowsOf(
    [
      task('a', null),
      task('b', '2026-11-24T20:00:00Z'),
      task('c', '2026-11-24T08:00:00Z', 'done'),
      task('d', '2026-11-24T10:00:00Z'),
      task('e', '2026-11-20T10:00:00Z'),
    ],
    NOW,
    ZONE,
  )
  assert.deepEqual(
    rows.map((row) => (row.kind === 'head' ? [row.group, row.count, row.open] : row.task.id)),
    [['late', 1, 1], 'e', ['today', 3, 2], 'd', 'b', 'c', ['whenever', 1, 1], 'a'],
  )
})
