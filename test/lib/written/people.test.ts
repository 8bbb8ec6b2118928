import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localeOf } from '../../../src/lib/country.ts'
import { emailKey } from '../../../src/lib/email.ts'
import { readEmails } from '../../../src/lib/written/people/emails.ts'
import { readNames } from '../../../src/lib/written/people/name-order.ts'
import { type Phone, readPhonesIn } from '../../../src/lib/written/people/phone-countries.ts'
import { phoneParts } from '../../../src/lib/written/people/phone-links.ts'
import { readDomains } from '../../../src/lib/written/people/web.ts'
import type { Reading } from '../../../src/lib/written/reading.ts'
import { rowsOf, shownName } from './people.ts'

const phonesOf = (phones: readonly Phone[]): string =>
  phones
    .map(({ international, dialled, extension }) =>
      international ? `${international}${extension ? `;ext=${extension}` : ''}` : `${dialled} -`,
    )
    .join(' ¦ ')

test('phones are read as they are meant', () => {
  const rows = rowsOf('phone')
  assert.ok(rows.length > 80)
  for (const { context, written, meant, why } of rows) {
    const read = readPhonesIn(written, context)
    const got = 'value' in read ? phonesOf(read.value) : 'either' in read ? 'AMBIGUOUS' : 'REFUSE'
    assert.equal(got, meant, `${written}: ${why}`)
  }
})

const inWords = <T>(read: Reading<T>, shown: (value: T) => string): string =>
  'value' in read ? shown(read.value) : 'either' in read ? 'AMBIGUOUS' : 'REFUSE'

test('names are read as they are meant', () => {
  const rows = rowsOf('name')
  assert.ok(rows.length > 50)
  for (const { context, written, meant, why } of rows)
    assert.equal(
      inWords(readNames(written, { locale: localeOf(context.country!) }), shownName),
      meant,
      `${written}: ${why}`,
    )
})

test('emails are read as they are meant', () => {
  const rows = rowsOf('email')
  assert.ok(rows.length > 40)
  for (const { written, meant, why } of rows) {
    const got = inWords(readEmails(written), (all) => all.map(({ email }) => emailKey(email)).join(' ¦ '))
    assert.equal(got, meant, `${written}: ${why}`)
  }
})

test('a column decides what a number without its 0 is, and a person who looks at it', () => {
  const meant = (text: string, more: object) => {
    const read = readPhonesIn(text, { country: 'DE', ...more })
    return 'value' in read ? phonesOf(read.value) : Object.keys(read)[0]
  }
  assert.equal(meant('7114839210', {}), 'either')
  assert.equal(meant('7114839210', { trunk: 'lost' }), '+497114839210')
  assert.equal(meant('7114839210', { trunk: 'kept' }), 'either')
  assert.equal(meant('7114839210', { isSeen: true }), '7114839210 -')
})

test('a number is kept as it is written, without what stands around it', () => {
  const read = readPhonesIn('Büro: +49 (711) 4839-210 / mobil 0160 5550123 (privat)', { country: 'DE' })
  assert.deepEqual('value' in read && read.value.map(({ number, label }) => [number, label]), [
    ['+49 (711) 4839-210', 'work'],
    ['0160 5550123', 'home'],
  ])
})

test('a link dials a number in E.164, without a 0 in brackets, with letters as keys and its extension apart', () => {
  const linksOf = (written: string, country?: string) => {
    const parts = phoneParts(written, country)
    return parts.flatMap(({ href }) => href ?? [])
  }
  for (const [written, country, ...links] of [
    ['+49 (0)711 4839210', undefined, 'tel:+497114839210'],
    ['0711 4839210 Durchwahl 18', 'DE', 'tel:+497114839210;ext=18'],
    ['0711 4839210', undefined, 'tel:07114839210'],
    ['0711 4839210 / 0160 5550123', 'DE', 'tel:+497114839210', 'tel:+491605550123'],
    ['1-800-GO-TRAIN', 'US', 'tel:+18004687246'],
    ['+39 (0)2 5555 0123', 'DE', 'tel:+390255550123'],
    ['+44 (0) 20 7946 0311 x5', 'DE', 'tel:+442079460311;ext=5'],
    ['00 33 1 55 50 01 23', undefined, 'tel:+33155500123'],
    ['112', 'DE', 'tel:112'],
    ['+49 7', 'DE'],
    ['+49 711 48392104839210483', 'DE'],
    ['7.11483921E+11', 'DE'],
    ['ask for Bob', 'DE'],
  ] as [string, string | undefined, ...string[]][])
    assert.deepEqual(linksOf(written, country), links, written)
})

test('a text with two numbers stays as it is written, and each of them is a link', () => {
  for (const [written, texts] of [
    ['office 0711 4839210 / 0160 5550123 (mobile)', ['0711 4839210', '0160 5550123']],
    ['0711 4839-210/-211', ['0711 4839-210', '0711 4839-211']],
  ] as const) {
    const parts = phoneParts(written, 'DE')
    assert.deepEqual(
      parts.filter(({ href }) => href).map(({ text }) => text),
      texts,
    )
    if (!written.includes('-')) assert.equal(parts.map(({ text }) => text).join(''), written)
  }
})

test('every address of a text is read, also those in front of one in angle brackets', () => {
  const emailsOf = (text: string) => {
    const read = readEmails(text)
    return 'value' in read ? read.value.map(({ email }) => email) : Object.keys(read)
  }
  assert.deepEqual(emailsOf('<ana@firm.example><bo@firm.example>'), ['ana@firm.example', 'bo@firm.example'])
  assert.deepEqual(emailsOf('ana@firm.example <bo@firm.example>'), ['ana@firm.example', 'bo@firm.example'])
  assert.deepEqual(emailsOf('"ana@firm.example" <ana@firm.example>'), ['ana@firm.example'])
  assert.deepEqual(emailsOf('Ana Ruiz <ana@firm.example> (work)'), ['ana@firm.example'])
})

test('a scheme alone is no host', () => {
  for (const text of ['https://', '//', 'mailto:']) assert.ok('unread' in readDomains(text), text)
  assert.deepEqual(readDomains('//www.firm.example/about'), { value: ['firm.example'] })
})
