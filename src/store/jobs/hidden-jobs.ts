import type { Batch } from '../batches.ts'
import type { Store } from '../open.ts'
import { connection } from '../sqlite/driver.ts'

const BATCH_SIZE = 500

/**
 * Hides the jobs of an organisation that is filled in several transactions from a server on the same folder: until
 * `release`, this connection reads and writes a temporary table `jobs` instead of the one in the file. `drop` discards
 * them.
 */
export function hideJobs({ db }: Pick<Store, 'db'>, batch: Batch, org: number) {
  const exec = (sql: string) => connection(db).exec(sql)
  const indexes = db
    .prepare("SELECT sql FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = 'jobs' AND sql IS NOT NULL")
    .pluck()
    .all() as string[]
  batch(() => {
    exec('CREATE TEMP TABLE jobs AS SELECT * FROM main.jobs WHERE 0')
    exec('CREATE UNIQUE INDEX temp.jobs_id ON jobs (org_id, id)')
    for (const sql of indexes) exec(sql.replace(/ INDEX /, ' INDEX temp.'))
    db.prepare('INSERT INTO temp.jobs SELECT * FROM main.jobs WHERE org_id = ?').run(org)
    db.prepare('DELETE FROM main.jobs WHERE org_id = ?').run(org)
  })

  /** Moves the jobs to the file, where a server can run them. */
  function release(): void {
    const copy = db.prepare(
      'INSERT INTO main.jobs SELECT * FROM temp.jobs WHERE org_id = @org AND id > @after ORDER BY id LIMIT @most',
    )
    const last = db.prepare(
      'SELECT max(id) FROM (SELECT id FROM temp.jobs WHERE org_id = @org AND id > @after ORDER BY id LIMIT @most)',
    )
    for (let after: string | null = ''; after !== null; ) {
      const given: { org: number; after: string; most: number } = { org, after, most: BATCH_SIZE }
      after = batch(() => {
        copy.run(given)
        return last.pluck().get(given) as string | null
      })
    }
    drop()
  }

  const drop = (): void => void exec('DROP TABLE IF EXISTS temp.jobs')

  return { release, drop }
}
