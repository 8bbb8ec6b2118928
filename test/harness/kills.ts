// npm run kills: kills servers with kill -9 under load, with imports, backups, mail and webhooks running. The next server
// starts on the same data folder, and nothing that was acknowledged may be lost or doubled.
//   npm run kills                                        1,000 kills
//   npm run kills -- --kills 40 --seed 7
//   npm run kills -- --kills 40 --dealbox dist/dealbox   the executable; only commands make backups
// A data folder that fails a check is kept, with the log of its servers and commands.
import { parseArgs } from 'node:util'
import { random } from '../../src/demo/story/random.ts'
import { noDovecot } from '../support/dovecot.ts'
import { life } from './kills/life.ts'
import { mailServers } from './kills/mail.ts'
import { makePlace } from './kills/place.ts'
import { programOf } from './kills/program.ts'

/** A folder is replaced after so many kills, so that its backups stay small enough to be finished between two. */
const KILLS_PER_FOLDER = 50

const { values: given } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    dealbox: { type: 'string' },
  },
})
if (noDovecot) {
  process.stderr.write(`This needs an IMAP server, and ${noDovecot}. Debian has it in dovecot-imapd.\n`)
  process.exit(1)
}
const [kills, seed] = [Number(given.kills), Number(given.seed)]
const began = performance.now()
const seconds = (): number => Math.round((performance.now() - began) / 1000)
const program = await programOf(given.dealbox)
const draws = random(seed)
process.stdout.write(`seed ${seed}\n`)

const sums: Record<string, number> = {}
const ends: (() => unknown)[] = []
try {
  for (let done = 0; done < kills; done += KILLS_PER_FOLDER) await inFolder(Math.min(KILLS_PER_FOLDER, kills - done))
  const said = Object.entries(sums).map(([name, sum]) => `${sum} ${name.replaceAll('_', ' ')}`)
  process.stdout.write(`${said.join(', ')}; ${seconds()} s\n`)
} finally {
  program.remove()
}

async function inFolder(count: number): Promise<void> {
  const mail = await mailServers({ after: (end) => void ends.push(end) }, draws)
  const place = await makePlace(program, draws, mail.settings)
  try {
    const figures = { kills: count, ...(await life(place, mail, count)) }
    for (const [name, figure] of Object.entries(figures)) sums[name] = (sums[name] ?? 0) + figure
    place.remove()
    process.stdout.write(`${sums.kills} of ${kills} kills in ${seconds()} s\n`)
  } catch (error) {
    process.stderr.write(`${place.folder} fails a check, with seed ${seed}.\n`)
    throw error
  } finally {
    for (const end of ends.splice(0).reverse()) await end()
  }
}
