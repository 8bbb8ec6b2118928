import type { Database, Statement } from './driver.ts'

/** A statement takes about 20 KB; a running server needs a few hundred. */
const MAX_STATEMENTS = 500

const caches = new WeakMap<Database, Map<string, Statement>>()

/**
 * Prepares the statements of lists at their first use and caches them by their text; all lists of a database share the
 * limit.
 */
export function statements(db: Database): (text: string) => Statement {
  const cached = caches.get(db) ?? new Map<string, Statement>()
  caches.set(db, cached)

  return function prepare(text) {
    let statement = cached.get(text)
    if (!statement) {
      if (cached.size >= MAX_STATEMENTS) cached.delete(cached.keys().next().value as string)
      statement = db.prepare(text).raw()
      cached.set(text, statement)
    }
    return statement
  }
}
