import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Family, histogram, tally } from '../../src/lib/metrics/metrics.ts'
import { metricsText } from '../../src/lib/metrics/text.ts'

function families(): Family[] {
  const sizes = histogram([1, 2.5, 10])
  for (const value of [0, 1, 1.5, 2.5, 3, 10, 11, 1e6]) sizes.observe(value)
  const outcomes = tally(['good', 'bad'])
  outcomes.add('bad')
  outcomes.add('bad', 2)
  return [
    { name: 'app_build', type: 'info', help: 'Versions.', samples: [{ labels: { version: '1.2' }, value: 1 }] },
    { name: 'app_free_bytes', type: 'gauge', help: 'A \\ and\na line.', samples: [{ value: 12.5 }] },
    { name: 'app_ends', type: 'counter', help: 'Ends.', samples: outcomes.samples('outcome') },
    { name: 'app_size', type: 'histogram', help: 'Sizes.', series: [{ labels: { of: 'a"\\\nb' }, histogram: sizes }] },
    { name: 'app_none', type: 'gauge', help: 'Nothing.', samples: [] },
  ]
}

test('metrics in OpenMetrics say their unit, have bounds with a decimal point, and an end', () => {
  assert.equal(
    metricsText(families(), true),
    `# TYPE app_build info
# HELP app_build Versions.
app_build_info{version="1.2"} 1
# TYPE app_free_bytes gauge
# UNIT app_free_bytes bytes
# HELP app_free_bytes A \\\\ and\\na line.
app_free_bytes 12.5
# TYPE app_ends counter
# HELP app_ends Ends.
app_ends_total{outcome="good"} 0
app_ends_total{outcome="bad"} 3
# TYPE app_size histogram
# HELP app_size Sizes.
app_size_bucket{of="a\\"\\\\\\nb",le="1.0"} 2
app_size_bucket{of="a\\"\\\\\\nb",le="2.5"} 4
app_size_bucket{of="a\\"\\\\\\nb",le="10.0"} 6
app_size_bucket{of="a\\"\\\\\\nb",le="+Inf"} 8
app_size_sum{of="a\\"\\\\\\nb"} 1000029
app_size_count{of="a\\"\\\\\\nb"} 8
# TYPE app_none gauge
# HELP app_none Nothing.
# EOF
`,
  )
})

test('in the plain format a family is named like its samples', () => {
  const text = metricsText(families(), false)
  assert.deepEqual(
    text.split('\n').filter((line) => line.startsWith('# TYPE')),
    [
      '# TYPE app_build_info gauge',
      '# TYPE app_free_bytes gauge',
      '# TYPE app_ends_total counter',
      '# TYPE app_size histogram',
      '# TYPE app_none gauge',
    ],
  )
  assert.doesNotMatch(text, /# (UNIT|EOF)/)
})
