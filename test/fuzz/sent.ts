import { mutatedBody, twistedBody, validBody } from './bodies.ts'
import { brokenCaptions, captionFile, forbiddenCaptions } from './captions.ts'
import type { Body, Form, Operation } from './document.ts'
import { filesFor, formOf } from './form.ts'
import type { Plan } from './parts.ts'
import { type Fault, fault } from './request.ts'
import type { Sketch } from './values.ts'

// The body of a request: JSON, a file that is read as text, or a form with files.

const JSON_TYPES = ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']
const OTHER_TYPES = [
  undefined,
  '',
  'text/plain',
  'text/vtt',
  'text/vtt; charset=utf-16',
  'application/xml',
  'application/x-www-form-urlencoded',
  'application/x-subrip; charset=iso-8859-1',
  'multipart/form-data; boundary=x',
  'application/json; charset=latin1',
  'application/jsonx',
  'json',
  'application/vnd.api+json',
]
const MERGE_PATCH = 'application/merge-patch+json'

export function addBody(plan: Plan): void {
  const { sketch, request, operation, faults } = plan
  const { draw } = sketch
  const { body, method } = operation
  if (!body) return
  const isFile = draw.chance(50) && body.texts.length > 0
  const type = isFile ? draw.one(body.texts) : draw.one([...body.types, ...JSON_TYPES])
  const way = draw.one(['', '', '; charset=utf-8', ';charset="UTF-8"'])
  const others = [...OTHER_TYPES, ...(method === 'PATCH' ? [] : [MERGE_PATCH])]
  const isForm = body.form !== undefined && !faults.has('huge') && draw.chance(30)
  // Files that are read as texts may be in any charset.
  const isTaken = (each: string): boolean =>
    body.texts.includes(each.replace(/;.*/, '')) || (body.form !== undefined && each.startsWith('multipart/'))
  const other = draw.one(others.filter((each) => each === undefined || !isTaken(each)))
  const sent = faults.has('type') ? other : isFile ? type + way : type
  if (faults.has('type')) request.faults.push(fault('media', `Content-Type: ${other}`, 415))
  if (sent !== undefined) request.headers.push(['Content-Type', sent])
  if (faults.has('encoding')) {
    request.headers.push(['Content-Encoding', draw.one(['gzip', 'br', 'deflate', 'identity, gzip', 'nonsense'])])
    request.faults.push(fault('media', 'Content-Encoding', 415))
  } else if (draw.chance(2)) request.headers.push(['Content-Encoding', draw.one(['identity', 'Identity'])])
  if (faults.has('huge') && draw.chance(10)) {
    request.body = huge(body.maxBytes)
    request.faults.push(fault('media', 'a huge body', 413))
  } else if (isFile) addFile(plan, type)
  else addJson(plan, body)
  if (isForm) wrap(plan, body, isFile ? type : undefined)
}

/** Makes the body a part of a form. */
function wrap(
  { sketch: { draw }, request, faults }: Plan,
  { form, maxBytes }: Body,
  fileType: string | undefined,
): void {
  const { part, files, isOptional } = form as Form
  const bytes = request.body as Buffer
  if (bytes.length > maxBytes || (isOptional && fileType === undefined)) return
  const own = fileType
    ? { name: files, filename: 'captions', type: fileType, bytes }
    : { name: part, type: 'application/json', bytes }
  // A file may make of a message without a text one that is right.
  const others = fileType || faults.has('mutated') || faults.has('twisted') ? [] : filesFor(draw, files)
  const { type, bytes: all } = formOf(draw, draw.chance(20) ? [...others, own] : [own, ...others])
  request.body = all
  const given = request.headers.find(([name]) => name === 'Content-Type')
  if (given && !faults.has('type')) given[1] = type
  if (fileType === undefined && !faults.has('twisted'))
    request.uploaded = { json: JSON.parse(bytes.toString()), sizes: others.map((each) => each.bytes.length) }
}

const hugeOnes = new Map<number, Buffer>()

/** A byte more than an operation takes. */
function huge(most: number): Buffer {
  const known = hugeOnes.get(most) ?? Buffer.from(`{"a":"${'x'.repeat(most - 7)}"}`)
  hugeOnes.set(most, known)
  return known
}

function addFile({ sketch: { draw }, request, faults }: Plan, type: string): void {
  const make = faults.has('twisted') ? brokenCaptions : faults.has('mutated') ? forbiddenCaptions : captionFile
  const { what, bytes, status, said } = make(draw, type)
  request.body = bytes
  if (status === 400) request.faults.push(fault('media', `captions: ${what}`, 400))
  if (status === 422) request.faults.push(fault('fields', `captions: ${what}`, 422))
  request.said = said
}

function addJson({ sketch, request, operation, faults }: Plan, body: Body): void {
  if (faults.has('twisted')) {
    const { what, bytes } = twistedBody(sketch, operation)
    request.body = bytes
    request.faults.push(fault('media', `body: ${what}`, bytes.length > body.maxBytes ? 413 : 400))
    return
  }
  const text = faults.has('mutated') ? mutatedBody(sketch, operation) : validBody(sketch, operation)
  request.body = Buffer.from(text)
  request.faults.push(...bodyFaults(sketch, operation, body, text))
}

/** What the document says against a body. */
function bodyFaults({ api, strangers, inexact }: Sketch, operation: Operation, body: Body, text: string): Fault[] {
  if (Buffer.byteLength(text) > body.maxBytes) return [fault('media', 'a huge body', 413)]
  if (levelsOf(text) > 32) return [fault('media', 'too many levels', 400)]
  const given = JSON.parse(text)
  if (hasLonger(given, body.maxItems)) return [fault('media', 'too long an array', 400)]
  const wrong = body.check(given)
  const faults: Fault[] = []
  if (wrong) faults.push(fault('fields', wrong, 422))
  // Also where the document forgets to forbid it: nothing that a body has is ignored.
  const { properties = {}, additionalProperties } = api.resolve(body.schema)
  const unknown = additionalProperties
    ? []
    : Object.keys(given).filter((name) => !Object.hasOwn(properties as object, name))
  if (unknown.length > 0) faults.push(fault('fields', `unknown members ${unknown.join(', ')}`, 422))
  // What is there already is answered without a look at what else is said of it.
  const repeats = operation.answers.has(201) && operation.answers.has(200) ? [200] : []
  // This one is a place in the order of messages, also of one that was taken back.
  const referring = text.replaceAll(/"last_seen_message_id"\s*:\s*"[^"]*"/g, '')
  if ([...strangers].some((id) => referring.includes(id)))
    faults.push(fault('fields', 'a reference to no record', 422, ...repeats))
  if (inexact && faults.length === 0)
    faults.push(fault('fields', 'a number that no double carries', 422, 200, 201, 409))
  return faults
}

/** Sign by sign: a pattern for the strings takes more stack than there is for some megabytes. */
function levelsOf(json: string): number {
  let [level, most, isText] = [0, 0, false]
  for (let at = 0; at < json.length; at++) {
    const sign = json[at]!
    if (sign === '"') isText = !isText
    else if (isText) at += Number(sign === '\\')
    else if (sign === '[' || sign === '{') most = Math.max(most, ++level)
    else if (sign === ']' || sign === '}') level--
  }
  return most
}

function hasLonger(value: unknown, most: number): boolean {
  if (value === null || typeof value !== 'object') return false
  return (Array.isArray(value) && value.length > most) || Object.values(value).some((each) => hasLonger(each, most))
}
