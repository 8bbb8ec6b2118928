import { catalog, PREFIX } from '../app/api.ts'
import { resourceDeps } from '../app/deps.ts'
import { version } from '../assets.ts'
import { command, json } from '../command/command.ts'
import { parseListen } from '../command/config/options.ts'
import { apiListen, parsePublicUrl, publicUrl } from '../command/public-url.ts'
import { parseBasePath } from '../http/base-path.ts'
import { basePath, tlsCert } from '../http/listener/front.ts'
import { apiUrlFor } from '../http/listener/hosts.ts'
import { listenerUrl } from '../http/listener/screens-url.ts'
import { openApiDocument } from '../http/openapi/openapi.ts'
import { asOpenApi30 } from '../http/openapi/openapi-30.ts'
import { startClock } from '../lib/id.ts'
import { usage } from '../lib/problem.ts'
import { vault } from '../store/folder/vault.ts'
import { emptyDatabase } from '../store/schema/memory.ts'

export const openapi = command({
  name: 'openapi',
  summary: 'Print the OpenAPI document of the API',
  options: {
    apiListen: { ...apiListen, help: 'address of the API that the document is for' },
    tlsCert: { ...tlsCert, help: 'certificate of the server, if it has one: the address is https then' },
    basePath: { ...basePath, help: 'path below which the server is, such as /crm' },
    publicUrl,
    '3.0': { type: 'boolean', help: 'in OpenAPI 3.0, without webhooks, for tools that know no 3.1' },
    json: { ...json, help: 'on one line' },
  },
  run: ({ options }) => {
    const server =
      options.publicUrl === undefined
        ? documentUrl({ ...options, listen: options.apiListen })
        : parsePublicUrl(options.publicUrl, parseBasePath(options.basePath))
    // Routes contain prepared statements, which need the tables.
    const db = emptyDatabase()
    const newest = openApiDocument(
      catalog(resourceDeps({ db, clock: startClock(Date.now), vault: vault('.') })),
      server + PREFIX,
      version,
    )
    db.close()
    const document = options['3.0'] ? asOpenApi30(newest) : newest
    return { json: document, text: JSON.stringify(document, null, 2) }
  },
})

/** Throws a usage Problem. */
function documentUrl(options: Parameters<typeof listenerUrl>[0]): string {
  if (!parseListen(options.listen)?.port)
    throw usage('The document needs an address: name one with --api-listen or --public-url.')
  return apiUrlFor(listenerUrl(options), undefined)
}
