import type { Passwords } from '../auth/passwords.ts'
import type { Deps } from '../deps.ts'
import type { Bodies } from '../http/body/bodies.ts'
import type { Every } from '../lib/every.ts'
import type { Log } from '../lib/log.ts'
import type { Store } from '../store/open.ts'
import type { Live } from './live/live.ts'
import type { InstallSample, Monitored } from './options.ts'
import type { WebFiles } from './page/files.ts'

/** What the areas of the browser app are made from. */
export type ScreenParts = Live & {
  store: Store
  deps: Deps
  dataDir: string
  bodies: Bodies
  passwords: Passwords
  web: WebFiles
  /** Where clients reach the API, as far as the server knows: http://0.0.0.0:8080 if it listens everywhere. */
  apiUrl: string
  /** The address that the listener listens on. */
  listen: string
  stopping: AbortSignal
  /** The timer of what is done from time to time. */
  every?: Every
  log: Log
  monitored: Monitored
  installSample: InstallSample
}
