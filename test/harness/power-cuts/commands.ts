import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { keyring } from '../../../src/auth/keys.ts'
import { makeBackup } from '../../../src/ops/backup/make.ts'
import { readName } from '../../../src/ops/backup/names.ts'
import { restoreBackup } from '../../../src/ops/backup/restore.ts'
import { isSendingPaused } from '../../../src/ops/backup/sending.ts'
import { openStore } from '../../../src/store/open.ts'
import { allOrgs } from '../../../src/store/orgs/orgs.ts'
import type { Connection } from '../../../src/store/sqlite/driver.ts'
import { makeOrg } from '../../support/org.ts'
import type { Random } from './content.ts'
import { recordCommand } from './record.ts'
import { treeOf } from './tree.ts'
import { type Step, stepsOf, TREE_CALLS } from './tree-trace.ts'

// Commands whose power is cut: a restore into a folder with data, and a backup. In each state that the disk could be left
// in, the data folder has to be the old one or the new one, whole, with the old one aside; and a backup with its final
// name has to be what was written.

/** What a data folder contains that a restore replaces. */
type Contents = { org: string; tags: number; keys: Record<string, string>; settings: string }

type Scenario = {
  name: string
  /** The data folder of before. */
  start: string
  /** The data folder of the recording. */
  data: string
  trace: string
  /** What was found in a folder, in a word. Throws what is wrong. `isDone`: the command had said that it was done. */
  find: (path: string, isDone: boolean, isFull: boolean) => string
}

/** What is opened there has no power to lose. */
const MEMORY = '/dev/shm'

/** Restores a second time. */
const FULL_EVERY = 20

/** Cuts the power of a command at random moments. Without syncs, as a control, that has to lose something. */
export async function cutCommand({ start, data, trace, find }: Scenario, states: number, random: Random, syncs = true) {
  const tree = treeOf(start)
  const steps = (await stepsOf(trace, data, tree)).filter(({ type }) => syncs || type !== 'sync')
  // Most calls write what has no name yet: half of the moments are beside those that name, sync or tell something.
  const turns = steps.flatMap(({ type }, index) => (type === 'write' ? [] : [index, index + 1]))
  const moment = () => (random() < 0.5 ? indexIn(steps.length + 1) : (turns[indexIn(turns.length)] as number))
  const indexIn = (count: number) => Math.floor(random() * count)
  const moments = Array.from({ length: states }, moment).sort((a, b) => a - b)
  const cut = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : dirname(trace), 'dealbox-cut-'))
  const faults: string[] = []
  const seen = new Map<string, number>()
  let at = 0
  let isDone = false
  for (const [index, moment] of moments.entries()) {
    for (; at < moment; at++) {
      const step = steps[at] as Step
      step.run()
      isDone ||= step.type === 'done'
    }
    rmSync(cut, { recursive: true })
    tree.cut(random, cut)
    try {
      const found = find(cut, isDone, index % FULL_EVERY === 0)
      seen.set(found, (seen.get(found) ?? 0) + 1)
    } catch (error) {
      faults.push(`after ${moment} of ${steps.length} calls: ${(error as Error).message}`)
    }
  }
  rmSync(cut, { recursive: true })
  const syncCount = steps.filter(({ type }) => type === 'sync').length
  return { faults, seen: [...seen].map(([what, count]) => `${count} ${what}`), steps: steps.length, syncs: syncCount }
}

/** Each scenario is recorded in a folder of its own. */
export async function scenarios(folder: string): Promise<Scenario[]> {
  const recipient = await identityToRecipient(await generateX25519Identity())
  const plain = await backing('backup', mkdtempSync(join(folder, 'b-')), [])
  const sealed = await backing('encrypted backup', mkdtempSync(join(folder, 'e-')), ['--backup-encrypt', recipient])
  return [await restoring(mkdtempSync(join(folder, 'r-'))), plain, sealed]
}

async function restoring(folder: string): Promise<Scenario> {
  const source = await dataFolder(join(folder, 'source'), 'New', 40)
  const { file } = makeBackup({ dataDir: source, folder: join(folder, 'made'), reason: 'command', now: Date.now() })
  const data = await dataFolder(join(folder, 'data'), 'Old', 20)
  writeFileSync(join(data, 'note.txt'), 'mine')
  const [before, after] = [contentsOf(copied(data, folder)), contentsOf(copied(source, folder))]
  const { answer: _, ...recorded } = await recorder(folder, data, ['restore', file, '--data', data])

  function find(path: string, isDone: boolean, isFull: boolean): string {
    const found = contentsOf(path)
    if (readFileSync(join(path, 'note.txt'), 'utf8') !== 'mine') throw new Error('a file that is not ours was changed')
    const isNew = isSame(found, after)
    if (!isNew && !isSame(found, before)) throw new Error(`the data folder is a mixture: ${JSON.stringify(found)}`)
    if (isNew) checkNew(path)
    else if (isDone) throw new Error('the restore was done, and is gone')
    if (isFull) {
      restoreBackup({ file, dataDir: path, now: Date.now(), dryRun: false, describe: () => undefined })
      if (!isSame(contentsOf(path), after)) throw new Error('a second restore is not whole')
    }
    return isNew ? 'new' : 'old'
  }

  function checkNew(path: string): void {
    if (!isSendingPaused(path)) throw new Error('the restored copy may send')
    const [aside = '', ...more] = readdirSync(path).filter((name) => name.startsWith('before-restore-'))
    if (more.length > 0) throw new Error('the old data is in several folders')
    if (!isSame(contentsOf(join(path, aside)), before)) throw new Error('the old data aside is not whole')
  }

  return { name: 'restore', ...recorded, find }
}

async function backing(name: string, folder: string, options: readonly string[]): Promise<Scenario> {
  const data = await dataFolder(join(folder, 'data'), 'Old', 20)
  const before = contentsOf(copied(data, folder))
  const { answer, ...recorded } = await recorder(folder, data, ['backup', '--data', data, ...options])
  const whole = readFileSync((answer as { file: string }).file)

  function find(path: string, isDone: boolean): string {
    const made = namesIn(join(path, 'backups')).filter((each) => readName(each))
    for (const each of made)
      if (!readFileSync(join(path, 'backups', each)).equals(whole)) throw new Error(`${each} is not what was written`)
    if (isDone && made.length === 0) throw new Error('the backup was made, and is gone')
    if (!isSame(contentsOf(path), before)) throw new Error('the data folder has changed')
    return made.length === 0 ? 'without a backup' : 'with a whole one'
  }

  return { name, ...recorded, find }
}

/** As a killed server leaves it: the last writes are in the write-ahead log only. */
async function dataFolder(path: string, org: string, tags: number): Promise<string> {
  const running = `${path}-running`
  const store = openStore(running, { create: true })
  await makeOrg(store, running, org)
  const insert = store.db.prepare('INSERT INTO tags VALUES (?, ?, ?, ?, NULL, NULL, 0, 0, 1)')
  for (let n = 0; n < tags; n++) store.transaction(() => insert.run(1, store.clock.id(), `tag ${n}`, `tag ${n}`))
  writeFileSync(join(running, 'dealbox.json'), JSON.stringify({ 'public-url': `https://${org.toLowerCase()}.example` }))
  cpSync(running, path, { recursive: true, filter: (from) => !/-shm$|\.lock/.test(from) })
  store.close()
  rmSync(running, { recursive: true })
  return path
}

/** Records a command that works on a folder. */
async function recorder(folder: string, data: string, argv: readonly string[]) {
  const start = copied(data, folder)
  const trace = join(folder, 'trace')
  return { start, data, trace, answer: await recordCommand(trace, TREE_CALLS, argv) }
}

function copied(path: string, folder: string): string {
  const to = mkdtempSync(join(folder, 'copy-'))
  cpSync(path, to, { recursive: true })
  return to
}

/** Opens a data folder as the next start does, and reads it. Throws what that finds wrong. */
function contentsOf(path: string): Contents {
  const store = openStore(path)
  try {
    const db: Connection = store.db
    const [check] = db.pragma('quick_check') as Record<string, string>[]
    const said = Object.values(check ?? {})[0]
    if (said !== 'ok') throw new Error(said)
    keyring(path, store).check()
    const tags = db.prepare('SELECT count(*) FROM tags').pluck().get() as number
    const keys = namesIn(join(path, 'keys')).map((name) => [name, readFileSync(join(path, 'keys', name), 'hex')])
    const settings = readFileSync(join(path, 'dealbox.json'), 'utf8')
    return {
      org: allOrgs(db)
        .map(({ name }) => name)
        .join(),
      tags,
      keys: Object.fromEntries(keys),
      settings,
    }
  } finally {
    store.close()
  }
}

const isSame = (one: Contents, other: Contents): boolean => JSON.stringify(one) === JSON.stringify(other)

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
