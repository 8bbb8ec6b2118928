import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { localeOf } from '../../../src/lib/country.ts'
import { emailKey } from '../../../src/lib/email.ts'
import { namesOf, typedNames } from '../../../src/lib/written/people/name-fields.ts'
import type { WrittenName } from '../../../src/lib/written/people/names.ts'
import { parseLines } from '../../../src/web/components/fields/parse-contacts.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { meantName, type Row, rowsOf } from '../../lib/written/people.ts'
import { type Doors, openDoors, READING, WRONG } from './doors.ts'

// The names and emails of the table through a file, an editor, the API and the sender of a mail: each takes what is meant, and
// what it does not take it says or keeps whole.

let doors: Doors
const folder = temporaryFolder()
before(async () => {
  doors = await openDoors(folder)
})
after(() => doors.server.stop())

const hasMore = ({ company, rest, nickname }: WrittenName): boolean =>
  company !== undefined || rest !== undefined || nickname !== undefined
const isPerson = ({ given, family }: WrittenName): boolean => given !== undefined || family !== undefined

/** The first and the last name of a contact, as " | " has them. */
type Names = { first_name?: string | null | undefined; last_name?: string | null | undefined }
const parts = ({ first_name, last_name }: Names): string => `${first_name ?? ''} | ${last_name ?? ''}`
const seen = (text: string): string => text.replace(/[\s\u200b]+/g, ' ').trim()

test('a file takes the name that is meant and notes what is more, or lists it', async () => {
  for (const row of rowsOf('name')) {
    const what = `${row.written}: ${row.why}`
    const meant = meantName(row)
    const { contact, notes, isListed } = await doors.imported(row, 'Full name')
    if (!meant) {
      assert.ok(isListed, what)
      continue
    }
    assert.equal(parts(contact), isPerson(meant) ? parts(namesOf(meant)) : parts({ last_name: meant.company }), what)
    for (const more of [meant.nickname, meant.rest])
      if (more !== undefined) {
        const kept = [contact.job_title, ...notes].join('\n')
        assert.ok(kept.includes(more), `${what}: ${more} is lost`)
      }
    if (meant.company !== undefined && isPerson(meant)) {
      const { body } = await doors.server.call('GET', `/companies/${contact.company_id}`)
      assert.equal(body.name, meant.company, what)
    }
  }
})

test('an editor takes the name that is meant, and keeps whole what has more', () => {
  for (const row of rowsOf('name')) {
    const { written, context, why } = row
    const meant = meantName(row)
    const whole = parts({ last_name: seen(written) })
    const got = typedNames(written, localeOf(context.country!))
    if (!meant || hasMore(meant)) assert.equal(seen(parts(got)), seen(whole), `${written}: ${why}`)
    else assert.equal(parts(got), parts(namesOf(meant)), `${written}: ${why}`)
  }
})

test('a mail makes a contact of who is meant, without titles; who is no single person is no first name', async () => {
  for (const [at, row] of rowsOf('name').entries()) {
    const { written, why } = row
    doors.settle(row)
    const from = { name: written, email: `sender${at}@mails.example` }
    const given = { from, channel: 'chat', direction: 'inbound', body_text: 'Hello', subject: 'Hello' }
    const { status, body } = await doors.server.call('POST', '/messages', given)
    assert.equal(status, 201, JSON.stringify(body))
    const contact = (await doors.server.call('GET', `/contacts/${body.author.id}`)).body
    const meant = meantName(row)
    const alone = meant && isPerson(meant) ? { first_name: meant.given, last_name: meant.family } : null
    const others = { last_name: written.includes('@') ? '' : (meant?.company ?? seen(written)) }
    assert.equal(parts(contact), parts(alone ?? others), `${written}: ${why}`)
  }
})

const meantEmails = ({ meant }: Row): string[] => (WRONG.test(meant) ? [] : meant.split(' ¦ '))
const keys = (emails: readonly { email: string }[]): string[] => emails.map(({ email }) => emailKey(email))

test('a file takes the emails that are meant, or lists them', async () => {
  for (const row of rowsOf('email')) {
    const { contact, isListed } = await doors.imported(row, 'Email')
    const got = keys(contact.emails ?? [])
    if (WRONG.test(row.meant)) {
      // Beside an address that stands there, its words are listed.
      assert.ok(isListed, `${row.written} was left out in silence`)
      assert.ok(
        got.every((key) => row.written.split(' ').includes(key)),
        `${row.written}: ${row.why}`,
      )
    } else assert.deepEqual(got, meantEmails(row), `${row.written}: ${row.why}`)
    await doors.server.call('DELETE', `/contacts/${contact.id}`)
  }
})

test('an editor takes the emails that are meant, or a sentence; the API takes what it has taken, and finds it', async () => {
  for (const row of rowsOf('email')) {
    const { written, meant, why } = row
    const line = { text: written, label: 'work', is_primary: true }
    const parsed = parseLines('email', [line] as never, READING)
    if ('error' in parsed) {
      assert.match(meant, /^REFUSE/, `${written}: ${why}`)
      continue
    }
    const emails = parsed.value as { email: string }[]
    // Who types sees what they typed: a curly apostrophe is meant.
    if (!meant.startsWith('AMBIGUOUS')) assert.deepEqual(keys(emails), meantEmails(row), `${written}: ${why}`)
    const { status, body } = await doors.server.call('POST', '/contacts', { last_name: 'x', emails })
    assert.equal(status, 201, JSON.stringify(body))
    for (const key of meantEmails(row)) {
      const found = await doors.server.call('GET', `/contacts?email=${encodeURIComponent(key)}`)
      assert.deepEqual(
        found.body.data.map(({ id }: { id: string }) => id),
        [body.id],
        `${written}: ${why}`,
      )
    }
    await doors.server.call('DELETE', `/contacts/${body.id}`)
  }
})
