import type { Database, Statement } from './driver.ts'

/** One takes some 20 KB; what a running server asks again and again is a few hundred. */
const MAX_STATEMENTS = 500

const kept = new WeakMap<Database, Map<string, Statement>>()

/** Statements of lists by their text, prepared when they are first needed; all lists of a database share the bound. */
export function statements(db: Database): (text: string) => Statement {
  const known = kept.get(db) ?? new Map<string, Statement>()
  kept.set(db, known)

  return function prepare(text) {
    let statement = known.get(text)
    if (!statement) {
      if (known.size >= MAX_STATEMENTS) known.delete(known.keys().next().value as string)
      statement = db.prepare(text).raw()
      known.set(text, statement)
    }
    return statement
  }
}
