// npm run failovers: a primary with Litestream and an S3 server fails under eight writers, and its standby is promoted.
//   npm run failovers                        3 times, once for each cause
//   npm run failovers -- --times 50 --seed 1
// The causes take turns: the server and its Litestream are killed, the cable to the storage is cut (in a network namespace),
// or the disk of the server is full. Needs root, Go (for Litestream and versitygw) and Linux.
import { parseArgs } from 'node:util'
import { startVersitygw } from '../support/versitygw.ts'
import { CAUSES, type Cause, failover, type Outcome } from './failovers/failover.ts'
import { canSeparate } from './failovers/network.ts'

const { values: given } = parseArgs({
  options: {
    times: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    cause: { type: 'string' },
  },
})
if (!canSeparate()) {
  process.stderr.write('This needs root and "ip", which Debian has in the package iproute2.\n')
  process.exit(1)
}
const GOAL_MS = 10_000
const random = randomOf(Number(given.seed))
const storage = await startVersitygw()
const outcomes: Outcome[] = []
process.stdout.write(`seed ${given.seed}\n`)
for (let number = 1; number <= Number(given.times); number++) {
  const cause = (given.cause ?? CAUSES[(number - 1) % CAUSES.length]) as Cause
  const outcome = await failover(number, cause, 2000 + Math.floor(2000 * random()), storage.port)
  outcomes.push(outcome)
  const { acknowledged, answeredMs, servedMs, lost, oldestLostMs, lostOld, faults } = outcome
  process.stdout.write(
    `${number}. ${cause}: serves after ${seconds(servedMs)} (answered after ${seconds(answeredMs)}), ${acknowledged} acknowledged, ${lost} lost${lost > 0 ? `, the oldest ${seconds(oldestLostMs)} before the failure` : ''}${lostOld > 0 ? ` ✖ ${lostOld} older than 2 s` : ''}\n`,
  )
  for (const fault of faults) process.stdout.write(`   ✖ ${fault}\n`)
}
await storage.stop()

for (const cause of CAUSES) {
  const of = outcomes.filter((each) => each.cause === cause)
  if (of.length === 0) continue
  const served = of.map(({ servedMs }) => servedMs).sort((a, b) => a - b)
  const [median, worst] = [served[Math.floor(served.length / 2)], served.at(-1)] as [number, number]
  const lost = of.reduce((sum, each) => sum + each.lost, 0)
  const all = of.reduce((sum, each) => sum + each.acknowledged, 0)
  const oldest = Math.max(...of.map(({ oldestLostMs }) => oldestLostMs))
  process.stdout.write(
    `${cause}: ${of.length} times, serves after ${seconds(median)} in the median and ${seconds(worst)} at most; ${lost} of ${all} acknowledged writes lost, the oldest ${seconds(oldest)} before the failure\n`,
  )
}
const late = outcomes.filter(({ servedMs }) => servedMs > GOAL_MS).length
const old = outcomes.reduce((sum, { lostOld }) => sum + lostOld, 0)
const faults = outcomes.reduce((sum, each) => sum + each.faults.length, 0)
process.stdout.write(
  `${outcomes.length} failovers: ${faults} faults, ${late} later than 10 s, ${old} lost writes older than 2 s\n`,
)
process.exit(faults > 0 || late > 0 || old > 0 ? 1 : 0)

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

/** mulberry32: small, and the same everywhere. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
