import type { IncomingMessage } from 'node:http'
import type { Caller } from '../lib/caller.ts'
import { isDate } from '../lib/time.ts'
import type { Answer } from './answer.ts'
import { etag, isUnchanged } from './conditional.ts'
import type { Cursors } from './cursor.ts'
import { acceptsGzip } from './negotiate.ts'
import { badQuery, readLimit, readQuery } from './query.ts'
import { nextTarget, packed } from './render.ts'
import type { Need, ReadRoute, RecordQuery } from './route.ts'

type Target = { path: string; query: string; req: IncomingMessage }

/**
 * Answers with one record, as JSON or in another form of its route. Only JSON has an entity tag: the tag is the
 * version, and two forms of one version differ in their bytes. Throws Problem 400, and any error of the route.
 */
export function answerRecord(
  route: ReadRoute<Need>,
  who: Caller,
  ids: string[],
  form: string | undefined,
  { path, query, req }: Target,
  cursors: Cursors,
): Answer {
  const { asked, question } = readRecordQuery(form === undefined ? route : {}, who.org, path, query, cursors)
  const row = route.find(who, ...ids)
  const vary = route.forms ? ['Vary', 'Accept'] : []
  const zipped = acceptsGzip(req.headers['accept-encoding'])
  if (form !== undefined) {
    const text = route.forms?.[form]?.(who, row) as string
    return { ...packed(vary, text, zipped), type: `${form}; charset=utf-8` }
  }
  const own = route.columns.json(row)
  const version = route.isDerived ? undefined : versionOf(own)
  const headers = [...(version === undefined ? [] : ['ETag', etag(version)]), ...vary]
  // Checked before 304: an invalid query is invalid for every version.
  const shown = route.show?.(who, row, { ...asked, cursorAt: (position) => cursors.seal(position, question) })
  if (version !== undefined && !route.timeDependent && isUnchanged(req.headers['if-none-match'], version))
    return { status: 304, headers, body: '' }
  if (!shown) return { status: 200, headers, body: own }
  const { json, next } = shown
  if (next) headers.push('Link', `<${nextTarget(path, query, next)}>; rel="next"`)
  return typeof json === 'string' ? packed(headers, json, zipped) : { status: 200, headers, body: json }
}

/** Throws Problem 400. */
export function readRecordQuery(
  { parameters = {}, paged }: Pick<ReadRoute, 'parameters' | 'paged'>,
  org: number,
  path: string,
  query: string,
  cursors: Cursors,
): { asked: Omit<RecordQuery, 'cursorAt'>; question: string } {
  const given = readQuery(query)
  const allowed = [...Object.keys(parameters), ...(paged ? ['limit', 'cursor'] : [])]
  for (const [name, value] of given) {
    if (!allowed.includes(name)) {
      const hint =
        allowed.length > 0 ? `The allowed parameters are: ${allowed.join(', ')}` : 'No parameters are allowed'
      throw badQuery(`There is no parameter "${name}" here. ${hint}.`)
    }
    const { enum: choices, format, maxLength = Number.POSITIVE_INFINITY } = parameters[name]?.schema ?? {}
    if (choices && !choices.includes(value))
      throw badQuery(`The parameter "${name}" must be one of ${choices.join(', ')}.`)
    if ([...value].length > maxLength)
      throw badQuery(`The parameter "${name}" can have at most ${maxLength} characters.`)
    if (format === 'date' && !isDate(value))
      throw badQuery(`The parameter "${name}" must be a valid date, in the form YYYY-MM-DD.`)
  }
  const limit = readLimit(given.get('limit'))
  const cursor = given.get('cursor')
  given.delete('limit')
  given.delete('cursor')
  const question = `${org} ${path} ${JSON.stringify([...given].sort())}`
  return {
    asked: { given, limit, after: cursor === undefined ? undefined : cursors.openCounted(cursor, question) },
    question,
  }
}

// Every record ends with its version, so a GET need not parse the text.
const versionOf = (json: string): number => Number(json.slice(json.lastIndexOf(':') + 1, -1))
