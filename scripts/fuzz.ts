// npm run fuzz: starts a server and sends requests generated from its OpenAPI document, valid and invalid ones. The
// expected answers come from the document and from the contract; see test/fuzz/check.ts.
//   npm run fuzz -- --requests 20000 --seed 1        the same seed makes the same requests
//   npm run fuzz -- --only updateDeal                only one operation
//   npm run fuzz -- --seed 1 --replay 4711           repeats one request of a run
//   npm run fuzz -- --json                           prints a report as JSON
import { parseArgs } from 'node:util'
import { readDocument } from '../test/fuzz/document.ts'
import { memoryFaults } from '../test/fuzz/memory.ts'
import { newRun } from '../test/fuzz/run.ts'
import { readOpenApi, startServer } from '../test/fuzz/server.ts'
import { stateFaults, untilIdle } from '../test/fuzz/state.ts'

const { values: given } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string' },
    only: { type: 'string' },
    replay: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const whole = (name: string, text: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  process.stderr.write(`--${name} has to be a whole number.\n`)
  process.exit(2)
}
const { only } = given
const options = {
  requests: whole('requests', given.requests),
  seed: given.seed === undefined ? Date.now() % 1_000_000 : whole('seed', given.seed),
  ...(only === undefined ? {} : { only }),
}
const { requests, seed } = options

const api = readDocument(readOpenApi())
if (only !== undefined && !api.operations.some(({ id }) => id === only)) {
  process.stderr.write(`There is no operation ${only}; there are ${api.operations.map(({ id }) => id).join(', ')}.\n`)
  process.exit(2)
}
const server = await startServer([...new Set(api.operations.flatMap(({ scopes }) => scopes))], seed)
const run = newRun(api, server, options)
const { tally } = run
const started = performance.now()
const began = Date.now()
const mark = server.eventMark()
let replayed: string[] = []
if (given.replay === undefined) await run.all(showProgress)
else replayed = await run.replay(whole('replay', given.replay))
const seconds = (performance.now() - started) / 1000
tally.addWhere('memory', memoryFaults(requests, run.memory))
if (!server.isAlive()) tally.addWhere('server', ['has ended'])
else if (given.replay === undefined) {
  await run.lookBack()
  await untilIdle(server.db)
  tally.addWhere('state', stateFaults(server.db, Date.now(), { timesTaken: server.sink.timesTaken, since: began }))
}
tally.addWhere('mails', server.sink.faults)
const events = server.countEvents(mark)
run.close()
tally.addWhere('server log', server.errors.slice(0, 10))
tally.addWhere('data folder', await server.stop())

if (given.json) {
  const { findings, byStatus: by_status, byOperation: by_operation } = tally
  const report = { requests, seed, seconds, by_status, by_operation, events, findings, memory: run.memory }
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
} else print()
process.exitCode = tally.found() === 0 ? 0 : 1

function showProgress(done: number): void {
  if (!process.stderr.isTTY) return
  process.stderr.write(done < requests ? `\r${done} of ${requests}, ${tally.found()} findings ` : '\r\x1b[K')
}

function print(): void {
  const say = (text: string): void => void process.stdout.write(`${text}\n`)
  for (const line of replayed) say(line)
  for (const { number, operation, what, request, answer } of tally.findings) {
    say(`\n${operation}${number === null ? '' : `, request ${number} of seed ${seed}`}`)
    for (const each of what) say(`  ✗ ${each}`)
    if (request) say(`  ${request}`)
    if (answer) say(`  → ${answer}`)
  }
  const statuses = Object.entries(tally.byStatus).map(([status, many]) => `${status} ${many}`)
  say(`\nseed ${seed}: ${requests} requests in ${seconds.toFixed(1)} s, ${Math.round(requests / seconds)}/s`)
  say(`answers: ${statuses.join(' · ')}`)
  const { 'conversation.sla_at_risk': risks = 0, 'conversation.sla_breached': breaches = 0 } = events
  const { 'message.sent': sent = 0, 'message.failed': failed = 0, 'enrollment.created': enrolled = 0 } = events
  const all = Object.values(events).reduce((sum, many) => sum + many, 0)
  say(`events: ${all}, of which ${risks} SLA warnings and ${breaches} SLA breaches`)
  say(`mails: ${sent} messages sent, ${failed} failed, ${server.sink.size()} taken; ${enrolled} contacts enrolled`)
  const { heap_halfway_mb, heap_mb, resident_mb } = run.memory
  say(`memory: heap ${heap_halfway_mb} MB halfway, ${heap_mb} MB at the end; at most ${resident_mb} MB resident`)
  say(tally.found() === 0 ? 'nothing found' : `${tally.found()} findings, of which ${tally.findings.length} are above`)
}
