import { connection, type Database } from './driver.ts'

/** Runs a job that reads the whole database as of one moment, unaffected by concurrent writes. */
export const inSnapshot = <T>(db: Database, job: () => T): T => connection(db).transaction(job)()
