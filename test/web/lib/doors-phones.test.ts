import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Phone, readPhonesIn } from '../../../src/lib/written/people/phone-countries.ts'
import { parseLines } from '../../../src/web/components/fields/parse-contacts.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { type Row, rowsOf } from '../../lib/written/people.ts'
import { type Doors, openDoors, READING, WRONG } from './doors.ts'

// The phones of the table through a file, an editor and the API: what a door takes is the number that is meant, and what it
// does not take it says.

let doors: Doors
const folder = temporaryFolder()
before(async () => {
  doors = await openDoors(folder)
})
after(() => doors.server.stop())

const dialled = (numbers: readonly string[], country: string | undefined): string =>
  numbers
    .flatMap((number) => {
      const read = readPhonesIn(number, { ...(country ? { country } : {}), isSeen: true })
      return 'value' in read ? read.value.map(inShort) : [`not read: ${number}`]
    })
    .join(' ¦ ')
const inShort = ({ international, dialled, extension }: Phone): string =>
  international ? `${international}${extension ? `;ext=${extension}` : ''}` : `${dialled} -`

/** What could be two numbers stays as it is written, and is dialled as such. */
const expected = ({ meant }: Pick<Row, 'meant'>): RegExp =>
  meant.startsWith('AMBIGUOUS') ? /^\d+ -$/ : new RegExp(`^${meant.replace(/[+]/g, '\\+')}$`)

async function imported(row: Row): Promise<string> {
  const { contact, isListed } = await doors.imported(row, 'Phone')
  const numbers = ((contact.phones ?? []) as { number: string }[]).map(({ number }) => number)
  if (numbers.length > 0) return dialled(numbers, row.context.country)
  assert.ok(isListed, `${row.written} was left out in silence`)
  return 'REFUSE'
}

test('a file takes the number that is meant, or lists it', async () => {
  for (const row of rowsOf('phone')) assert.match(await imported(row), expected(row), `${row.written}: ${row.why}`)
})

test('an editor takes the number that is meant, and the API takes what the editor has taken', async () => {
  const line = (text: string) => ({ text, label: 'work', is_primary: true })
  for (const { context, written, meant, why } of rowsOf('phone')) {
    const parsed = parseLines('tel', [line(written)] as never, READING)
    if ('error' in parsed) {
      assert.match(meant, WRONG, `${written}: ${why}`)
      continue
    }
    const phones = parsed.value as { number: string }[]
    const { status } = await doors.server.call('POST', '/contacts', { last_name: 'x', phones })
    assert.equal(status, 201, written)
    const got = dialled(
      phones.map(({ number }) => number),
      context.country,
    )
    assert.match(got, expected({ meant }), `${written}: ${why}`)
  }
})
