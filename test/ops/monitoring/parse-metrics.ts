import assert from 'node:assert/strict'
import { OPEN_METRICS, PLAIN_TEXT } from '../../../src/lib/metrics/text.ts'

export type Scrape = ReturnType<typeof parseMetrics>

type Sample = { name: string; labels: Record<string, string>; value: number }

const NAME = /^[a-z][a-z0-9_]*$/
/** What OpenMetrics allows after the name of a family, by its type. */
const SUFFIXES: Record<string, string[]> = {
  counter: ['_total'],
  gauge: [''],
  info: ['_info'],
  summary: [''],
  histogram: ['_bucket', '_sum', '_count'],
}

/** Reads metrics as strictly as the standard has them, and checks that histograms add up. */
export function parseMetrics(text: string, type: string) {
  const isOpen = type === OPEN_METRICS
  assert.equal(isOpen ? OPEN_METRICS : PLAIN_TEXT, type)
  const lines = text.split('\n')
  assert.equal(lines.pop(), '')
  if (isOpen) assert.equal(lines.pop(), '# EOF')
  const families = new Map<string, string>()
  const samples: Sample[] = []
  const seen = new Set<string>()
  let family = { name: '', type: '' }
  for (const line of lines) {
    const [, keyword, name = '', rest] = /^# (TYPE|UNIT|HELP) (\S+) (.+)$/.exec(line) ?? []
    if (keyword === 'TYPE') {
      assert.match(name, NAME)
      assert.ok(!families.has(name), `${name} is there twice`)
      families.set(name, rest as string)
      family = { name, type: rest as string }
    } else if (keyword) {
      assert.equal(name, family.name, line)
      assert.doesNotMatch(rest as string, /"/, 'OpenMetrics would want the quote escaped')
      if (keyword === 'UNIT') assert.ok(name.endsWith(`_${rest}`), line)
    } else {
      const [, sample = '', labels = '', number = ''] = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      assert.ok(sample !== '', line)
      const suffixes = isOpen || family.type === 'histogram' ? SUFFIXES[family.type] : ['']
      assert.ok(
        suffixes?.some((suffix) => sample === family.name + suffix),
        `${line} in ${family.name}`,
      )
      assert.ok(!seen.has(`${sample}{${labels}}`), `${line} is there twice`)
      seen.add(`${sample}{${labels}}`)
      const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"(?:,|$)/g)]
      assert.equal(pairs.map(([pair]) => pair).join(''), labels, line)
      assert.ok(Number.isFinite(Number(number)), line)
      samples.push({
        name: sample,
        labels: Object.fromEntries(pairs.map(([, key, value]) => [key, value])),
        value: Number(number),
      })
    }
  }
  checkHistograms(samples)

  /** The value of the series with exactly these labels; 0 if it is not there. */
  function value(name: string, labels: Record<string, string> = {}): number {
    const key = keyOf(labels)
    return samples.find((each) => each.name === name && keyOf(each.labels) === key)?.value ?? 0
  }

  return { text, samples, families, value }
}

const keyOf = (labels: Record<string, string>): string => JSON.stringify(Object.entries(labels).sort())

function checkHistograms(samples: Sample[]): void {
  const buckets = samples.filter(({ name }) => name.endsWith('_bucket'))
  const all = Map.groupBy(buckets, ({ name, labels: { le, ...labels } }) => `${name} ${keyOf(labels)}`)
  for (const [key, series] of all) {
    const counts = series.map(({ value }) => value)
    assert.deepEqual(
      counts,
      counts.toSorted((one, other) => one - other),
      key,
    )
    const {
      name,
      labels: { le, ...labels },
    } = series.at(-1) as Sample
    assert.equal(le, '+Inf')
    const total = samples.find(
      (each) => each.name === name.replace('_bucket', '_count') && keyOf(each.labels) === keyOf(labels),
    )
    assert.equal(total?.value, counts.at(-1), key)
  }
}
