import { type ELDHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { version } from '../../assets.ts'
import type { Family, Sample } from '../../lib/metrics/metrics.ts'
import { decimal } from '../../lib/metrics/text.ts'
import { sqliteVersion } from '../../store/schema/memory.ts'
import { SCHEMA_VERSION } from '../../store/schema/migrations.ts'

/** How often the event loop is timed. */
const RESOLUTION_MS = 20
/** Several scrapers see the same times, and none takes them away from the others. */
const MIN_WINDOW_MS = 10_000
const QUANTILES = [0.5, 0.99, 1]
const NS_PER_S = 1e9

/** The process: its memory, processor time, versions, and how late its event loop is. */
export function processMetrics(now: () => number = () => performance.now()) {
  const lag = eventLoopLag(now)
  /** Found out once: it opens a database in memory. */
  let build: Sample | undefined

  return (): Family[] => {
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    const { active } = performance.eventLoopUtilization()
    build ??= {
      labels: { version, node: process.versions.node, sqlite: sqliteVersion(), schema: String(SCHEMA_VERSION) },
      value: 1,
    }
    return [
      { name: 'dealbox_build', type: 'info', help: 'Versions of Dealbox and of its components.', samples: [build] },
      gauge('process_start_time_seconds', 'Start of the process since 1970.', performance.timeOrigin / 1000),
      counter('process_cpu_seconds', 'Processor time of the process.', (user + system) / 1e6),
      gauge('process_resident_memory_bytes', 'Resident memory.', rss),
      gauge('dealbox_heap_used_bytes', 'Memory of the JavaScript heap in use.', heapUsed),
      gauge('dealbox_heap_size_bytes', 'Size of the JavaScript heap.', heapTotal),
      gauge(
        'dealbox_external_memory_bytes',
        'Memory of buffers and the like, outside of the JavaScript heap.',
        external,
      ),
      counter('dealbox_event_loop_active_seconds', 'Time in which the event loop was busy.', active / 1000),
      {
        name: 'dealbox_event_loop_lag_seconds',
        type: 'summary',
        help: 'How late the event loop was, since the last scrape; the quantile 1 is the longest time.',
        samples: lag(),
      },
    ]
  }
}

const gauge = (name: string, help: string, value: number): Family => ({
  name,
  type: 'gauge',
  help,
  samples: [{ value }],
})
const counter = (name: string, help: string, value: number): Family => ({
  ...{ name, type: 'counter', help },
  samples: [{ value }],
})

/** Timing starts with the first call, which returns nothing: a server that nobody scrapes is not timed. */
function eventLoopLag(now: () => number): () => Sample[] {
  let timing: ELDHistogram | undefined
  let since = 0
  let last: Sample[] = []

  return () => {
    if (!timing) {
      timing = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
      timing.enable()
      since = now()
    } else if (now() - since >= MIN_WINDOW_MS) {
      last = QUANTILES.map((quantile) => ({ labels: { quantile: decimal(quantile) }, value: lagAt(timing!, quantile) }))
      timing.reset()
      since = now()
    }
    return last
  }
}

/** The histogram has the time between two turns of a timer, which is its resolution if the event loop is never late. */
function lagAt(timing: ELDHistogram, quantile: number): number {
  const ns = quantile === 1 ? timing.max : timing.percentile(quantile * 100)
  return timing.count === 0 ? 0 : Math.max(0, ns / NS_PER_S - RESOLUTION_MS / 1000)
}
