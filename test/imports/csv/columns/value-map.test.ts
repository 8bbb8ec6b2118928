import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Fields } from '../../../../src/imports/csv/columns/field.ts'
import type { Mapping } from '../../../../src/imports/csv/columns/mapping.ts'
import { valueMap } from '../../../../src/imports/csv/columns/value-map.ts'

const mapping: Mapping = ['Stage', 'Stage: old', 'a=b', 'Label;s', 'Owner', 'say "x"'].map((column) => ({
  column,
  field: column === 'Label;s' ? 'tag_ids' : null,
}))
const fields: Fields = { tag_ids: { kind: 'tags', many: true } }
const mapOf = (...texts: string[]) => valueMap(texts, mapping, fields)

describe('a replacement of values', () => {
  test('finds the cell regardless of case, accents and the escape of formulas, and leaves others', () => {
    const { apply, unused } = mapOf(
      'Stage:Angebot gélegt=Offer',
      'Stage:-=None',
      'Owner:Max=',
      'Owner:=Ana',
      'Owner:No=X',
    )
    assert.deepEqual(apply({ Stage: ' angebot GELEGT ', Owner: 'MAX', other: 'max' }), {
      Stage: 'Offer',
      Owner: '',
      other: 'max',
    })
    assert.deepEqual(apply({ Stage: "'-", Owner: '' }), { Stage: 'None', Owner: 'Ana' })
    assert.deepEqual(apply({ Stage: 'Offer', Owner: null, 'a=b': 'x' }), { Stage: 'Offer', Owner: null, 'a=b': 'x' })
    assert.deepEqual(unused(), ['Owner:No=X'])
  })

  test('names the longest column that fits, whatever is in it, and parts of it can be quoted', () => {
    for (const [text, cells, expected] of [
      ['Stage: old:x=y', { 'Stage: old': 'x' }, { 'Stage: old': 'y' }],
      ['stage old: x = y ', { 'Stage: old': 'x' }, { 'Stage: old': 'y' }],
      ['Stage:a:b=c', { Stage: 'a:b' }, { Stage: 'c' }],
      ['Stage:a=b=c', { Stage: 'a=b' }, { Stage: 'c' }],
      ['a=b:x=y', { 'a=b': 'x' }, { 'a=b': 'y' }],
      ['Stage:a="b=c"', { Stage: 'a' }, { Stage: 'b=c' }],
      ['"Stage":"a=b"="c=d"', { Stage: 'a=b' }, { Stage: 'c=d' }],
      ['"say ""x""":"q"""="r"', { 'say "x"': 'q"' }, { 'say "x"': 'r' }],
    ] as const) {
      assert.deepEqual(mapOf(text).apply(cells), expected, text)
    }
  })

  test('replaces one of several tags', () => {
    const { apply } = mapOf('Label;s:old=new', 'Label;s:gone=', 'Label;s:all; of it=one')
    const cellOf = (text: string) => apply({ 'Label;s': text })['Label;s']
    assert.equal(cellOf('a; OLD; b, gone'), 'a; new; b, ')
    assert.equal(cellOf('All; of it'), 'one')
  })

  test('is refused for a column that is not there, for a value that is named twice, and in another form', () => {
    for (const [texts, message] of [
      [['Phase:a=b'], /--map-value: the file has no column "Phase". Its columns are "Stage", /],
      [['Stage:a=b', 'stage:A=c'], /replaces "A" of the column "Stage" more than once/],
      [['Stage=b'], /must have the form "Column:value=replacement"/],
      [['Stage:b'], /must have the form/],
    ] as const) {
      assert.throws(() => mapOf(...texts), { code: 'usage', message }, texts.join())
    }
  })
})
