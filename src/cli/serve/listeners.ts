import { api, catalog, PREFIX } from '../../app/api.ts'
import { version } from '../../assets.ts'
import { clientOf } from '../../auth/client.ts'
import type { Deps } from '../../deps.ts'
import type { Bodies } from '../../http/body/bodies.ts'
import { hostCheck, hostsOf } from '../../http/listener/hosts.ts'
import { type Listener, listen } from '../../http/listener/server.ts'
import { openApiDocument } from '../../http/openapi/openapi.ts'
import type { Reader } from '../../http/reader.ts'
import type { Log } from '../../lib/log.ts'
import type { Health } from '../../ops/monitoring/health.ts'
import type { Monitoring } from '../../ops/monitoring/metrics.ts'
import { monitored } from '../../ops/monitoring/monitored.ts'
import type { Operation } from '../../ops/monitoring/notify/operation.ts'
import type { Arriving } from '../../ops/moves/arriving.ts'
import { movesEndpoint } from '../../ops/moves/endpoint.ts'
import { screensServer } from '../../site/site.ts'
import type { Store } from '../../store/open.ts'
import { publicUrlsWith } from '../../store/orgs/orgs.ts'
import type { readServeOptions, ServeOptions } from './serve-options.ts'

type Parts = {
  store: Store
  deps: Deps
  state: { log: Log; stopping: AbortSignal; bodies: Bodies }
  options: ServeOptions
  read: Awaited<ReturnType<typeof readServeOptions>>
  /** Each listener is added here as soon as it listens. */
  listeners: Listener[]
  monitoring: Omit<Monitoring, 'monitors' | 'versionAge' | 'addressOf' | 'connections'>
  judge: Health
  operation: Omit<Operation, 'judge' | 'places'>
  /** Receives organisations from other servers; a reader does not. */
  arriving?: Arriving | undefined
  /** Of each listener, if this is a reader. */
  reader?: { api: Reader; screens: Reader }
}

/** Starts the API and, unless they are off, the screens. */
export async function startListeners(parts: Parts): Promise<void> {
  const { store, deps, state, options, read, listeners, monitoring, judge, operation, reader, arriving } = parts
  const { apiAddress, screensAddress, rate, givenUrl, monitors, versionAge, names, front } = read
  const corsOrigins = options.corsOrigin.split(',').filter((origin) => origin !== '')
  const added = [...names, ...(givenUrl === undefined ? [] : hostsOf([givenUrl]))]
  const checkHost = hostCheck({
    listen: apiAddress.path === undefined ? apiAddress.host : LOCAL_NAME,
    added,
    publicUrls: publicUrlsWith(store.db),
  })
  const app = api(store, {
    ...{ ...state, dataDir: options.data, rate, corsOrigins, deps, reader: reader?.api },
    first: arriving && movesEndpoint({ ...state, store, arriving }),
    checkHost: names.length > 0 ? checkHost : undefined,
    measure: monitoring.recorded.requests.of('api', PREFIX),
  })
  const apiListener = await listen(app.callback(), apiAddress, front)
  listeners.push(apiListener)
  if (!screensAddress) return
  const served = { ...state, store, deps, dataDir: options.data }
  const routes = catalog(deps)
  const document = () => openApiDocument(routes, PREFIX, version)
  const site = screensServer({
    ...{ ...served, document, routes, prefix: PREFIX },
    ...{ apiUrl: givenUrl ?? apiListener.webUrl, hosts: names, reader: reader?.screens },
    listen: screensAddress.path === undefined ? screensAddress.host : LOCAL_NAME,
    monitored: monitored({
      ...{ ...served, judge, operation },
      monitoring: {
        ...{ ...monitoring, monitors, versionAge },
        addressOf: (req) => clientOf(req).address,
        connections: () => ({ api: listeners[0]?.connections() ?? 0, screens: listeners[1]?.connections() ?? 0 }),
      },
    }),
    installSample: async (org, owner) => {
      const { installSample } = await import('../../demo/replay/sample.ts')
      await installSample(served, org, owner)
    },
  })
  listeners.push(await listen(site.callback(), screensAddress, front))
}

/** The name of a listener on a Unix socket, which has no address. */
const LOCAL_NAME = 'localhost'
