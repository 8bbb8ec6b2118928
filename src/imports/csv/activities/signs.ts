import { usage } from '../../../lib/problem.ts'
import { fold } from '../../../lib/pure/fold.ts'
import type { ActivityObject, ImportObject, RecordObject } from '../../writable.ts'
import { fieldsOfHeaders, headerKey } from '../columns/headers.ts'
import type { Mapping } from '../columns/mapping.ts'

// Tells files of notes and of tasks from files of contacts, companies and deals, by their columns: a call has a title, a
// state and an owner as well as a deal has.

export const isActivity = (object: ImportObject): object is ActivityObject => object === 'note' || object === 'task'

const all = (names: string): string[] => names.split(', ')

/** Columns that only such files have. */
const OF_TASKS = all(
  'task title, task status, task type, task subtype, who id, what id, call title, call direction, call disposition, meeting name, meeting title, meeting start time, email body, activity type, activity subject, activity due date, activity done, engagement type, marked as done time',
)
const OF_NOTES = all('note body, note content')
/** Those that are among them only with one of the others: a note has a content, but so has a letter. */
const PAIRS: readonly [ActivityObject, readonly string[], readonly string[]][] = [
  [
    'task',
    ['subject', 'betreff', 'title', 'name'],
    all('due date, due time, due at, done, is done, is closed, completed at, fallig am, falligkeitsdatum, assigned'),
  ],
  ['task', ['subject'], all('type, activity date, call type, call duration')],
  ['note', ['body'], all('parent id, contact ids, is private')],
  ['note', ['content', 'text', 'note'], all('person id, deal id, organization id, contact id, company id, who id')],
]

function keysOf(columns: readonly string[]): ReadonlySet<string> {
  const split = (header: string): string => header.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
  return new Set(columns.flatMap((column) => [headerKey(column), headerKey(split(column))]))
}

const hasAny = (keys: ReadonlySet<string>, names: readonly string[]): boolean => names.some((name) => keys.has(name))

/** What a file with these columns has, if it has notes or tasks for certain. */
export function activityOf(columns: readonly string[]): ActivityObject | undefined {
  const keys = keysOf(columns)
  if (hasAny(keys, OF_TASKS)) return 'task'
  if (hasAny(keys, OF_NOTES)) return 'note'
  if (recordOf(columns) !== undefined) return undefined
  return PAIRS.find(([, names, beside]) => hasAny(keys, names) && hasAny(keys, beside))?.[0]
}

/** Fields of which a file of records has several. */
const MARKS: Record<RecordObject, [fields: ReadonlySet<string>, least: number]> = {
  contact: [
    new Set([
      'first_name',
      'last_name',
      'phones',
      'address.line1',
      'address.city',
      'address.postal_code',
      'linkedin_url',
    ]),
    2,
  ],
  company: [new Set(['domains', 'industry', 'employee_count', 'annual_revenue']), 1],
  deal: [new Set(['stage', 'amount', 'pipeline_id', 'expected_close_date']), 2],
}

function recordOf(columns: readonly string[]): RecordObject | undefined {
  return (['contact', 'deal', 'company'] as const).find((object) => {
    const [marks, least] = MARKS[object]
    const fields = fieldsOfHeaders(object, columns).flatMap(
      ([meaning]) => meaning?.field.replace(/^phones\..*/, 'phones') ?? [],
    )
    return new Set(fields.filter((each) => marks.has(each))).size >= least
  })
}

const NOUNS: Record<ImportObject, [plural: string, command: string]> = {
  contact: ['contacts', 'contacts'],
  company: ['companies', 'companies'],
  deal: ['deals', 'deals'],
  note: ['notes', 'notes'],
  task: ['tasks, calls or other activities', 'tasks'],
}

/** Fields that only what is to be done has. */
const OF_ACTIVITIES = new Set(['due_at', 'due_time', 'is_done', 'completed_at', 'written_at', 'body'])

/** Throws a usage Problem for a file whose columns show that it has something else. */
export function checkObject(file: string, object: ImportObject, columns: readonly string[], mapping: Mapping): void {
  if (mapping.some(({ field, isChosen }) => isChosen && NAMES.has(field ?? ''))) return // who says what is what, knows
  const found = activityOf(columns)
  if (found === object) return
  if (found === undefined && !isActivity(object)) return
  const shown = found ?? recordOf(columns)
  if (shown === undefined) return
  const isMarked = mapping.some(({ field }) => field !== null && OF_ACTIVITIES.has(field))
  if (found === undefined && isMarked && !isOfRecords(columns)) return
  const [has, command] = NOUNS[shown]
  throw usage(
    `The columns of ${file} are those of ${has}, and not of ${NOUNS[object][0]}. Use "dealbox import ${command}".`,
  )
}

const NAMES = new Set(['title', 'name', 'first_name', 'last_name', 'body'])

/** Descriptions and notes of records are no tasks; days that something is due are. */
const isOfRecords = (columns: readonly string[]): boolean =>
  !hasAny(keysOf(columns), all('due date, due at, due time, done, is done, completed at, note body, subject'))

/** Products whose files of activities have columns that no other has. Ids of Salesforce are like no others. */
export function productOfActivities(columns: readonly string[]): string | undefined {
  const keys = keysOf(columns)
  const starts = (prefix: string): boolean => columns.some((column) => fold(column).startsWith(prefix))
  if (hasAny(keys, all('who id, what id, parent id, linked entity id'))) return undefined
  const isHubspot =
    hasAny(keys, all('associated contact ids, associated company ids, associated deal ids, associated contact')) ||
    (hasAny(keys, ['record id', 'engagement id', 'object id']) &&
      hasAny(keys, all('task title, note body, call title, meeting name, email body')))
  if (isHubspot) return 'hubspot'
  const isPipedrive =
    starts('activity - ') ||
    starts('note - ') ||
    (hasAny(keys, ['subject', 'content', 'note']) && hasAny(keys, ['organization id', 'person id', 'lead id']))
  return isPipedrive ? 'pipedrive' : undefined
}

/** What all rows of a file are, if it has no column that says so. */
export function typeOfFile(columns: readonly string[]): 'call' | 'meeting' | 'email' | undefined {
  const keys = keysOf(columns)
  if (hasAny(keys, all('task title, task status, task type, task subtype, who id')))
    return hasAny(keys, all('start date time, is all day event')) ? 'meeting' : undefined
  const found = (
    [
      ['call', 'call title, call direction, call disposition, call outcome, call duration, call notes'],
      ['meeting', 'meeting name, meeting title, meeting start time, meeting outcome'],
      ['email', 'email subject, email body, email direction, email from'],
    ] as const
  ).filter(([, names]) => hasAny(keys, all(names)))
  return found.length === 1 ? found[0]?.[0] : undefined
}
