import type { Monitored } from '../../site/options.ts'
import { type Health, type HealthOptions, health } from './health.ts'
import { type Monitoring, monitoringPages, noMonitoring } from './metrics.ts'
import type { Operation } from './notify/operation.ts'
import { operationHandlers, operationRoutes } from './operation/operation.ts'

type Options = Pick<HealthOptions, 'store' | 'deps' | 'dataDir' | 'log' | 'stopping' | 'isSendingPaused'> & {
  monitoring?: Monitoring
  /** The checks of health.ts; made from `monitoring` if they are left out. */
  judge?: Health
  /** How the owners are told, and what they may start. */
  operation?: Omit<Operation, 'judge' | 'places'>
}

/** What the listener of the screens shows of how the server is. */
export function monitored({ monitoring = noMonitoring(), operation, ...options }: Options): Monitored {
  const { store, deps, dataDir, log } = options
  const judge = options.judge ?? health({ ...options, ...monitoring })
  const { metrics, ready } = monitoringPages({ store, deps, dataDir, log, monitoring, health: judge })
  const parts = { store, dataDir, operation: { ...operation, judge, places: monitoring.places } }
  return {
    pages: { '/readyz': ready, '/metrics': metrics },
    requests: (prefix) => monitoring.recorded.requests.of('screens', prefix),
    routes: operationRoutes(parts),
    handlers: operationHandlers(parts),
  }
}
