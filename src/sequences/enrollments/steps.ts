import type { Database } from '../../store/sqlite/driver.ts'
import { type DoneStep, stepColumns } from './enrollment.ts'

/** The completed steps of enrollments. */
export function doneSteps(db: Database) {
  const { names, values } = stepColumns
  const marks = names.map(() => '?').join(', ')
  const insert = db.prepare(`INSERT INTO enrollment_steps (org_id, ${names.join(', ')}) VALUES (?, ${marks})`)
  const subject = db
    .prepare(
      `SELECT message_headers.subject FROM enrollment_steps AS step
         JOIN message_headers ON message_headers.org_id = step.org_id AND message_headers.message_id = step.message_id
       WHERE step.org_id = ? AND step.enrollment_id = ? ORDER BY step.position DESC LIMIT 1`,
    )
    .pluck()

  const tasks = db
    .prepare('SELECT task_id FROM enrollment_steps WHERE org_id = ? AND enrollment_id = ? AND task_id IS NOT NULL')
    .pluck()

  function add(org: number, step: DoneStep): void {
    insert.run(org, ...values(step))
  }

  /** The subject of a mail in the thread of the previous one, which exists: the first mail has its own subject. */
  function answeringSubject(org: number, id: string): string {
    const last = (subject.get(org, id) as string | null | undefined) ?? ''
    return /^re:/i.test(last) ? last : `Re: ${last}`
  }

  /** The ids of the tasks that the enrollment created. */
  const tasksOf = (org: number, id: string): string[] => tasks.all(org, id) as string[]

  return { add, answeringSubject, tasksOf }
}
