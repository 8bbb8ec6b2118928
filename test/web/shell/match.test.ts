import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pieces } from '../../../src/web/lib/found.ts'
import { fit, searchable, wordsOf } from '../../../src/web/shell/commands/match.ts'

const marked = (text: string, typed: string) =>
  pieces(text, wordsOf(typed))
    .map(({ text, isHit }) => (isHit ? `[${text}]` : text))
    .join('')

const fits = (text: string, typed: string) => fit(searchable(text), wordsOf(typed)) !== null

test('words are found at the beginning of words, without case and accents', () => {
  assert.ok(fits('Grünwald Maschinenbau', 'grun'))
  assert.ok(fits('Grünwald Maschinenbau', 'masch GRÜN'))
  assert.ok(fits('Łódź Textile Works', 'lodz'))
  assert.ok(fits('Straßenbau', 'strass'))
  assert.ok(!fits('Begründung', 'grun'))
  assert.ok(!fits('Grünwald', 'grun xyz'))
})

test('words are found inside of scripts without spaces, without apostrophes, and with two letters for one', () => {
  assert.ok(fits('小山商店株式会社', '商店'))
  assert.ok(fits('주식회사새벽네트웍스', '네트'))
  assert.ok(fits('บริษัทสยามรุ่งเรือง', 'รุ่งเรือง'))
  assert.ok(!fits('小山商店', '山店'))
  assert.ok(fits("Shane O'Neill", 'oneill'))
  assert.ok(fits('Göthe KG', 'goethe'))
  assert.ok(!fits('Paul', 'aul'))
})

test('a text that begins with the words comes before one that has them later', () => {
  const score = (text: string) => fit(searchable(text), wordsOf('nor')) ?? Number.POSITIVE_INFINITY
  assert.ok(score('Northwind') < score('Deal for Northwind'))
  assert.ok(score('Northwind') < score('Northwind Trading Company'))
})

test('what was typed is marked in the text as it is written', () => {
  assert.equal(marked('Leonie Grünthal', 'grun'), 'Leonie [Grün]thal')
  assert.equal(marked('Straße Süd', 'strass sud'), '[Straß]e [Süd]')
  assert.equal(marked('Grünwald', ''), 'Grünwald')
  assert.equal(marked('小山商店', '商店'), '小山[商店]')
  assert.equal(marked('Gru\u0308n und Gold', 'gold'), 'Gru\u0308n und [Gold]')
})
