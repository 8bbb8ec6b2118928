import { version as dealbox } from '../assets.ts'
import { command, json } from '../command/command.ts'
import { sqliteVersion } from '../store/schema/memory.ts'
import { SCHEMA_VERSION } from '../store/schema/migrations.ts'

export const version = command({
  name: 'version',
  summary: 'Print the versions of Dealbox and of its components',
  options: { json },
  run: () => {
    const sqlite = sqliteVersion()
    const node = process.versions.node
    return {
      json: { version: dealbox, node, sqlite, schema: SCHEMA_VERSION },
      text: `Dealbox ${dealbox} (Node ${node}, SQLite ${sqlite}, schema ${SCHEMA_VERSION})`,
    }
  },
})
