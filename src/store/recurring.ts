import type { Database } from './driver.ts'

/** When a piece of recurring work is due again, and the result of its last run; times in milliseconds. */
export function recurringRow(db: Database, name: string) {
  const insert = db.prepare('INSERT INTO recurring_jobs (name, due_at) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const dueAt = db.prepare('SELECT due_at FROM recurring_jobs WHERE name = ?').pluck()
  const started = db.prepare('UPDATE recurring_jobs SET last_started_at = ? WHERE name = ?')
  const finished = db.prepare(
    'UPDATE recurring_jobs SET due_at = ?, last_finished_at = ?, last_error = NULL WHERE name = ?',
  )
  const failed = db.prepare('UPDATE recurring_jobs SET due_at = ?, last_started_at = ?, last_error = ? WHERE name = ?')

  return {
    /** Undefined if it never ran. */
    dueAt: (): number | undefined => dueAt.get(name) as number | undefined,
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

/** The recurring work whose last run failed. */
export const failingRecurring = (db: Database): { name: string; error: string }[] =>
  db
    .prepare('SELECT name, last_error AS error FROM recurring_jobs WHERE last_error IS NOT NULL ORDER BY name')
    .all() as never
