import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importFile } from '../../../src/imports/csv/import.ts'
import { en } from '../../../src/web/components/fields/en.ts'
import { formatFor } from '../../../src/web/lib/format.ts'
import type { Row } from '../../lib/written/people.ts'
import { stillPace } from '../../support/pace.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// The doors through which the rows of a table come in: a file, an editor, the API and the sender of a mail.

export const WRONG = /^(?:REFUSE|AMBIGUOUS)/

/** What an editor knows of its reader. */
export const READING = { format: formatFor({ language: 'en', timezone: 'UTC' }), texts: en, now: 0 } as never

export type Doors = {
  server: TestServer
  settle: (row: Row) => void
  imported: (row: Row, column: string) => Promise<In>
}
type In = { contact: Record<string, never>; notes: string[]; isListed: boolean }

export async function openDoors(folder: string): Promise<Doors> {
  const server = await startServer()
  let count = 0

  /** The organisation is in the country of the row. */
  const settle = ({ context: { country } }: Row): void =>
    void server.store.db.prepare('UPDATE orgs SET country = ? WHERE id = ?').run(country ?? null, server.a.org)

  /** The contact that comes of a file with this cell, what is noted of it, and whether the cell is listed as left out or unsure. */
  async function imported(row: Row, column: string): Promise<In> {
    settle(row)
    const id = `row ${++count}`
    const path = join(folder, `${count}.csv`)
    const [beside, value] = column === 'Full name' ? ['Email', `row${count}@doors.example`] : ['Last name', id]
    writeFileSync(path, `External ID,${beside},${column}\n${id},${value},"${row.written.replaceAll('"', '""')}"\n`)
    const { omitted } = await importFile(server.store, {
      ...{ org: server.a.org, object: 'contact', file: path, pace: stillPace, rules: { lenient: true } },
    })
    const { data } = (await server.call('GET', `/contacts?external_id=${encodeURIComponent(id)}`)).body
    const notes = data[0] ? (await server.call('GET', `/notes?contact_id=${data[0].id}`)).body.data : []
    const bodies = notes.map(({ body }: { body: string }) => body)
    return { contact: data[0] ?? {}, notes: bodies, isListed: omitted.some((each) => each.column === column) }
  }

  return { server, settle, imported }
}
