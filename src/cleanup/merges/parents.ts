import type { Database } from '../../store/sqlite/driver.ts'

/** Keeps the hierarchy of companies free of cycles when two of them are merged or separated. */
export function parents(db: Database) {
  const lineOf = db
    .prepare(
      `WITH RECURSIVE line (id) AS (
         SELECT @id
         UNION
         SELECT parent_company_id FROM line JOIN companies ON companies.org_id = @org AND companies.id = line.id
         WHERE parent_company_id IS NOT NULL
       )
       SELECT id FROM line`,
    )
    .pluck()

  /** Whether one of the companies is the given one, or is above it. */
  function isAtOrAbove(org: number, companies: string[], id: string): boolean {
    return (lineOf.all({ org, id }) as string[]).some((above) => companies.includes(above))
  }

  /** Returns the first possible parent of two merged companies: neither of them nor any company below them. */
  function ofBoth(org: number, both: string[], wanted: unknown[]): string | null {
    const possible = wanted.find((id) => id === null || !isAtOrAbove(org, both, id as string))
    return (possible ?? null) as string | null
  }

  return { isAtOrAbove, ofBoth }
}
