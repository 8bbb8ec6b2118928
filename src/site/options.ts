import type { Context } from 'koa'
import type { Passwords } from '../auth/passwords.ts'
import type { Deps } from '../deps.ts'
import type { Bodies } from '../http/body/bodies.ts'
import type { Measure } from '../http/measure.ts'
import type { Reader } from '../http/reader.ts'
import type { Need, Route } from '../http/route.ts'
import type { Every } from '../lib/every.ts'
import type { Log } from '../lib/log.ts'
import type { Store } from '../store/open.ts'
import type { Handler } from './handler.ts'
import type { WebFiles } from './page/files.ts'

/** What operations show on the listener of the screens. */
export type Monitored = {
  /** For probes and scrapers, by path: /readyz and /metrics. */
  pages: Record<string, (ctx: Context) => void>
  /** Counts the requests below a prefix. */
  requests: (prefix: string) => Measure
  /** How the server is, and what owners may start. */
  routes: readonly Route<Need>[]
  handlers: readonly Handler[]
}

export type InstallSample = (org: number, owner: string) => Promise<void>

export type ScreensOptions = {
  /** Makes the OpenAPI document of the API, when it is first asked for. */
  document: () => Record<string, unknown>
  /** The catalog of the API, and its prefix. */
  routes: readonly Route[]
  prefix: string
  store: Store
  deps: Deps
  dataDir: string
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
  monitored: Monitored
  /** Fills a new organisation, whose owner asks for it, with sample data. */
  installSample: InstallSample
  /** The timer of the streams. */
  every?: Every
  reader?: Reader | undefined
}
