import { existsSync, rmSync } from 'node:fs'
import { resourceDeps } from '../app/deps.ts'
import { version } from '../assets.ts'
import { type Person, people } from '../cleanup/erasure/person.ts'
import { planner } from '../cleanup/erasure/plan.ts'
import { sweeper } from '../cleanup/erasure/sweep.ts'
import { isRecordTable } from '../cleanup/erasure/texts.ts'
import { finder } from '../cleanup/erasure/traits.ts'
import { attachmentStore } from '../inbox/messages/attachments.ts'
import { conflict, Problem } from '../lib/problem.ts'
import { rfc3339 } from '../lib/time.ts'
import type { Store } from '../store/open.ts'
import { orgOf } from '../store/orgs/orgs.ts'
import { eachRow } from '../store/schema/tables.ts'
import { inSnapshot } from '../store/sqlite/snapshot.ts'
import { cannotWrite, newFile } from './files.ts'
import { parts } from './parts.ts'

/** How many records of each kind a file has. */
export type Shown = { contact_ids: readonly string[]; counts: Record<string, number> }

type Row = Record<string, unknown> & { id: string }
type Shared = { id: string; attachments: { id: string; name: string; content_type: string; size_bytes: number }[] }

/**
 * Writes everything about a person into one JSON file that people can read: the form of the API, with the files in base64.
 * Throws 409 if the file exists or cannot be written, and what the search for the person throws.
 */
export function writePerson(store: Store, org: number, asked: string, path: string): Shown {
  if (existsSync(path)) throw conflict('exists', `${path} exists already. Name a new file.`)
  try {
    return inSnapshot(store.db, () => writeAll(store, org, asked, path))
  } catch (error) {
    throw cannotWrite(error, path)
  }
}

function writeAll(store: Store, org: number, asked: string, path: string): Shown {
  const deps = resourceDeps(store)
  const person = people(deps).find(org, asked)
  const sections = sectionsOf(deps, org, person)
  const counts: Record<string, number> = {}
  const files = attachmentStore(deps)
  const head = {
    dealbox_version: version,
    exported_at: rfc3339(store.clock.now()),
    organisation: orgOf(store.db, org).name,
  }
  try {
    newFile(path, (write) => {
      write(`{\n  "about": ${JSON.stringify({ ...head, contact_ids: person.ids })}`)
      const messages: Shared[] = []
      for (const [name, rows] of sections) {
        let count = 0
        for (const row of rows) {
          write(`${count++ > 0 ? ',' : `,\n  ${JSON.stringify(name)}: [`}\n    ${JSON.stringify(row)}`)
          if (name === 'messages') messages.push(row as unknown as Shared)
        }
        if (count > 0) write('\n  ]')
        if (count > 0) counts[name] = count
      }
      let begun = false
      for (const { id: message_id, attachments } of messages)
        for (const { id, name, content_type, size_bytes } of attachments) {
          const start = JSON.stringify({ message_id, id, name, content_type, size_bytes }).slice(0, -1)
          write(`${begun ? ',' : ',\n  "files": ['}\n    ${start},"data":"`)
          for (const bytes of files.bytesOf(org, id, 0, size_bytes)) write(bytes.toString('base64'))
          write('"}')
          begun = true
          counts.files = (counts.files ?? 0) + 1
        }
      write(`${begun ? '\n  ]' : ''}\n}\n`)
      if (Object.keys(counts).length === 0) throw new Problem(404, 'nobody', 'Nothing about this person was found.')
    })
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
  return { contact_ids: person.ids, counts }
}

/** What is exported of each table: the rows that name one of these ids in this column. */
function sectionsOf(deps: ReturnType<typeof resourceDeps>, org: number, person: Person): [string, Iterable<Row>][] {
  const { gone, shared } = planner(deps)(org, person)
  const meetings = [...gone.meetings, ...shared.meetings]
  const messages = [...gone.messages, ...shared.messages]
  const every = new Map(parts(deps).map((part) => [part.name, part]))
  const rowsOf = (name: string, columns: string[], ids: readonly string[]): Row[] => {
    const part = every.get(name)
    if (!part || ids.length === 0) return []
    const wanted = ids.map((id) => `'${id}'`).join(', ') // UUIDs of the store
    const named = `(${columns.map((column) => `${column} IN (${wanted})`).join(' OR ')})`
    const { table, columns: read, order, where } = part
    const rows = eachRow(
      deps.db,
      { table, select: read.select, order, where: where ? `${where} AND ${named}` : named },
      org,
    )
    return [...rows].map((row) => JSON.parse(read.stored.json(row)))
  }
  const transcripts = rowsOf('transcripts', ['meeting_id'], meetings)
  return [
    ['contacts', rowsOf('contacts', ['id'], person.ids)],
    ['archived_values', rowsOf('archived_values_of_contacts', ['id'], person.ids)],
    ['lists', rowsOf('list_contacts', ['contact_id'], person.ids)],
    ['deals', rowsOf('deals', ['id'], shared.deals)],
    ['notes', rowsOf('notes', ['id'], [...gone.notes, ...shared.notes])],
    ['tasks', rowsOf('tasks', ['id'], [...gone.tasks, ...shared.tasks])],
    ['meetings', rowsOf('meetings', ['id'], meetings)],
    ['transcripts', transcripts],
    [
      'transcript_segments',
      rowsOf(
        'transcript_segments',
        ['transcript_id'],
        transcripts.map(({ id }) => id),
      ),
    ],
    ['conversations', rowsOf('conversations', ['id'], gone.conversations)],
    ['messages', rowsOf('messages', ['id'], messages)],
    ['mail_headers', rowsOf('message_headers', ['message_id'], messages)],
    ['enrollments', rowsOf('enrollments', ['id'], shared.enrollments)],
    ['enrollment_steps', rowsOf('enrollment_steps', ['enrollment_id'], shared.enrollments)],
    ['merges', rowsOf('merges', ['kept_id', 'merged_id'], person.ids)],
    ['imports', rowsOf('import_rows', ['record_id'], person.ids)],
    ['history', rowsOf('events', ['object_id'], person.ids)],
    ['mentions', mentions(deps, org, person, new Set([...Object.values(gone), ...Object.values(shared)].flat()))],
  ]
}

/** Texts of other records that name the person by an email or a phone. */
function* mentions(
  deps: ReturnType<typeof resourceDeps>,
  org: number,
  person: Person,
  listed: ReadonlySet<string>,
): Generator<Row> {
  const own = finder(person.traits.own)
  const traced = {
    person: new Set<string>(),
    gone: new Set<string>(),
    quoted: new Set<string>(),
    linked: new Set<string>(),
  }
  for (const { table, texts, row } of sweeper(deps).hits(org, traced, own, own)) {
    const id = row.id as string
    if (!(isRecordTable(table) || table === 'messages') || listed.has(id) || person.ids.includes(id)) continue
    const found = texts.filter(
      (name) => typeof row[name] === 'string' && own.without(row[name] as string) !== row[name],
    )
    yield { kind: table, id, ...Object.fromEntries(found.map((name) => [name, row[name]])) }
  }
}
