import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fold } from '../../../src/lib/pure/fold.ts'
import { type Item, readList } from '../../../src/lib/written/lists.ts'
import { rowsOf } from './people.ts'

const shown = (items: readonly Item[]): string =>
  items.map(({ name, value }) => (value === undefined ? `NEW:${name}` : value)).join(' ¦ ')

function readingOf(text: string, exist: string | undefined, isSeen: boolean): string {
  const names = new Map((exist?.split(' ¦ ') ?? []).map((name) => [fold(name), name]))
  const read = readList(text, (name) => names.get(fold(name)), { isSeen })
  if ('value' in read) return shown(read.value)
  return 'either' in read ? `AMBIGUOUS ${read.either.map(shown).join(' ¦¦ ')}` : 'REFUSE'
}

test('lists are read by the names that exist', () => {
  const rows = rowsOf('list', 'text.tsv')
  assert.ok(rows.length > 30)
  for (const { context, written, meant, why } of rows) {
    assert.equal(readingOf(written, context.exist, false), meant, `${written}: ${why}`)
    // Who looks at what was read decides what is ambiguous in a file: the longest name.
    const seen = meant.replace(/^AMBIGUOUS (?:.* ¦¦ (NEW:.*)|(.*) ¦¦ .*)$/, '$1$2')
    assert.equal(readingOf(written, context.exist, true), seen, `${written}: ${why}, in an editor`)
  }
})

test('what is the same is in a list once', () => {
  assert.equal(readingOf('Rome, ROME, rome', undefined, false), 'NEW:Rome')
  assert.equal(readingOf('Press; press', 'Press', false), 'Press')
})
