import type { Database } from '../sqlite/driver.ts'

// Jobs of an organisation that has moved: the other server does them. They are kept in case that it is taken back, under
// kinds that no worker knows.

const ASIDE = 'moved '

/** A condition on jobs: not of an organisation that has moved. */
export const IS_HERE = `kind NOT LIKE '${ASIDE}%'`

export function movedJobs(db: Database) {
  const putAside = db.prepare(`UPDATE jobs SET kind = '${ASIDE}' || kind WHERE org_id = ? AND ${IS_HERE}`)
  const takeBack = db.prepare(
    `UPDATE jobs SET kind = substr(kind, ${ASIDE.length + 1}) WHERE org_id = ? AND NOT (${IS_HERE})`,
  )
  return {
    putAside: (org: number): void => void putAside.run(org),
    takeBack: (org: number): void => void takeBack.run(org),
  }
}
