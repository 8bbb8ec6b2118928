import { type Answers, type Interface, type Schema, successes } from './document.ts'
import { enrolledFaults, isNoRange } from './figures.ts'
import { fileFaults, formFaults, pageOf, partFaults, recordFaults, saidFaults } from './records.ts'
import { type Answer, header, jsonOf, type Request, STAGES } from './request.ts'
import { RULES, valueAt } from './rules.ts'

// Whether an answer is right, from the request, the answer and the document alone.

const SECURITY: [string, string][] = [
  ['x-content-type-options', 'nosniff'],
  ['cache-control', 'private, no-cache'],
  ['content-security-policy', "default-src 'none'"],
]
const ABSENT = ['server', 'x-powered-by']
const PROBLEM_TYPE = 'application/problem+json'

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of every shape
type Any = any

/** What is wrong with an answer; nothing where it is right. */
export function faultsOf(api: Interface, request: Request, answer: Answer): string[] {
  const { status, headers } = answer
  const said: string[] = []
  if (status >= 500) said.push(`${status} for what a client sent`)
  for (const [name, value] of SECURITY) if (headers[name] !== value) said.push(`${name} is ${headers[name]}`)
  for (const name of ABSENT) if (headers[name] !== undefined) said.push(`there is a header ${name}`)
  const id = headers['x-request-id']
  const given = header(request, 'x-request-id')
  if (!id) said.push('there is no X-Request-Id')
  if (given && /^[A-Za-z0-9_-]{1,64}$/.test(given) && id !== given)
    said.push('X-Request-Id is not the one that was sent')
  if (headers['dealbox-echo'] !== (header(request, 'dealbox-echo') ?? 'none')) said.push('there is no Dealbox-Echo')
  const isEmpty = status === 204 || status === 304 || request.method === 'HEAD'
  const form = status === 200 ? request.form : undefined
  const body = form === undefined ? bodyOf(answer, said) : undefined
  // A text may be empty.
  if (isEmpty ? answer.body !== '' : answer.body === '' && form === undefined)
    said.push(isEmpty ? 'there is a body' : 'there is no body')
  if (status >= 400 && !isEmpty) said.push(...problemFaults(api, answer, body))
  if (status === 405 && !headers.allow) said.push('405 without Allow')
  if (status === 401 && headers['www-authenticate'] !== 'Bearer') said.push('401 without WWW-Authenticate: Bearer')
  const documented = request.operation?.answers.get(status)
  if (request.operation && !documented) said.push(`the document has no ${status} for this operation`)
  if (form !== undefined) return [...said, ...formFaults(form, request, answer), ...statusFaults(request, answer, body)]
  if (documented && !isEmpty) said.push(...bodyFaults(documented, answer, body))
  if (status < 300) said.push(...textFaults(answer), ...pageFaults(request, body), ...partFaults(request, body))
  if (status < 300 && body !== undefined) said.push(...recordFaults(request.operation, body))
  if (status < 300 && request.operation?.body) said.push(...roundFaults(api, request, body))
  if (status === 201 && request.operation?.id === 'createEnrollment')
    said.push(...enrolledFaults(jsonOf(request), body))
  if (status === 200 && request.said) said.push(...saidFaults(request.said, body))
  if (status === 201 && request.operation?.shows === 'Message') said.push(...fileFaults(request, body))
  if (documented && status < 400) said.push(...headerFaults(request, documented, answer, body))
  said.push(...statusFaults(request, answer, body))
  return said
}

function bodyOf({ body }: Answer, said: string[]): Any {
  if (body === '') return undefined
  try {
    return JSON.parse(body)
  } catch {
    said.push('the body is not JSON')
    return undefined
  }
}

function problemFaults({ problem }: Interface, { status, headers }: Answer, body: Any): string[] {
  if (headers['content-type'] !== PROBLEM_TYPE) return [`a problem as ${headers['content-type']}`]
  const wrong = problem(body)
  if (wrong) return [`not the body of a problem: ${wrong}`]
  const said: string[] = []
  if (body.status !== status) said.push(`the problem says ${body.status}`)
  if (body.request_id !== headers['x-request-id']) said.push('the problem has another request_id than the header')
  if (body.type !== `urn:dealbox:problem:${body.code}`)
    said.push(`the type ${body.type} is not that of the code ${body.code}`)
  // Codes are for programs: nothing of what was sent may get into them.
  for (const code of [body.code, ...(body.errors ?? []).map((error: Any) => error.code)])
    if (!/^[a-z][a-z0-9_]*$/.test(code)) said.push(`the code ${code} is none`)
  return said
}

function bodyFaults({ content }: Answers, { headers }: Answer, body: Any): string[] {
  const type = headers['content-type'] ?? 'none'
  const check = content.get(type)
  if (!check) return [`the document has no body of the type ${type} here`]
  const wrong = type.endsWith('json') ? check(body) : undefined
  return wrong ? [`not as documented: ${wrong}`] : []
}

function headerFaults(
  { operation, method, target }: Request,
  documented: Answers,
  { status, headers }: Answer,
  body: Any,
): string[] {
  const said: string[] = []
  const etag = headers.etag
  // Of several records that one request made, none has a path or a version for all.
  const isSeveral = Array.isArray(body?.skipped)
  if (isSeveral) return etag || headers.location ? ['an ETag or a Location of several records'] : []
  if (documented.headers.includes('ETag') && !etag) said.push('there is no ETag')
  if (etag && body?.version !== undefined && etag !== `"${body.version}"`)
    said.push(`the ETag ${etag} is not the version`)
  if (documented.headers.includes('Location') && status === 201) {
    const path = target.split('?')[0]
    if (body?.id !== undefined && headers.location !== `${path}/${body.id}`)
      said.push(`Location is ${headers.location}`)
    if (!headers.location) said.push('there is no Location')
  }
  if (operation && documented.headers.includes('Link') && method === 'GET') {
    const next = body?.next_cursor
    if (next ? !headers.link?.includes(`cursor=${next}`) : headers.link)
      said.push(`Link is ${headers.link} with the cursor ${next}`)
  }
  return said
}

/** Text is kept in NFC, without NUL and without halves of surrogate pairs. */
function textFaults({ body }: Answer): string[] {
  const said: string[] = []
  if (/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i.test(body)) said.push('a text with NUL or half of a surrogate pair')
  // The letter of an escaped line feed is no letter before the mark that follows.
  const text = body.replace(/\\[nrtbf]/g, ' ')
  if (text !== text.normalize('NFC')) said.push('a text that is not in NFC')
  return said
}

/** A page is at most as long as was asked for, and has a total where one was asked for. */
function pageFaults({ operation, target }: Request, body: Any): string[] {
  const limit = operation?.query.find(({ name }) => name === 'limit')
  const items = pageOf(operation, body)
  if (!limit || !items) return []
  const query = new URLSearchParams(target.split('?')[1])
  const most = Number(query.get('limit') ?? limit.schema.default)
  const said: string[] = []
  if (items.length > most) said.push(`a page of ${items.length} with the limit ${most}`)
  if ((query.get('count') === 'true') !== (body.total !== undefined)) said.push(`the total is ${body.total}`)
  if (body.total < items.length) said.push(`${items.length} records of ${body.total} in all`)
  return said
}

/** A number that was accepted comes back to the last digit. */
function roundFaults({ resolve }: Interface, request: Request, answered: Any): string[] {
  const properties = (resolve(request.operation!.body!.schema).properties ?? {}) as Record<string, Schema>
  const given = (jsonOf(request) ?? {}) as Any
  return Object.entries(properties)
    .filter(([name, schema]) => [schema.type].flat().includes('number') && typeof given[name] === 'number')
    .filter(([name]) => answered?.[name] !== undefined && answered[name] !== given[name])
    .map(([name]) => `${name} was ${given[name]} and came back as ${answered[name]}`)
}

function statusFaults(request: Request, answer: Answer, body: Any): string[] {
  const { status } = answer
  if (request.repeats) return repeatFaults(request.repeats, answer, body)
  if (request.may.includes(status)) return []
  const [first] = STAGES.filter((stage) => request.faults.some((fault) => fault.stage === stage))
  if (first !== undefined) {
    const due = request.faults.filter(({ stage }) => stage === first)
    if (due.some(({ statuses }) => statuses.includes(status))) return []
    return [`${status} for ${due.map(({ what, statuses }) => `${what} (${statuses.join(' or ')})`).join(', ')}`]
  }
  if (!request.operation) return [`${status} instead of ${request.may.join(' or ')}`]
  if (request.isEmpty && body?.data?.length > 0) return ['a list by an id of no record of the org is not empty']
  const known = request.form === undefined ? header(request, 'if-none-match') : undefined
  if (status === 304 && known !== undefined) return []
  if (isNoRange(request)) return status === 400 ? [] : [`${status} for days out of order, or too many of them`]
  if (known === '*' && request.operation.answers.has(304)) return [`${status} for If-None-Match: *`]
  if (status < 300) return successes(request.operation).includes(status) ? [] : [`${status} is no documented success`]
  if (status === 409 && request.operation.answers.has(409)) return []
  if (status === 400 && isOfNoForm(request, body)) return []
  if (status === 422 && !request.said) return ruleFaults(request, body)
  return [`${status} for a request that is valid by the document: ${body?.detail}`]
}

/** What certainly is an email, a host or a phone: a filter by one refuses what is none, instead of finding nothing. */
const FORMS: Record<string, RegExp> = {
  'an email address': /^[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i,
  'a host name': /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i,
  'a phone number': /^\+?\d[\d ().-]{3,}\d$/,
}

/** The parameters of a form, also with an operator. */
const FORM_OF: Record<string, string> = { email: 'an email address', domain: 'a host name', phone: 'a phone number' }

/** Whether the answer names a parameter of a form, and a value of it is not certainly of that form. That to HEAD names none. */
function isOfNoForm({ method, target }: Request, body: Any): boolean {
  const query = new URLSearchParams(target.split('?')[1])
  const isOdd = (name: string, form: string): boolean =>
    query
      .getAll(name)
      .flatMap((value) => value.split(','))
      .some((value) => FORMS[form]?.test(value.trim()) === false)
  if (method === 'HEAD') return [...query.keys()].some((name) => isOdd(name, FORM_OF[name.replace(/\[.*/, '')] ?? ''))
  const [, name = '', form = ''] = /^The parameter "([^"]+)" must be (an? [a-z ]+), such as/.exec(body?.detail) ?? []
  return isOdd(name, form)
}

function repeatFaults(
  { kept, same }: NonNullable<Request['repeats']>,
  { status, headers, body: text }: Answer,
  body: Any,
): string[] {
  if (!same)
    return status === 422 && body?.code === 'idempotency_key_reused'
      ? []
      : [`${status} for a key that was used with another body`]
  if (status !== kept.status || headers['idempotency-replayed'] !== 'true')
    return [`${status} instead of the stored ${kept.status}`]
  return text === kept.answer ? [] : ['a stored answer came back changed']
}

/** 422 for what the document allows has to come from a rule that a schema cannot say. */
function ruleFaults(request: Request, problem: Any): string[] {
  const given = request.uploaded?.json ?? jsonOf(request)
  const errors = (problem?.errors ?? []) as { pointer: string; code: string; message: string }[]
  if (errors.length === 0) return [`422 ${problem?.code} without the fields for a body that the document allows`]
  return errors
    .filter(({ pointer, code }) => !RULES[code]?.(valueAt(given, pointer), pointer, given))
    .map(({ pointer, code, message }) => `422 for what the document allows: ${pointer} ${message} (${code})`)
}
