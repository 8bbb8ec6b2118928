// Runs a server with everything that sends webhooks, as `dealbox serve` does, but with an accelerated clock, so that
// pauses of hours take seconds:
//   node fast-server.ts DATA-FOLDER START FASTER
import { api } from '../../src/app/api.ts'
import { resourceDeps } from '../../src/app/deps.ts'
import { listen } from '../../src/http/listener/server.ts'
import { openLog } from '../../src/lib/log.ts'
import { parseAllow } from '../../src/lib/net/allow.ts'
import { guard } from '../../src/lib/net/guard.ts'
import { lockInstance } from '../../src/store/folder/lock.ts'
import { openStore } from '../../src/store/open.ts'
import { startDelivery } from '../../src/webhooks/delivery/delivery.ts'
import { deliveryWorker } from '../../src/webhooks/egress/delivery-worker.ts'
import { fastClock } from './fast-clock.ts'

const [dataDir = '', start, faster] = process.argv.slice(2)
const allow = '127.0.0.1'
const { log, flush } = openLog('warn', 2)
const unlock = lockInstance(dataDir)
const store = openStore(dataDir, { wall: fastClock(Number(start), Number(faster)) })
const stopping = new AbortController()
const ports: number[] = []
const ownPorts = () => ports
const deps = resourceDeps(store, guard({ allow: parseAllow(allow), ownPorts }))
const app = api(store, { log, stopping: stopping.signal, dataDir, rate: null, corsOrigins: [], deps })

async function serve(): Promise<void> {
  const listener = await listen(app.callback(), { host: '127.0.0.1', port: 0 })
  ports.push(Number(new URL(listener.url).port))
  const { post, stop: stopCourier } = deliveryWorker({ allow, ownPorts })
  const sender = startDelivery({ store, deps, post, log, userAgent: 'Dealbox/test' })
  const ticking = setInterval(sender.wake, 5) // timers follow the real clock
  process.stdout.write(listener.url)

  process.once('SIGTERM', async () => {
    stopping.abort()
    clearInterval(ticking)
    await listener.stop(1000)
    await sender.stop()
    await stopCourier()
    store.close()
    await unlock()
    flush()
  })
}

serve()
