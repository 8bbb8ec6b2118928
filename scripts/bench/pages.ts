import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { resourceDeps } from '../../src/app/deps.ts'
import { dealStore } from '../../src/crm/deals/deals.ts'
import { random } from '../../src/demo/story/random.ts'
import type { Deal } from '../../src/records/deal.ts'
import { DATABASE, type OpenedStore, openStore } from '../../src/store/open.ts'
import type { Database, Statement } from '../../src/store/sqlite/driver.ts'
import { commitsIn, pagesIn } from './log.ts'

/** What a kind of write costs, in counts: these do not depend on how busy the machine is. */
export type Written = {
  name: string
  /** Executed statements of each write, without BEGIN and COMMIT. */
  statements: number
  /** Pages that the commit of a batch writes to the log: the median. */
  pages: number
  /** The same with what is written later, such as the search index, spread over all batches. */
  pagesInAll: number
  /** Pages of the largest commit. */
  largest: number
}

/** The kinds of writes, and how many batches are measured of each. */
export const WRITES = { create: 200, 'PATCH of the stage': 200, 'PATCH of the title': 2000 } as const

const BATCH = 32
const IDS = 5000
/** Pages of the log after which it is emptied. */
const MAX_PAGES = 16_000

/** Counts for one kind of write, with deals that lie all over the database of a folder. */
export async function pagesWritten(folder: string, name: keyof typeof WRITES): Promise<Written> {
  const store = openStore(folder)
  try {
    const statements = countStatements(store.db)
    return {
      name,
      ...(await counted(store, join(folder, `${DATABASE}-wal`), WRITES[name], writesOf(store)[name], statements)),
    }
  } finally {
    store.close()
  }
}

function writesOf(store: OpenedStore): Record<keyof typeof WRITES, () => unknown> {
  const { db } = store
  const deals = dealStore(resourceDeps(store))
  const org = db.prepare('SELECT id FROM orgs LIMIT 1').pluck().get() as number
  const member = db.prepare('SELECT id FROM members WHERE org_id = ? LIMIT 1').pluck().get(org) as string
  const who = { org, member }
  const { int } = random(1)
  const one = <T>(from: readonly T[]): T => from[int(from.length)] as T
  const some = (sql: string): string[] => {
    const all = db.prepare(sql).pluck().all(org) as string[]
    return Array.from({ length: IDS }, () => one(all))
  }
  const ids = some('SELECT id FROM deals WHERE org_id = ?')
  const open = some("SELECT id FROM deals WHERE org_id = ? AND status = 'open'")
  const titles = some('SELECT title FROM deals WHERE org_id = ?')
  const companies = some('SELECT id FROM companies WHERE org_id = ?')
  const contacts = some('SELECT id FROM contacts WHERE org_id = ?')
  const stages = [...new Set(some('SELECT id FROM stages WHERE org_id = ? AND is_open = 1'))]
  const title = () => `${one(titles)} ${int(1000)}`
  const two = (n: number): string => String(n).padStart(2, '0')

  const given = () => ({
    title: title(),
    amount: 1 + int(90_000),
    currency: 'EUR',
    company_id: one(companies),
    primary_contact_id: one(contacts),
    owner_id: member,
    expected_close_date: `2027-${two(1 + int(12))}-${two(1 + int(28))}`,
  })
  const patch = (id: string, fields: (deal: Deal) => object) => {
    const before = deals.columns.present(deals.find(who, id) as never)
    return deals.patch(who, before, fields(before))
  }
  return {
    create: () => deals.create(who, given() as never),
    'PATCH of the stage': () =>
      patch(one(open), ({ stage }) => ({ stage: one(stages.filter((each) => each !== stage)) })),
    'PATCH of the title': () => patch(one(ids), () => ({ title: title() })),
  }
}

async function counted(
  { db, write }: OpenedStore,
  log: string,
  batches: number,
  job: () => unknown,
  statements: () => number,
): Promise<Omit<Written, 'name'>> {
  db.pragma('synchronous = OFF')
  db.pragma('wal_autocheckpoint = 0')
  db.pragma('wal_checkpoint(TRUNCATE)')
  const own: number[] = []
  const all: number[] = []
  let executed = 0
  for (let batch = 1; batch <= batches; batch++) {
    const [pages, before] = [pagesIn(log), statements()]
    await Promise.all(Array.from({ length: BATCH }, () => write(() => void job() as never)))
    own.push(pagesIn(log) - pages)
    executed += statements() - before
    await nextTurn() // for what is done after commits
    if (batch < batches && pagesIn(log) < MAX_PAGES) continue
    all.push(...commitsIn(log).map((commit) => commit.length))
    db.pragma('wal_checkpoint(TRUNCATE)')
  }
  return {
    statements: executed / batches / BATCH,
    pages: own.toSorted((a, b) => a - b)[Math.floor(batches / 2)] as number,
    pagesInAll: all.reduce((sum, pages) => sum + pages, 0) / batches,
    largest: Math.max(...all),
  }
}

/** Counts the executions of the statements that are prepared from now on. */
function countStatements(db: Database): () => number {
  let count = 0
  const { prepare } = db
  db.prepare = (sql) => {
    const statement = prepare.call(db, sql)
    for (const method of ['run', 'get', 'all', 'iterate'] as const) {
      const execute = statement[method].bind(statement) as (...values: unknown[]) => unknown
      statement[method] = ((...values: unknown[]) => {
        count++
        return execute(...values)
      }) as Statement[typeof method] as never
    }
    return statement
  }
  return () => count
}
