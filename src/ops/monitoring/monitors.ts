import { usage } from '../../lib/problem.ts'
import { type Monitors, parseMonitorFrom } from './access.ts'

const LOOPBACK = 'loopback'
const SHORTEST_TOKEN = 16

/** The options of `serve` about who may see how the server is. */
export const monitorOptions = {
  monitorFrom: {
    type: 'string',
    placeholder: 'NETWORKS',
    default: LOOPBACK,
    help: 'who may read the metrics and the details of health checks: loopback, addresses or networks, separated by commas, or off',
  },
  monitorToken: {
    type: 'string',
    placeholder: 'TOKEN',
    secret: true,
    help: 'a token that may read them from anywhere; better by DEALBOX_MONITOR_TOKEN_FILE, since others see command lines',
  },
} as const

export type MonitorSettings = { monitorFrom?: string | undefined; monitorToken?: string | undefined }

/** Throws a usage Problem. */
export function readMonitors({ monitorFrom = LOOPBACK, monitorToken: token }: MonitorSettings): Monitors {
  // What a header cannot carry would never match.
  if (token !== undefined && (token.length < SHORTEST_TOKEN || !/^[\x21-\x7e]+$/.test(token)))
    throw usage(`--monitor-token must have at least ${SHORTEST_TOKEN} letters, digits and signs, without spaces.`)
  return { ...parseMonitorFrom(monitorFrom), token }
}
