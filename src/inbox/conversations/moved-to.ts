import { conflict } from '../../lib/problem.ts'
import type { Database } from '../../store/sqlite/driver.ts'

/** Where the messages of a conversation are. */
export function movedTo(db: Database) {
  const into = db
    .prepare(
      "SELECT to_id FROM conversation_moves WHERE org_id = ? AND from_id = ? AND kind = 'merge' AND undone_at IS NULL",
    )
    .pluck()
  const split = db
    .prepare(
      `SELECT 1 FROM conversation_moves
       WHERE org_id = ? AND from_id = ? AND to_id = ? AND kind = 'split' AND undone_at IS NULL`,
    )
    .pluck()

  const mark = db.prepare('UPDATE conversations SET is_merged = ? WHERE org_id = ? AND id = ?')
  const numberOf = db.prepare("SELECT '#' || number FROM conversations WHERE org_id = ? AND id = ?").pluck()

  /** The conversation that one was merged into, or that one further; else itself. */
  function leading(org: number, id: string): string {
    let last = id
    for (let next: unknown = id; next !== undefined; next = into.get(org, last)) last = next as string
    return last
  }

  /** Throws 409 with the one that it was merged into. */
  function checkUnmerged(org: number, id: string): void {
    const last = leading(org, id)
    if (last !== id)
      throw conflict('conversation_merged', `This conversation was merged into ${numberOf.get(org, last)}.`)
  }

  return {
    leading,
    checkUnmerged,
    mark: (org: number, id: string, isMerged: boolean): void => void mark.run(isMerged ? 1 : 0, org, id),
    isSplit: (org: number, from: string, to: string): boolean => split.get(org, from, to) !== undefined,
  }
}
