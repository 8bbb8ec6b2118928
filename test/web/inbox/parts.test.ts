import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Conversation } from '../../../src/web/data/types.ts'
import { partsOf, remoteImages, saidBefore } from '../../../src/web/screens/inbox/quotes.ts'
import { nextDue, slaOf } from '../../../src/web/screens/inbox/sla-of.ts'
import { presetTime } from '../../../src/web/screens/inbox/snoozes.ts'

// What the inbox works out by itself, without a browser.

const shape = (text: string, before: string[] = []) =>
  partsOf(text, saidBefore([...before, text])(before.length)).map(({ kind, text, lines }) => [kind, text, lines])

test('folded is what was said before, in whatever lines; all else is in view', () => {
  const before = ['Hello, which columns do you need so that we can take it over?']
  assert.deepEqual(
    shape(
      'All of them.\n\nOn Monday Ana wrote:\n> Hello, which columns do you\n> need so that we can take it over?',
      before,
    ),
    [
      ['text', 'All of them.\n\nOn Monday Ana wrote:', 3],
      ['quote', '> Hello, which columns do you\n> need so that we can take it over?', 2],
    ],
  )
  // Between and below.
  assert.deepEqual(shape('> Hello, which columns\nthe first\n>> do you need\nand the last', before), [
    ['quote', '> Hello, which columns', 1],
    ['text', 'the first', 1],
    ['quote', '>> do you need', 1],
    ['text', 'and the last', 1],
  ])
})

test('a quote that was changed, or never said here, is in view, also where its words stand in others', () => {
  assert.deepEqual(shape('> We need NO columns', ['We need all columns']), [['text', '> We need NO columns', 1]])
  assert.deepEqual(shape('> said elsewhere by others'), [['text', '> said elsewhere by others', 1]])
  const asked = 'Shall we book the hall for Monday? Let me know, said Ana.'
  const answered = ['> Shall we book the hall for Monday?', '> no', '> Let me know, said Ana.'].join('\n')
  assert.deepEqual(
    shape(answered, [asked]).map(([kind]) => kind),
    ['text'],
  )
  assert.deepEqual(shape('> no', ['Let me know, no or yes']), [['text', '> no', 1]])
  // What was said later was not said before.
  assert.deepEqual(partsOf('> one two three', saidBefore(['> one two three', 'one two three'])(0))[0]?.kind, 'text')
})

test('a question of ours is folded with the addresses of its answers, which nobody here knows, and with no others', () => {
  const said = ['Here it is.\nHow was our answer?\nGood:\nNot good:']
  const link = `https://crm.example/a/rating/${'x'.repeat(64)}/`
  const quoted = (good: string, bad: string) =>
    shape(`Thanks\n> Here it is.\n> How was our answer?\n> Good: ${good}\n> Not good: ${bad}`, said)
  const kinds = (all: unknown[][]) => all.map(([kind]) => kind)
  assert.deepEqual(kinds(quoted(`${link}good`, `<${link}not-good>`)), ['text', 'quote'])
  assert.deepEqual(kinds(quoted('https://crm.example/other', `${link}not-good`)).at(-1), 'text')
  assert.deepEqual(kinds(quoted(`${link}good`, `${link}not-good;but-see-this`)).at(-1), 'text')
})

test('five hundred long messages are looked through at once', () => {
  const own = (at: number) => Array.from({ length: 20 }, (_, line) => `words of the line ${line} in message ${at}`)
  const quoted = (at: number) => own(at).map((line) => `> ${line}`)
  const texts = Array.from({ length: 500 }, (_, at) => [...own(at), ...(at > 0 ? quoted(at - 1) : [])].join('\n'))
  const said = saidBefore(texts)
  const folded = texts.flatMap((text, at) => partsOf(text, said(at)).filter(({ kind }) => kind === 'quote'))
  assert.deepEqual([folded.length, new Set(folded.map(({ lines }) => lines))], [499, new Set([20])])
})

test('a text without quotes is one text, and nothing is nothing', () => {
  assert.deepEqual(shape('a\n\nb'), [['text', 'a\n\nb', 3]])
  assert.deepEqual(shape(' \n\n'), [])
})

test('pictures from elsewhere are counted, others are not', () => {
  assert.equal(
    remoteImages('<img src="https://a.example/x.png"><img alt="b" src="http://b.example/"><img src="cid:a">'),
    2,
  )
  assert.equal(remoteImages('<p>https://a.example <img src="data:image/png;base64,AA=="></p>'), 0)
})

const NOW = Date.parse('2026-11-30T10:00:00Z')
const at = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString()
const conversation = (given: object, sla: object = {}) =>
  ({
    status: 'open',
    created_at: at(-60),
    waiting_since: at(-60),
    first_response_at: null,
    ...given,
    sla: {
      policy_id: 'p',
      status: 'ok',
      first_response_due_at: null,
      next_response_due_at: null,
      resolution_due_at: null,
      breaches: [],
      ...sla,
    },
  }) as unknown as Conversation

test('the clock of a conversation is that of the target that is due next', () => {
  const both = { first_response_due_at: at(60), resolution_due_at: at(30) }
  assert.equal(nextDue(conversation({}, both))?.what, 'resolution')
  assert.equal(nextDue(conversation({ first_response_at: at(-5) }, both))?.what, 'resolution')
  assert.equal(nextDue(conversation({ first_response_at: at(-5) }, { first_response_due_at: at(60) })), null)
  assert.equal(nextDue(conversation({ status: 'closed' }, both)), null)
})

test('it says how long is left, that it is late, at risk, paused, answered, or how long somebody waits', () => {
  const shown = (given: object, sla: object = {}) => {
    const { state, left, text } = slaOf(conversation(given, sla), NOW) ?? {}
    return [state, left, text]
  }
  assert.deepEqual(shown({}, { first_response_due_at: at(60) }), ['ok', 0.5, '1\u00a0h'])
  assert.deepEqual(shown({}, { first_response_due_at: at(10) }).slice(0, 1), ['risk'])
  assert.deepEqual(shown({}, { first_response_due_at: at(60), status: 'at_risk' }).slice(0, 1), ['risk'])
  assert.deepEqual(shown({}, { first_response_due_at: at(-65) }), ['over', undefined, '1\u00a0h\u00a005 late'])
  assert.deepEqual(shown({}), ['hold', undefined, 'paused'])
  assert.deepEqual(shown({}, { policy_id: null }), ['ok', 1, 'waits 1\u00a0h'])
  const answered = { waiting_since: null, first_response_at: at(-5) }
  assert.deepEqual(shown(answered), ['met', undefined, 'answered'])
  assert.deepEqual(shown(answered, { resolution_due_at: at(24 * 60) }), ['met', undefined, 'answered'])
  assert.deepEqual(shown(answered, { resolution_due_at: at(60) }).slice(0, 1), ['ok'])
  assert.deepEqual(shown({ waiting_since: null }), [undefined, undefined, undefined])
  assert.deepEqual(shown({ status: 'closed' }), [undefined, undefined, undefined])
})

test('a snooze ends in the hours of its member, across a change of the clocks', () => {
  const zone = 'Europe/Berlin'
  const ends = (preset: 'today' | 'tomorrow' | 'week', now: string) => {
    const end = presetTime(preset, Date.parse(now), zone)
    return end === undefined ? undefined : new Date(end).toISOString()
  }
  assert.equal(ends('today', '2026-11-30T10:20:00Z'), '2026-11-30T13:00:00.000Z')
  assert.equal(ends('today', '2026-11-30T15:20:00Z'), '2026-11-30T17:00:00.000Z')
  assert.equal(ends('today', '2026-11-30T16:20:00Z'), undefined)
  assert.equal(ends('tomorrow', '2026-11-30T10:20:00Z'), '2026-12-01T07:00:00.000Z')
  assert.equal(ends('tomorrow', '2026-10-24T10:00:00Z'), '2026-10-25T07:00:00.000Z')
  assert.equal(ends('week', '2026-11-30T10:20:00Z'), '2026-12-07T07:00:00.000Z')
  assert.equal(ends('week', '2026-12-06T10:20:00Z'), '2026-12-07T07:00:00.000Z')
})
