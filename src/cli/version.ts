import { version as dealbox } from '../assets.ts'
import { openSqlite } from '../store/driver.ts'
import { SCHEMA_VERSION } from '../store/migrations.ts'
import { command, json } from './command.ts'

export const version = command({
  name: 'version',
  summary: 'Print the versions of Dealbox and of what it is made of',
  options: { json },
  run: () => {
    const db = openSqlite(':memory:')
    const sqlite = db.prepare('SELECT sqlite_version()').pluck().get() as string
    db.close()
    const node = process.versions.node
    return {
      json: { version: dealbox, node, sqlite, schema: SCHEMA_VERSION },
      text: `Dealbox ${dealbox} (Node ${node}, SQLite ${sqlite}, schema ${SCHEMA_VERSION})`,
    }
  },
})
