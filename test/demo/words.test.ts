import assert from 'node:assert/strict'
import test from 'node:test'
import { FACT, KINDS, WORDS } from '../../src/demo/words/words.ts'

// The compiler does not read the file of the words: a misspelt kind would be one that never comes up.

const among = (values: readonly unknown[], known: readonly unknown[]) => {
  for (const value of values) assert.ok(known.includes(value), `${value} is none of ${known}`)
}

test('the words name only what the story knows', () => {
  const { offers, tags, cultures, countries, descriptions, sales, service, openPoints } = WORDS
  for (const { kind, seats } of offers) {
    among([kind], KINDS)
    among([seats], ['many', 'few', 'more', 'all'])
  }
  for (const { on } of tags) among(on, Object.keys(FACT))
  for (const { culture } of countries)
    among(
      [culture],
      cultures.map(({ code }) => code),
    )
  for (const { trades = {} } of cultures) among(Object.keys(trades), Object.keys(descriptions))
  for (const { on, channels, priority, tag, lines } of [...sales, ...service, openPoints]) {
    among([on], ['early', 'late', 'won', 'lost', 'new'])
    among(channels, ['email', 'chat', 'sms', 'phone'])
    among([priority], [undefined, 'low', 'high', 'urgent'])
    among([tag], [undefined, ...tags.map(({ name }) => name)])
    for (const { by, file } of lines) {
      among([by], ['them', 'us', 'note'])
      among([file], [undefined, 'prices', 'offer', 'order', 'staff', 'questions', 'answers'])
    }
  }
})

test('each text of a conversation, a meeting and a note uses placeholders that are filled in', () => {
  const { sales, service, openPoints, meetings, openings, scenes, endings, notes } = WORDS
  const check = (texts: (string | null)[], known: string[]) => {
    for (const text of texts)
      among(
        [...(text ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        known,
      )
  }
  for (const { subject, lines } of [...sales, ...service, openPoints])
    check(
      [subject, ...lines.flatMap(({ texts }) => texts)],
      ['them', 'us', 'seats', 'firm', 'module', 'team', 'day', 'number'],
    )
  const spoken = [...openings, ...scenes, ...endings].flat().map(([, text]) => text)
  const written = Object.values(meetings).flatMap(({ title, description, summaries }) => [
    title,
    description,
    ...summaries,
  ])
  check([...spoken, ...written], ['them', 'us', 'firm', 'seats', 'module', 'team', 'day'])
  check(
    Object.values(notes)
      .flat()
      .map(({ body }) => body),
    ['seats', 'part', 'day'],
  )
})
