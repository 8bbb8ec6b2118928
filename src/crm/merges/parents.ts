import type { Database } from '../../store/driver.ts'

/** Where companies stand below each other: never in a circle, also after two of them became one, or two again. */
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

  /** Whether one of the companies is the given one, or stands above it. */
  function isAtOrAbove(org: number, companies: string[], id: string): boolean {
    return (lineOf.all({ org, id }) as string[]).some((above) => companies.includes(above))
  }

  /** The first parent that two companies can have which become one: none of the two, and none below one of them. */
  function ofBoth(org: number, both: string[], wanted: unknown[]): string | null {
    const possible = wanted.find((id) => id === null || !isAtOrAbove(org, both, id as string))
    return (possible ?? null) as string | null
  }

  return { isAtOrAbove, ofBoth }
}
