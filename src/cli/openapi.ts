import { catalog, PREFIX } from '../app.ts'
import { version } from '../assets.ts'
import { openApiDocument } from '../http/openapi.ts'
import { startClock } from '../lib/id.ts'
import { resourceDeps } from '../resource-deps.ts'
import { emptyDatabase } from '../store/memory.ts'
import { vault } from '../store/vault.ts'
import { command, json } from './command.ts'

export const openapi = command({
  name: 'openapi',
  summary: 'Print the OpenAPI document of the API',
  options: { json: { ...json, help: 'on one line' } },
  run: () => {
    // Routes contain prepared statements, which need the tables.
    const db = emptyDatabase()
    const document = openApiDocument(
      catalog(resourceDeps({ db, clock: startClock(Date.now), vault: vault('.') })),
      PREFIX,
      version,
    )
    db.close()
    return { json: document, text: JSON.stringify(document, null, 2) }
  },
})
