import type { FieldError } from '../../lib/problem.ts'
import { BACKGROUND, ECHO, isOwn, MEMBER, newEcho } from './headers.ts'

// Requests to the server. The transport is an argument, so that tests send over their own connections.

export type Sent = { method: string; path: string; headers: Record<string, string>; body?: string | undefined }
/** `status` is 0 for a redirect, which the server never sends. */
export type Got = { status: number; headers: { get(name: string): string | null }; text: string }

/** Sends one request. Rejects if no answer came: the server may have received it all the same. */
export type Send = (request: Sent) => Promise<Got>

/** What the server refused, as application/problem+json; `message` is what a person reads, `detail` what the server said. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  readonly code: string
  /** Of a 422, for each field. */
  errors: readonly FieldError[]
  readonly detail: string
  /** Names the request in the log of the server. */
  readonly requestId: string | null
  /** From Retry-After. */
  readonly retryAfterMs: number | undefined
  /** All members of the answer: some problems have more of them. */
  readonly body: Record<string, unknown>

  constructor(status: number, body: Record<string, unknown>, retryAfterMs?: number) {
    super(String(body.detail ?? body.title ?? `The server answered ${status}.`))
    this.detail = this.message
    this.status = status
    this.code = String(body.code ?? 'unknown')
    this.errors = (body.errors as FieldError[] | undefined) ?? []
    this.requestId = (body.request_id as string | undefined) ?? null
    this.retryAfterMs = retryAfterMs
    this.body = body
  }

  /** Takes the words of a catalogue in place of the server's. */
  reword(message: string, errors: readonly FieldError[]): void {
    this.message = message
    this.errors = errors
  }
}

/** No answer came: the network is down, the server is stopped, or it took too long. */
export class NoAnswer extends Error {
  override readonly name: string = 'NoAnswer'
}

/** Nothing is said of it: another tab sends the write, or its author has taken it back. */
export class LetGo extends NoAnswer {
  override readonly name = 'LetGo'
}

/** Something in front of the server answered in its place: what became of the request is not known. */
export class InFront extends NoAnswer {
  override readonly name = 'InFront'
  /** 0 for a redirect. */
  readonly status: number

  constructor(status: number) {
    super(`Something in front of Dealbox answered ${status}.`)
    this.status = status
  }
}

/** Who answered a request: a number is the status of something in front of the server. */
export type From = 'server' | 'nobody' | number

export type Asked = {
  body?: unknown
  /** Sent as Idempotency-Key: the same key writes at most once. */
  key?: string | undefined
  /** Sent as If-Match. */
  version?: number | undefined
  /** The page asks by itself: that is no use of the session, which ends when nobody uses it. */
  isBackground?: boolean | undefined
}

export type Answered<Body> = { status: number; body: Body; version: number | undefined; isReplayed: boolean }

export type Api = ReturnType<typeof api>

/** Tries of a GET without answer: nothing is lost by asking again. Writes are repeated by the write queue, with their key. */
const GET_TRIES = 2

type Parts = {
  /** Whose page this is: the cookie is that of whoever has signed in last in this browser. */
  member?: string
  /** Whether nobody has touched the page for a while: then whatever it asks for, it asks by itself. */
  isIdle?: (() => boolean) | undefined
  /** Called for each 401 of the server to what was asked since somebody signed in: what was typed stays where it is until the member has signed in again. */
  signedOut?: () => void
  answered?: (from: From) => void
  /** Puts what was refused into the words of the member. */
  explain?: ((problem: ApiProblem) => Promise<void>) | undefined
}

/** The status of what is refused because another member is signed in now: for this page that is the same as nobody. */
const SIGNED_OUT = 401

export function api(send: Send, { member, isIdle, signedOut, answered, explain }: Parts = {}) {
  /** Counts who signs in: what was asked before says nothing of who is signed in now. */
  let sessions = 0

  /** Throws ApiProblem, or NoAnswer, which may be InFront. Paths begin with /api/v1/ or /app/. */
  async function request<Body>(method: string, path: string, asked: Asked = {}): Promise<Answered<Body>> {
    const echo = newEcho()
    const session = sessions
    const headers: Record<string, string> = { Accept: 'application/json', [ECHO]: echo }
    if (asked.body !== undefined) headers['Content-Type'] = 'application/json'
    if (asked.key !== undefined) headers['Idempotency-Key'] = asked.key
    if (asked.version !== undefined) headers['If-Match'] = `"${asked.version}"`
    if (member !== undefined) headers[MEMBER] = member
    if (asked.isBackground || isIdle?.()) headers[BACKGROUND] = '1'
    const body = asked.body === undefined ? undefined : JSON.stringify(asked.body)
    const got = await answerTo({ method, path, headers, body })
    const isAnswer = isOwn(got.headers, echo)
    answered?.(isAnswer ? 'server' : got.status)
    if (!isAnswer) throw new InFront(got.status)
    const problem = got.status < 400 ? undefined : problemOf(got)
    if (problem?.status === SIGNED_OUT) {
      // It was asked with the cookie of before, and is asked again.
      if (session !== sessions) throw new NoAnswer()
      signedOut?.()
    }
    if (problem) {
      await explain?.(problem)
      throw problem
    }
    const tag = /^"(\d+)"$/.exec(got.headers.get('ETag') ?? '')
    return {
      status: got.status,
      body: (got.text === '' ? undefined : parse(got)) as Body,
      version: tag ? Number(tag[1]) : undefined,
      isReplayed: got.headers.get('Idempotency-Replayed') === 'true',
    }
  }

  async function answerTo(sent: Sent): Promise<Got> {
    for (let tries = 1; ; tries++) {
      try {
        return await send(sent)
      } catch (error) {
        if (sent.method === 'GET' && tries < GET_TRIES) continue
        answered?.('nobody')
        throw new NoAnswer('The server could not be reached.', { cause: error })
      }
    }
  }

  /** Throws ApiProblem or NoAnswer. */
  const get = async <Body>(path: string, asked?: Pick<Asked, 'isBackground'>): Promise<Body> =>
    (await request<Body>('GET', path, asked)).body

  return { request, get, signedIn: () => void sessions++ }
}

function problemOf(got: Got): ApiProblem {
  const seconds = Number(got.headers.get('Retry-After') ?? Number.NaN)
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined
  const body = parse(got) as Record<string, unknown>
  return new ApiProblem(body.code === 'other_member' ? SIGNED_OUT : got.status, body, retryAfterMs)
}

function parse({ text }: Got): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new NoAnswer('The answer was cut off.', { cause: error })
  }
}

/** Builds a path with a query; members that are undefined are left out. */
export function pathWith(path: string, query: Record<string, string | number | boolean | null | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  if (given.length === 0) return path
  return `${path}?${given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`).join('&')}`
}
