import { type Monitors, parseMonitorFrom, readMonitorToken } from '../screens/monitoring/access.ts'

const LOOPBACK = 'loopback'

/** The options of `serve` about who may see how the server is. */
export const monitorOptions = {
  monitorFrom: {
    type: 'string',
    placeholder: 'NETWORKS',
    default: LOOPBACK,
    help: 'who may read the metrics and the details of health checks: loopback, addresses or networks, separated by commas, or off',
  },
  monitorTokenFile: {
    type: 'string',
    placeholder: 'FILE',
    help: 'file with a token of 16 characters or more that may read them from anywhere',
  },
} as const

export type MonitorSettings = { monitorFrom?: string | undefined; monitorTokenFile?: string | undefined }

/** Throws a usage Problem. */
export const readMonitors = ({ monitorFrom = LOOPBACK, monitorTokenFile: file }: MonitorSettings): Monitors => ({
  ...parseMonitorFrom(monitorFrom),
  token: file === undefined ? undefined : readMonitorToken(file),
})
