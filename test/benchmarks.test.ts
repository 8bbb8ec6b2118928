import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withOthers } from '../scripts/bench/report.ts'

test('sections of the benchmarks that were not measured stay as they are', () => {
  const before =
    '# Benchmarks\n\nOld\n\n## Deals\n\nold\n\n## Screens\n\n### Small\n\nkept\n\n## Under attack\n\nkept\n'
  assert.equal(
    withOthers('# Benchmarks\n\nNew\n\n## Deals\n\nnew\n\n## Import\n\nnew\n', before),
    '# Benchmarks\n\nNew\n\n## Deals\n\nnew\n\n## Import\n\nnew\n\n## Screens\n\n### Small\n\nkept\n\n## Under attack\n\nkept\n',
  )
  assert.equal(withOthers(before, before), before, 'and with all measured, nothing is kept twice')
})
