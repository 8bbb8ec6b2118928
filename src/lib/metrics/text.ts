import type { Family, Labels, Sample } from './metrics.ts'

/** Both forms in which Prometheus reads metrics: the newer one is a standard, and other programs know the older one. */
export const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
export const PLAIN_TEXT = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Units that a name may end with. OpenMetrics wants them said as well: see "Metric metadata" in
 * https://prometheus.io/docs/specs/om/open_metrics_spec/
 */
const UNITS = ['seconds', 'bytes']

/** The text of the families in OpenMetrics 1.0, or else in the plain text format of Prometheus. */
export function metricsText(families: readonly Family[], isOpen: boolean): string {
  const all = families.map((family) => metadata(family, isOpen) + lines(family).join(''))
  return all.join('') + (isOpen ? '# EOF\n' : '')
}

function metadata({ name, type, help }: Family, isOpen: boolean): string {
  // In the plain format a family is named like its samples, and an info is an ordinary gauge.
  const named = isOpen ? name : name + (SUFFIXES[type] ?? '')
  const unit = isOpen && UNITS.find((each) => name.endsWith(`_${each}`))
  return [
    `# TYPE ${named} ${!isOpen && type === 'info' ? 'gauge' : type}\n`,
    unit ? `# UNIT ${named} ${unit}\n` : '',
    `# HELP ${named} ${escaped(help)}\n`,
  ].join('')
}

const SUFFIXES: Partial<Record<Family['type'], string>> = { counter: '_total', info: '_info' }

function lines(family: Family): string[] {
  const { name } = family
  if (family.type !== 'histogram') {
    const named = name + (SUFFIXES[family.type] ?? '')
    return family.samples.map((sample) => line(named, sample))
  }
  return family.series.flatMap(({ labels, histogram }) => {
    const counts = histogram.counts()
    let count = 0
    const buckets = counts.map((more, at) => {
      count += more
      const le = at < histogram.bounds.length ? decimal(histogram.bounds[at]!) : '+Inf'
      return line(`${name}_bucket`, { labels: { ...labels, le }, value: count })
    })
    const whole = labels ? { labels } : {}
    return [
      ...buckets,
      line(`${name}_sum`, { ...whole, value: histogram.sum() }),
      line(`${name}_count`, { ...whole, value: count }),
    ]
  })
}

const line = (name: string, { labels, value }: Sample): string => `${name}${labelled(labels)} ${value}\n`

function labelled(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

/** OpenMetrics writes the bounds and quantiles 1 and 10 as 1.0 and 10.0. */
export const decimal = (value: number): string => (Number.isInteger(value) ? `${value}.0` : String(value))
