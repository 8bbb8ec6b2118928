import type { Store } from '../open.ts'
import type { Database } from '../sqlite/driver.ts'

/** Work that has failed so many times in a row needs somebody: it is not a hiccup. */
export const FAILED_OFTEN = 3

/** When a piece of recurring work is due again, and the result of its last run; times in milliseconds. */
export function recurringRow(db: Database, name: string) {
  const insert = db.prepare('INSERT INTO recurring_jobs (name, due_at) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const dueAt = db.prepare('SELECT due_at FROM recurring_jobs WHERE name = ?').pluck()
  const failures = db.prepare('SELECT failures FROM recurring_jobs WHERE name = ?').pluck()
  const started = db.prepare('UPDATE recurring_jobs SET last_started_at = ? WHERE name = ?')
  const finished = db.prepare(
    'UPDATE recurring_jobs SET due_at = ?, last_finished_at = ?, last_error = NULL, failures = 0 WHERE name = ?',
  )
  const failed = db.prepare(
    'UPDATE recurring_jobs SET due_at = ?, last_started_at = ?, last_error = ?, failures = failures + 1 WHERE name = ?',
  )

  return {
    /** Undefined if it never ran. */
    dueAt: (): number | undefined => dueAt.get(name) as number | undefined,
    isFailing: (): boolean => ((failures.get(name) as number | undefined) ?? 0) > 0,
    start(now: number): void {
      insert.run(name, now)
      started.run(now, name)
    },
    finish: (due: number, now: number): void => void finished.run(due, now, name),
    fail(due: number, now: number, error: string): void {
      insert.run(name, now)
      failed.run(due, now, error, name)
    },
  }
}

/** Notes how each run went of work that has its own time, such as a backup: without an error it went well. Never rejects. */
export function workOutcomes({ db, clock, write, health }: Pick<Store, 'db' | 'clock' | 'write' | 'health'>) {
  return async (name: string, error: string | undefined): Promise<void> => {
    try {
      const row = recurringRow(db, name)
      if (error === undefined && !row.isFailing()) return
      await write(() => {
        const now = clock.now()
        if (error === undefined) row.finish(now, now)
        else row.fail(now, now, error)
        return null
      })
    } catch (failure) {
      health.note(failure) // the state of the storage says it
    }
  }
}

/** All recurring work that ever ran: when it last did, when it is due again, and how it went; times in milliseconds. */
export const recurringRuns = (db: Database): RecurringRun[] =>
  db
    .prepare(
      `SELECT name, last_started_at AS started, last_finished_at AS finished, due_at AS due, failures, last_error AS error
       FROM recurring_jobs ORDER BY name`,
    )
    .all() as RecurringRun[]

type RecurringRun = {
  name: string
  started: number | null
  finished: number | null
  due: number
  failures: number
  error: string | null
}

/** The recurring work whose last run failed, and how many before it in a row. */
export const failingRecurring = (db: Database): { name: string; error: string; failures: number }[] =>
  db
    .prepare(
      'SELECT name, last_error AS error, failures FROM recurring_jobs WHERE last_error IS NOT NULL ORDER BY name',
    )
    .all() as never
