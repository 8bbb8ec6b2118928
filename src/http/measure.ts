import { type Family, type Histogram, histogram, type Sample } from '../lib/metrics/metrics.ts'

/** Counts a response. `route` is a template such as /deals/:id; null if the path or the method is none of ours. */
export type Measure = (method: string, route: string | null, status: number, ms: number) => void

/** The requests of one route and method. */
type Cell = { seconds: Histogram; statuses: Uint32Array }

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const NONE = 'none'
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const FIRST_STATUS = 100
const STATUSES = 500

const newCell = (): Cell => ({ seconds: histogram(BOUNDS), statuses: new Uint32Array(STATUSES) })

/**
 * Counts requests and how long they took. Nothing of a request itself becomes a label: callers give the template of the
 * route, and what has none, however many paths somebody tries, is counted together. So there are at most as many series
 * as routes, methods and statuses.
 */
export function requestMetrics() {
  const all: { listener: string; prefix: string; cells: Map<string, Map<string, Cell>> }[] = []
  /** What has no route, by listener: a listener may have several prefixes. */
  const none = new Map<string, Cell>()

  /** Returns a function that counts the requests of a listener whose templates continue the prefix. */
  function of(listener: string, prefix: string): Measure {
    const cells = new Map<string, Map<string, Cell>>()
    all.push({ listener, prefix, cells })
    const others = none.get(listener) ?? newCell()
    none.set(listener, others)

    function addCell(route: string, method: string): Cell {
      const cell = newCell()
      cells.set(route, (cells.get(route) ?? new Map<string, Cell>()).set(method, cell))
      return cell
    }

    return (method, route, status, ms) => {
      const known = METHODS.includes(method) ? method : NONE
      const cell = route === null ? others : (cells.get(route)?.get(known) ?? addCell(route, known))
      cell.seconds.observe(ms / 1000)
      cell.statuses[status - FIRST_STATUS]!++
    }
  }

  function families(): Family[] {
    const ofRoutes = all.flatMap(({ listener, prefix, cells }) =>
      [...cells].flatMap(([route, byMethod]) =>
        [...byMethod].map(([method, cell]) => ({ labels: { listener, method, route: prefix + route }, cell })),
      ),
    )
    const others = [...none].map(([listener, cell]) => ({ labels: { listener, method: NONE, route: NONE }, cell }))
    const series = [...ofRoutes, ...others].map(({ labels, cell }) => ({ labels, ...cell, histogram: cell.seconds }))
    const counted: Sample[] = series.flatMap(({ labels, statuses }) =>
      [...statuses.entries()].flatMap(([at, value]) =>
        value === 0 ? [] : [{ labels: { ...labels, status: String(FIRST_STATUS + at) }, value }],
      ),
    )
    return [
      { name: 'dealbox_http_requests', type: 'counter', help: 'Requests by route and status.', samples: counted },
      {
        name: 'dealbox_http_request_duration_seconds',
        type: 'histogram',
        help: 'Time from the head of a request to the end of its response.',
        series: series.map(({ labels, histogram }) => ({ labels, histogram })),
      },
    ]
  }

  return { of, families }
}
