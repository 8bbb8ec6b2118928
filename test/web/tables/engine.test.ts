import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { combined } from '../../../src/web/tables/table/combine.ts'
import { type Cell, moveFocus, nextEditable } from '../../../src/web/tables/table/focus.ts'
import {
  hidden,
  layoutText,
  moved,
  pinned,
  readLayout,
  resized,
  settled,
  shown,
  widthOf,
} from '../../../src/web/tables/table/layout.ts'
import { type PasteColumn, patchOf, planPaste } from '../../../src/web/tables/table/paste.ts'
import {
  ALL,
  countOf,
  extended,
  headToggled,
  isSelected,
  NONE,
  toggled,
  without,
} from '../../../src/web/tables/table/selection.ts'
import { formatTsv, parseTsv } from '../../../src/web/tables/table/tsv.ts'
import { examples } from '../../support/seed.ts'

// The rules of tables that need no page.

const KINDS = [
  { key: 'name', width: 220, fixed: true },
  { key: 'email', width: 180 },
  { key: 'owner', width: 60 },
  { key: 'tags', width: 120 },
]
const keys = (layout: readonly { key: string }[]): string => layout.map(({ key }) => key).join(' ')

describe('what is pasted on a cell', () => {
  const item = (email: string, label = 'work', is_primary = false) => ({ email, label, is_primary })
  const before = [item('b@x.example', 'other'), item('A@x.example', 'home', true), item('c@x.example')]
  const text = (...emails: string[]) =>
    combined(
      'emails',
      before,
      emails.map((email) => item(email)),
      false,
    )

  test('takes the place of the address that was shown, with its label, and leaves the others', () => {
    assert.deepEqual(text('new@x.example'), [before[0], item('new@x.example', 'home', true), before[2]])
    assert.deepEqual(text('new@x.example', 'c@x.example', 'new@x.example'), [
      before[0],
      item('new@x.example', 'home', true),
      before[2],
    ])
    assert.deepEqual(text('a@X.example'), before, 'it is there already')
    assert.deepEqual(text('b@x.example', 'a@x.example', 'c@x.example'), before)
    assert.deepEqual(text(), [{ ...before[0], is_primary: true }, before[2]])
    assert.deepEqual(combined('emails', [], [item('n@x.example', 'other', true)], true), [
      item('n@x.example', 'other', true),
    ])
  })

  test('has its own labels where it was copied from a cell', () => {
    const copied = [item('n@x.example', 'other', true), item('m@x.example', 'home')]
    assert.deepEqual(combined('emails', before, copied, true), [before[0], ...copied, before[2]])
    assert.deepEqual(combined('emails', before, before, true), before)
    const phone = (number: string, label: string, is_primary = false) => ({ number, label, is_primary })
    const phones = [phone('+49 30 1', 'home', true), phone('+49 (171) 2', 'other')]
    assert.deepEqual(combined('phones', phones, [phone('+49301', 'work', true), phone('0171 3', 'work')], false), [
      phones[0],
      phone('0171 3', 'work'),
      phones[1],
    ])
  })

  test('takes the place of the tags that were shown', () => {
    assert.deepEqual(combined('tags', ['a', 'b', 'c', 'd', 'e'], ['x', 'e'], true), ['x', 'e', 'd'])
    assert.deepEqual(combined('tags', ['a', 'b'], ['b', 'a'], false), ['a', 'b'])
    assert.deepEqual(combined('multi_select', null, ['a'], false), ['a'])
    assert.deepEqual(combined('text', 'a', 'b', false), 'b')
  })
})

describe('the layout of columns', () => {
  test('has the fixed column first, then those that stay in view, and only columns that exist, once', () => {
    const layout = readLayout('tags,owner!,gone,email,name,email')
    assert.equal(keys(settled(layout, KINDS)), 'name owner tags email')
    assert.equal(keys(settled(readLayout('email'), KINDS)), 'name email')
    assert.equal(keys(settled([], KINDS)), 'name')
  })

  test('is written into the address and read again', () => {
    const text = 'name:240,custom_fields.channel:80!,email'
    assert.equal(layoutText(readLayout(text)), text)
    assert.deepEqual(readLayout('a b,:3,<x>,email:99999,,'), [])
  })

  test('moves a column by a step or before another, but not out of its kind', () => {
    const layout = readLayout('name,owner!,email,tags')
    assert.equal(keys(moved(layout, 'tags', -1, KINDS)), 'name owner tags email')
    assert.equal(keys(moved(layout, 'email', 1, KINDS)), 'name owner tags email')
    assert.equal(keys(moved(layout, 'email', -1, KINDS)), 'name owner email tags')
    assert.equal(moved(layout, 'owner', -1, KINDS), layout)
    assert.equal(moved(layout, 'name', 1, KINDS), layout)
    assert.equal(moved(layout, 'tags', 1, KINDS), layout)
    assert.equal(keys(moved(layout, 'tags', 'email', KINDS)), 'name owner tags email')
  })

  test('widens within bounds, hides, shows at the end, and keeps in view', () => {
    const layout = readLayout('name,email')
    assert.equal(layoutText(resized(layout, 'email', 10)), 'name,email:56')
    assert.equal(layoutText(resized(layout, 'email', 2000.4)), 'name,email:640')
    assert.deepEqual([widthOf({ key: 'email' }, KINDS), widthOf({ key: 'email', width: 70 }, KINDS)], [180, 70])
    assert.equal(layoutText(hidden(layout, 'email')), 'name')
    assert.equal(layoutText(shown(layout, 'tags')), 'name,email,tags')
    assert.equal(shown(layout, 'email'), layout)
    assert.equal(layoutText(pinned(pinned(layout, 'email', true), 'email', false)), 'name,email')
  })
})

describe('the focus of cells', () => {
  const size = { rows: 100, columns: 5, page: 20 }
  const go = (row: number, column: number, key: string, more = {}): Cell | undefined =>
    moveFocus({ row, column }, { key, ...more }, size)

  test('moves within the table, to its edges, and by pages', () => {
    assert.deepEqual(go(3, 2, 'ArrowDown'), { row: 4, column: 2 })
    assert.deepEqual(go(0, 2, 'ArrowUp'), { row: -1, column: 2 })
    assert.deepEqual(go(-1, 2, 'ArrowUp'), { row: -1, column: 2 })
    assert.deepEqual(go(99, 4, 'ArrowDown'), { row: 99, column: 4 })
    assert.deepEqual(go(3, 4, 'ArrowRight'), { row: 3, column: 4 })
    assert.deepEqual(go(3, 0, 'ArrowLeft'), { row: 3, column: 0 })
    assert.deepEqual(go(3, 2, 'PageDown'), { row: 23, column: 2 })
    assert.deepEqual(go(3, 2, 'PageUp'), { row: 0, column: 2 })
    assert.deepEqual(
      [go(3, 2, 'Home'), go(3, 2, 'End')],
      [
        { row: 3, column: 0 },
        { row: 3, column: 4 },
      ],
    )
    assert.deepEqual(go(3, 2, 'Home', { ctrlKey: true }), { row: 0, column: 0 })
    assert.deepEqual(go(3, 2, 'End', { metaKey: true }), { row: 99, column: 4 })
    assert.deepEqual(go(3, 2, 'ArrowDown', { ctrlKey: true }), { row: 99, column: 2 })
  })

  test('leaves other keys alone', () => {
    for (const key of ['a', 'Tab', 'Enter', 'x']) assert.equal(go(3, 2, key), undefined)
    assert.equal(go(3, 2, 'ArrowDown', { altKey: true }), undefined)
    assert.equal(go(3, 2, 'ArrowDown', { shiftKey: true }), undefined)
    assert.equal(go(3, 2, 'PageDown', { ctrlKey: true }), undefined)
  })

  test('goes to the next cell that can be edited, over the ends of rows', () => {
    const canEdit = (column: number): boolean => column === 1 || column === 3
    const next = (row: number, column: number, step: 1 | -1) => nextEditable({ row, column }, step, 3, canEdit, 5)
    assert.deepEqual(next(0, 1, 1), { row: 0, column: 3 })
    assert.deepEqual(next(0, 3, 1), { row: 1, column: 1 })
    assert.deepEqual(next(1, 1, -1), { row: 0, column: 3 })
    assert.equal(next(2, 3, 1), undefined)
    assert.equal(next(0, 1, -1), undefined)
    assert.equal(
      nextEditable({ row: 0, column: 0 }, 1, 9, () => false, 5),
      undefined,
    )
  })
})

describe('the selection', () => {
  const idAt = (row: number): string | undefined => (row < 8 ? `r${row}` : undefined)

  test('takes single rows and ranges from the last one, as far as they are loaded', () => {
    const one = toggled(NONE, 'r2', 2)
    const range = extended(one, 5, idAt)
    assert.deepEqual([...range.ids].sort(), ['r2', 'r3', 'r4', 'r5'])
    assert.deepEqual([...extended(one, 0, idAt).ids].sort(), ['r0', 'r1', 'r2'])
    assert.equal(countOf(extended(one, 20, idAt), 100), 6)
    const off = toggled(range, 'r4', 4)
    assert.deepEqual([...extended(off, 5, idAt).ids].sort(), ['r2', 'r3'])
    assert.deepEqual([...extended(NONE, 3, idAt).ids], ['r3'])
  })

  test('of all that match holds those that are taken out', () => {
    const most = toggled(ALL, 'r3', 3)
    assert.deepEqual([isSelected(most, 'r3'), isSelected(most, 'r4'), countOf(most, 64)], [false, true, 63])
    assert.deepEqual([...extended(most, 5, idAt).ids].sort(), ['r3', 'r4', 'r5'])
    assert.equal(countOf(toggled(most, 'r3', 3), 64), 64)
    assert.equal(countOf(without(most, 'r3'), 63), 63)
  })

  test('the box in the head takes what is loaded, or nothing', () => {
    assert.equal(countOf(headToggled(NONE, ['r0', 'r1']), 9), 2)
    assert.equal(countOf(headToggled(toggled(NONE, 'r0', 0), ['r0', 'r1']), 9), 0)
    assert.equal(countOf(headToggled(ALL, ['r0']), 9), 0)
  })
})

describe('blocks of cells', () => {
  test('are read as spreadsheets write them', () => {
    assert.deepEqual(parseTsv('a\tb\nc\td'), [
      ['a', 'b'],
      ['c', 'd'],
    ])
    assert.deepEqual(parseTsv('a\r\n\r\nb\r\n'), [['a'], [''], ['b']])
    assert.deepEqual(parseTsv('"a\nb"\t"say ""hi"""\t"x'), [['a\nb', 'say "hi"', '"x']])
    assert.deepEqual(parseTsv('5" pipe\t""'), [['5" pipe', '']])
    assert.deepEqual(parseTsv('\t\n'), [['', '']])
    assert.deepEqual(parseTsv('"a"b\tc'), [['"a"b', 'c']])
  })

  test('come back as they were written', () => {
    const cell = fc.array(fc.constantFrom('a', '"', '\t', '\n', ' ', '""', 'é')).map((letters) => letters.join(''))
    const block = fc
      .integer({ min: 1, max: 3 })
      .chain((columns) =>
        fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 4 }),
      )
    fc.assert(
      fc.property(block, (given) => {
        fc.pre(given.at(-1)?.join('') !== '') // an empty last row is the end of the row before
        assert.deepEqual(parseTsv(formatTsv(given)), given)
      }),
      { numRuns: examples(2000) },
    )
  })

  const columns: PasteColumn<string>[] = [
    { key: 'name', read: () => ({ refused: 'read only' }) },
    {
      key: 'job_title',
      read: (text, id) => (text === `title of ${id}` ? 'same' : { value: text.trim() === '' ? null : text.trim() }),
    },
    {
      key: 'custom_fields.seats',
      read: async (text) => (/^ *\d+$/.test(text) ? { value: Number(text) } : { refused: 'Write a number' }),
    },
  ]
  const target = { columns, rows: 3, idAt: (row: number) => ['a', 'b', 'c'][row] }

  test('become one change of each record, and what cannot be read is refused by itself', async () => {
    const plan = await planPaste(parseTsv('Buyer\t4\t9\n\tmany\nHead \t 7\nBeyond'), {
      ...target,
      at: { row: 0, column: 1 },
    })
    assert.deepEqual(plan.changes, [
      { id: 'a', row: 0, fields: { job_title: { value: 'Buyer' }, 'custom_fields.seats': { value: 4 } } },
      { id: 'b', row: 1, fields: { job_title: { value: null } } },
      { id: 'c', row: 2, fields: { job_title: { value: 'Head' }, 'custom_fields.seats': { value: 7 } } },
    ])
    assert.deepEqual(plan.refusals, [{ row: 1, column: 2, text: 'many', reason: 'Write a number' }])
    assert.equal(plan.outside, 2)
    const readOnly = await planPaste([['X']], { ...target, at: { row: 2, column: 0 } })
    assert.deepEqual([readOnly.changes, readOnly.refusals[0]?.reason], [[], 'read only'])
    const same = await planPaste(parseTsv('title of b\t1'), { ...target, at: { row: 1, column: 1 } })
    assert.deepEqual(same.changes, [{ id: 'b', row: 1, fields: { 'custom_fields.seats': { value: 1 } } }])
  })

  test('of custom fields are patched by their keys', () => {
    assert.deepEqual(patchOf({ 'custom_fields.a': 1, job_title: null, 'custom_fields.b': 'x' }), {
      custom_fields: { a: 1, b: 'x' },
      job_title: null,
    })
  })
})
