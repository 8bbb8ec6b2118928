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
