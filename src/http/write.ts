import type { Access } from '../auth/access.ts'
import { requireScopes } from '../auth/scopes.ts'
import type { NewEntry } from '../events/audit/entry.ts'
import * as f from '../lib/fields.ts'
import { validate } from '../lib/validate.ts'
import type { Stored } from '../store/rows/record-store.ts'
import type { Answer } from './answer.ts'
import { charsetOf, FORM, mediaTypeOf, parseBody, parseText } from './body/body.ts'
import type { UploadedFile } from './body/form-parts.ts'
import { uploads } from './body/uploads.ts'
import { checkIfMatch, etag } from './conditional.ts'
import type { Exchange, Kernel } from './exchange.ts'
import { deletionKey, fingerprintOf, formFingerprint, idempotencyKey } from './idempotency.ts'
import { readFlags } from './query.ts'
import { type Answered, isRepeated, type Need, type WriteRoute } from './route.ts'
import { SEQ } from './seq.ts'

type Parts = Pick<
  Kernel,
  'refuseMoved' | 'prefix' | 'write' | 'health' | 'answers' | 'audit' | 'bodies' | 'dataDir' | 'newestSeq'
>

/** What a client has sent, parsed but not validated yet. `fingerprint` is the same for requests that are. */
type Sent = {
  body: unknown
  flags: Record<string, boolean>
  files: readonly UploadedFile[]
  fingerprint: () => string
}

/** Answers writes: reads the body, and runs the route in a transaction, once for each Idempotency-Key. */
export function writeAnswers({
  refuseMoved,
  prefix,
  write,
  health,
  answers,
  audit,
  bodies,
  dataDir,
  newestSeq,
}: Parts) {
  const { receive } = uploads(dataDir, bodies)

  return async function answerWrite(
    route: WriteRoute<Need>,
    access: Access,
    ids: string[],
    x: Exchange,
  ): Promise<Answer> {
    const flags = readFlags(x.query, Object.keys(route.flags ?? {}))
    const others = [...Object.keys(route.accepts ?? {}), ...(route.form ? [FORM] : [])]
    const type = route.body && mediaTypeOf(x.req, others, route.decode !== undefined)
    if (route.form && type === FORM) return answerForm({ ...route, form: route.form }, access, ids, x, flags)
    const sent = await bodies.read(x.req, x.res, route.maxBytes)
    try {
      const body = bodyOf(route, x, type, sent.bytes)
      const fingerprint = () => fingerprintOf(x.req, sent.bytes)
      const run = () => writeBody(route, access, ids, x, { body, flags, files: [], fingerprint })
      return await (route.form?.readyBody?.(write, access.who.org, body, run) ?? run())
    } finally {
      bodies.release(sent)
    }
  }

  async function answerForm(
    route: WriteRoute<Need> & Required<Pick<WriteRoute, 'form'>>,
    access: Access,
    ids: string[],
    x: Exchange,
    flags: Record<string, boolean>,
  ): Promise<Answer> {
    const { form } = route
    const refusal = health.refusal() // before the files fill the disk further
    if (refusal) throw refusal
    const { json, files, discard } = await receive(x.req, x.res, form, route.maxBytes)
    try {
      const given = json && parseBody(json, route.maxItems)
      const body = form.read ? form.read(given, files) : (given ?? parseBody(NOTHING))
      const fingerprint = () => formFingerprint(x.req, json, files)
      const run = () => writeBody(route, access, ids, x, { body, flags, files, fingerprint })
      return await (form.ready ? form.ready(write, access.who.org, files, run) : run())
    } finally {
      await discard()
    }
  }

  async function writeBody(
    route: WriteRoute<Need>,
    access: Access,
    ids: string[],
    x: Exchange,
    { fingerprint, ...sent }: Sent,
  ): Promise<Answer> {
    const key = idempotencyKey(x.req)
    const print = key === undefined ? '' : fingerprint()
    const known = await route.prefetch?.(sent.body, access.who)
    const told = key ?? deletionKey(x.req)
    const who = told === undefined ? access.who : { ...access.who, key: told }
    const { answer, seq } = await write(
      () => {
        refuseMoved(access.who.org)
        const run = () => change(route, { ...access, who }, ids, x, { ...sent, known })
        const answer = key === undefined ? run() : runOnce(route, access, key, print, run)
        return { answer, seq: newestSeq(who.org) }
      },
      { frees: route.method === 'delete' },
    )
    x.headers.push(SEQ, String(seq))
    return answer
  }

  /** Answers a repeat with what was answered before. */
  function runOnce(route: WriteRoute<Need>, access: Access, key: string, print: string, run: () => Answer): Answer {
    const isSecret = route.isSecret === true
    const given = answers.find(access, key, print, isSecret)
    if (given) return given
    const answer = run()
    answers.keep(access, key, print, answer, isSecret)
    return answer
  }

  /** The part of a write that runs in its transaction. */
  function change(
    route: WriteRoute<Need>,
    access: Access,
    ids: string[],
    x: Exchange,
    given: Omit<Sent, 'fingerprint'> & { known: unknown },
  ): Answer {
    const { who } = access
    const found = route.find?.(who, ...ids)
    if (found && route.scopeOf) requireScopes(who, [route.scopeOf(found)])
    if (found) checkIfMatch(x.req.headers['if-match'], found.version)
    // Refuses a body where none is expected, unless it is empty: nothing is ignored silently.
    const body = (given.body === undefined ? undefined : validate(route.body ?? EMPTY, given.body)) as never
    const made = route.run({ ...given, who, record: found as never, body })
    if (made && isRepeated(made)) return written(200, made.repeated)
    const entry = entryOf(route, access, { body, record: found, made })
    if (entry) audit(entry)
    if (!made) return { status: route.status, headers: [], body: '' }
    const answer = written(route.status, made)
    if (route.status === 201 && 'id' in made) answer.headers.push('Location', `${prefix}${route.path}/${made.id}`)
    return answer
  }
}

type Done = { body: unknown; record: Stored | undefined; made: Answered | undefined }

/** The entry of a write; undefined if it needs none, or is a PATCH that has changed nothing. */
function entryOf(
  { audit, method }: WriteRoute<Need>,
  { who, token }: Access,
  { body, record, made }: Done,
): NewEntry | undefined {
  const isPatch = method === 'patch'
  if (!audit || (isPatch && record && made?.version === record.version)) return undefined
  return {
    org: who.org,
    actor: { type: 'member', member: who.member as string, via: `${who.session ? 'session' : 'token'} ${token}` },
    action: audit.action,
    record: record?.id ?? (made?.id as string | undefined) ?? null,
    detail:
      audit.detail?.({ body, ...(record && { record }) }) ?? (isPatch ? { fields: Object.keys(body as object) } : {}),
  }
}

const EMPTY = f.object({})
const NOTHING = Buffer.alloc(0)

/** Throws Problem 400, and 415 for a body where none is expected. */
function bodyOf(route: WriteRoute<Need>, x: Exchange, type: string | undefined, bytes: Buffer): unknown {
  if (!route.body && bytes.length > 0) mediaTypeOf(x.req)
  const read = type === undefined ? undefined : route.accepts?.[type]
  const { decode } = route
  if (read) return read(parseText(bytes, decode && ((all) => decode(all, charsetOf(x.req)))))
  return route.body || bytes.length > 0 ? parseBody(bytes, route.maxItems) : undefined
}

function written(status: number, record: Answered): Answer {
  const headers = 'version' in record ? ['ETag', etag(record.version as number)] : []
  return { status, headers, body: JSON.stringify(record) }
}
