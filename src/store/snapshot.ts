import { connection, type Database } from './driver.ts'

/** Runs a job that reads all of the database as it is at one moment, however others write beside it. */
export const inSnapshot = <T>(db: Database, job: () => T): T => connection(db).transaction(job)()
