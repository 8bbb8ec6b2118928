import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Access, Authentication } from '../auth/access.ts'
import type { AuditLog } from '../events/audit/log.ts'
import type { Log } from '../lib/log.ts'
import type { Store } from '../store/open.ts'
import type { Bodies } from './body/bodies.ts'
import type { Cursors } from './cursor.ts'
import type { idempotency } from './idempotency.ts'
import type { Measure } from './measure.ts'
import type { rateLimit } from './ratelimit.ts'
import type { Reader } from './reader.ts'
import type { SeqParts } from './seq.ts'
import type { CommitWaiters } from './waiting.ts'

/** What the kernel is made of. */
export type Kernel = Authentication & {
  /** The prefix of all paths, such as /api/v1. */
  prefix: string
  write: Store['write']
  /** The health of the storage. */
  health: Store['health']
  changes: Store['changes']
  cursors: Cursors
  answers: ReturnType<typeof idempotency>
  audit: AuditLog['record']
  rate: ReturnType<typeof rateLimit> | null
  /** Shared by all listeners. */
  bodies: Bodies
  /** Where forms with files are stored while they arrive. */
  dataDir: string
  log: Log
  /** Counts each response. */
  measure?: Measure | undefined
  /** Origins that may call from a browser; none by default. */
  corsOrigins: readonly string[]
  /** Checks the name by which the server is called, if it has to. */
  checkHost?: ((req: IncomingMessage) => void) | undefined
  /** For requests that wait for a commit. */
  waiters: CommitWaiters
  newestSeq: SeqParts['newestSeq']
  isLostSeq?: SeqParts['isLostSeq']
  /** What a reader does otherwise than a primary. */
  reader?: Reader | undefined
  /** Aborted while the server stops: further requests on open connections get 503. */
  stopping: AbortSignal
}

/** A request while it is answered. */
export type Exchange = {
  req: IncomingMessage
  res: ServerResponse
  id: string
  path: string
  query: string
  /** The template, such as /deals/:id; logged instead of the path. */
  route: string | null
  access: Access | null
  /** The seq of the newest event, of a moment before anything was read; undefined for a write, whose answer has its own. */
  seq: number | undefined
  /** Headers of any response to it. */
  headers: string[]
}
