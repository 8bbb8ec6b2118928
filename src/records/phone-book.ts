import { phoneKeys } from '../lib/written/people/phone-countries.ts'
import { countryOf } from '../store/orgs/orgs.ts'
import type { Database } from '../store/sqlite/driver.ts'

type Row = { id: string; phones: string; updated_at: number }

/**
 * Finds the contacts of an organisation by their numbers, in any notation, for whoever asks for thousands: all numbers are
 * read once, and from then on those of contacts that have changed.
 */
export function phoneBook(db: Database, org: number): (number: string) => string[] {
  const changed = db.prepare(
    `SELECT id, phones, updated_at FROM contacts INDEXED BY contacts_updated
     WHERE org_id = ? AND updated_at >= ? ORDER BY updated_at`,
  )
  const one = db.prepare('SELECT phones FROM contacts WHERE org_id = ? AND id = ?').pluck()
  const country = countryOf(db)(org)
  const keysOf = (phones: string): string[] =>
    (JSON.parse(phones) as { number: string }[]).flatMap(({ number }) => phoneKeys(number, country))
  const holders = new Map<string, Set<string>>()
  let since = 0

  function refresh(): void {
    for (const { id, phones, updated_at } of changed.all(org, since) as Row[]) {
      since = updated_at
      for (const key of phones === '[]' ? [] : keysOf(phones))
        holders.set(key, (holders.get(key) ?? new Set<string>()).add(id))
    }
  }

  /** What was rolled back, deleted or changed since is still in the book. */
  function has(id: string, key: string): boolean {
    const phones = one.get(org, id) as string | undefined
    return phones !== undefined && keysOf(phones).includes(key)
  }

  return (number) => {
    refresh()
    const found = phoneKeys(number, country).flatMap((key) =>
      [...(holders.get(key) ?? [])].filter((id) => has(id, key)),
    )
    return [...new Set(found)].sort()
  }
}
