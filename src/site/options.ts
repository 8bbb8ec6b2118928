import type { Passwords } from '../auth/passwords.ts'
import type { Deps } from '../deps.ts'
import type { Bodies } from '../http/body/bodies.ts'
import type { Reader } from '../http/reader.ts'
import type { Route } from '../http/route.ts'
import type { Every } from '../lib/every.ts'
import type { Log } from '../lib/log.ts'
import type { Health } from '../ops/monitoring/health.ts'
import type { Monitoring } from '../ops/monitoring/metrics.ts'
import type { Operation } from '../ops/monitoring/notify/operation.ts'
import type { Store } from '../store/open.ts'
import type { WebFiles } from './page/files.ts'

export type ScreensOptions = {
  /** Makes the OpenAPI document of the API, when it is first asked for. */
  document: () => Record<string, unknown>
  /** The catalog of the API, and its prefix. */
  routes: readonly Route[]
  prefix: string
  store: Store
  deps: Deps
  dataDir: string
  /** Whether the server was started without anything that sends; see sending.ts. */
  isSendingPaused?: boolean
  /** From --public-url, or where the API listens, such as http://127.0.0.1:8080. */
  apiUrl: string
  /** The address that the listener listens on, and further names of this server: see hosts.ts. */
  listen?: string
  hosts?: readonly string[]
  stopping: AbortSignal
  log: Log
  bodies?: Bodies
  passwords?: Passwords
  web?: WebFiles
  monitoring?: Monitoring
  /** What judges how the server is; made from `monitoring` if it is left out. */
  judge?: Health
  /** How the owners are told, and what they may start. */
  operation?: Omit<Operation, 'judge'>
  /** The timer of the streams. */
  every?: Every
  reader?: Reader | undefined
}
