import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import mustache from 'mustache'
import { fill, fillLine, templateFaults, type View } from '../../src/lib/template.ts'
import { startCpuClock } from '../support/cpu-clock.ts'

const NAMES = ['contact.first_name', 'deal.title', 'unsubscribe_url']
const faults = (text: string) => templateFaults(text, (name) => NAMES.includes(name))
const messages = (text: string) => faults(text).map(({ message }) => message)
const codes = (text: string) => faults(text).map(({ code }) => code)

describe('a template has no faults', () => {
  for (const text of [
    '',
    'Hello, with } and { and }} and { { x } }',
    'Dear {{contact.first_name}}, {{ contact.first_name }}, {{{contact.first_name}}}, {{& contact.first_name }}',
    '{{#deal.title}}about {{deal.title}}{{^unsubscribe_url}}!{{/ unsubscribe_url }}{{/deal.title}}',
    '{{ # deal.title }}x{{\n/deal.title}}',
    `{{${' '.repeat(180)}deal.title}}`,
    '{{#deal.title}}'.repeat(10) + '{{/deal.title}}'.repeat(10),
  ])
    test(JSON.stringify(text.slice(0, 60)), () => assert.deepEqual(faults(text), []))
})

describe('a template is refused, with the line', () => {
  for (const [what, text, message] of [
    ['a tag without its end', 'a\nb {{deal.title', 'must have "}}" after the "{{" in line 2'],
    ['a tag of three braces with the end of two', '{{{deal.title}}', 'must have "}}}" after the "{{{" in line 1'],
    [
      'a section without its end',
      'x\n\n{{#deal.title}}\n',
      'must close {{#deal.title}} of line 3 with {{/deal.title}}',
    ],
    [
      'an end without its section',
      '\n{{/deal.title}}',
      'must not close {{/deal.title}} in line 2: no section is open there',
    ],
    [
      'the end of another section',
      '{{#deal.title}}\n{{^unsubscribe_url}}\n{{/deal.title}}{{/unsubscribe_url}}',
      'must close {{^unsubscribe_url}} of line 2 before {{/deal.title}} in line 3',
    ],
    ['a part', '{{> footer}}', 'must not have {{> footer}} in line 1: partials are not supported'],
    ['other braces', '{{=<% %>=}}', 'must not have {{=<% %>=}} in line 1: other delimiters are not supported'],
    ['a comment', '{{! deal.title }}', 'must not have {{! deal.title }} in line 1: comments are not supported'],
    ['an unknown variable', 'a\n{{deal.titel}}', 'must not have {{deal.titel}} in line 2: there is no such variable'],
    ['one without a name', '{{}}', 'must not have {{}} in line 1: there is no such variable'],
    ['the value of a section', '{{.}}', 'must not have {{.}} in line 1: there is no such variable'],
    ['what every object has', '{{constructor}}', 'must not have {{constructor}} in line 1: there is no such variable'],
    [
      'a section of an unknown variable',
      '{{#deal}}{{/deal}}',
      'must not have {{#deal}} in line 1: there is no such variable',
    ],
    [
      'eleven sections in each other',
      `\n${'{{#deal.title}}'.repeat(11)}${'{{/deal.title}}'.repeat(11)}`,
      'must not nest more than 10 sections, as in line 2',
    ],
  ] as const)
    test(what, () => assert.deepEqual(messages(text), [message]))

  test('a tag that goes on and on', () => {
    const [message] = messages(`{{deal.title${' '.repeat(200)}}}`)
    assert.equal(message, 'must not have more than 200 characters in {{deal.title }} in line 1')
    const [long] = messages(`{{${'x'.repeat(201)}}}`)
    assert.equal(long, `must not have more than 200 characters in {{${'x'.repeat(78)}… in line 1`)
  })
})

test('what is not known has a code of its own, and of many faults the first ten are told', () => {
  assert.deepEqual(codes('{{x}}{{>y}}'), ['unknown_variable', 'invalid_template'])
  assert.equal(codes('{{x}}'.repeat(50)).length, 10)
})

test('lines are counted through tags that have several', () => {
  assert.deepEqual(messages('{{\n\ndeal.title}}\n{{x}}'), ['must not have {{x}} in line 4: there is no such variable'])
})

test('a value stands there as it is, whichever way it is written', () => {
  const view = { contact: { first_name: `<Ana> & "Bo" {{deal.title}}` } }
  for (const tag of ['{{contact.first_name}}', '{{{contact.first_name}}}', '{{&contact.first_name}}'])
    assert.equal(fill(`Dear ${tag},`, view), `Dear <Ana> & "Bo" {{deal.title}},`)
})

test('what is not there is nothing', () => {
  const view: View = { a: null, b: undefined, c: { d: 'x' }, e: 'text' }
  assert.equal(
    fill('[{{a}}{{b}}{{c}}{{z}}{{a.x}}{{c.z}}{{e.length}}{{constructor}}{{c.__proto__}}{{c.toString}}]', view),
    '[]',
  )
})

test('numbers, truth and several values are written as people do', () => {
  assert.equal(fill('{{a}} {{b}} {{c}} {{d}}', { a: 0, b: true, c: false, d: ['x', 'y'] }), '0 true false x, y')
})

test('a section stands there once where its variable has a value, an inverted one where it has none', () => {
  const filled = (value: View[string]) => fill('{{#a.b}}yes {{a.b}}{{/a.b}}{{^a.b}}no{{/a.b}}', { a: { b: value } })
  for (const [value, text] of [
    ['x', 'yes x'],
    [0, 'yes 0'],
    [true, 'yes true'],
    [['x', 'y'], 'yes x, y'],
    ['', 'no'],
    [false, 'no'],
    [null, 'no'],
    [undefined, 'no'],
    [[], 'no'],
  ] as const)
    assert.equal(filled(value), text)
})

test('a section sees what is around it, and not the members of its variable', () => {
  assert.equal(fill('{{#a}}[{{b}}{{a.b}}]{{/a}}', { a: 'x', b: 'y' }), '[y]')
})

test('a line that has nothing but the ends of sections leaves no empty line', () => {
  const text = 'Hello\n{{#deal.title}}\nabout {{deal.title}}\n{{/deal.title}}\nBye'
  assert.equal(fill(text, { deal: { title: 'Rollout' } }), 'Hello\nabout Rollout\nBye')
  assert.equal(fill(text, {}), 'Hello\nBye')
})

test('what is filled in is in NFC', () => {
  assert.equal(fill('e{{a}}', { a: '\u0301' }), 'é')
})

test('a text is cut at 64 KiB, and not within a character', () => {
  assert.equal(fill('{{a}}', { a: 'x'.repeat(65_536) }).length, 65_536)
  assert.equal(fill('{{a}}!', { a: 'x'.repeat(65_536) }), 'x'.repeat(65_536))
  assert.equal(fill('x{{a}}', { a: '😀'.repeat(20_000) }), `x${'😀'.repeat(16_383)}`)
})

test('a line has no line breaks and nothing that is not seen, and is cut at 255 characters', () => {
  const view = { a: 'one\r\ntwo\u2028three\tfour\u0007 ' }
  assert.equal(fillLine('  {{a}}\n five ', view), 'one two three four five')
  assert.equal(fillLine('{{a}}', { a: '😀'.repeat(300) }), '😀'.repeat(255))
  assert.equal(fillLine('{{a}}', { a: `${'x'.repeat(254)} y` }), 'x'.repeat(254))
})

test('nothing takes long, whatever it is made of', () => {
  const spent = startCpuClock()
  for (const text of [
    `{{x${' '.repeat(65_000)}`,
    `{{${' '.repeat(65_000)}x}}`,
    '{{'.repeat(32_000),
    '{{x}}'.repeat(13_000),
    '{{#deal.title}}'.repeat(4000),
    '{{/deal.title}}'.repeat(4000),
    '\n'.repeat(65_000),
  ])
    faults(text)
  fill('{{a}}'.repeat(13_000), { a: 'x'.repeat(65_536) })
  fill(`${' '.repeat(60_000)}{{a}}`, { a: 'x' })
  assert.ok(spent() < 2000)
})

describe('whatever the text', () => {
  const piece = fc.oneof(
    fc.constantFrom('{{', '}}', '{{{', '}}}', '{', '}', '#', '^', '/', '&', '>', '=', '!', ' ', '\n', '.'),
    fc.constantFrom(...NAMES, 'x', 'constructor'),
    fc.constantFrom(...NAMES.flatMap((name) => ['', '#', '^', '/', '&'].map((sign) => `{{${sign}${name}}}`))),
    fc.string({ maxLength: 5 }),
  )
  const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''))
  const value = fc.oneof(fc.string(), fc.constantFrom('', '{{x}}', '<&>', 'a\nb', null))
  const view = fc.record({
    contact: fc.record({ first_name: value }),
    deal: fc.record({ title: value }),
    unsubscribe_url: value,
  })

  test('one without faults is filled in as the library does it, and has no names but known ones', () => {
    fc.assert(
      fc.property(text, view, (text, view) => {
        const names = new Set<string>()
        if (templateFaults(text, (name) => names.add(name) && NAMES.includes(name)).length > 0) return
        assert.ok(names.isSubsetOf(new Set(NAMES)))
        assert.equal(fill(text, view), mustache.render(text, view, {}, { escape: String }).normalize('NFC'))
      }),
      { numRuns: 2000 },
    )
  })

  test('one that the library cannot read has a fault', () => {
    const isRead = (text: string) => {
      try {
        mustache.parse(text)
        return true
      } catch {
        return false
      }
    }
    fc.assert(
      fc.property(text, (text) => {
        if (!isRead(text)) assert.notDeepEqual(faults(text), [])
      }),
      { numRuns: 2000 },
    )
  })

  test('a filled line is one line of at most 255 characters', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...NAMES), { maxLength: 9 }), view, (names, view) => {
        const text = names.map((name) => `{{${name}}}`).join('\n')
        const line = fillLine(text, view)
        assert.doesNotMatch(line, /[\p{Cc}\u2028\u2029]/u)
        assert.ok([...line].length <= 255 && line === line.trim())
      }),
    )
  })
})
