import type { Store } from '../store/open.ts'

/** A rotated secret signs along for so long. */
const OVERLAP_MS = 24 * 3_600_000

/** So many at once, however often it is rotated: each is a signature in a header. */
const MAX_SECRETS = 10

/** The newest has no end; the times are milliseconds. */
type Secret = { secret: string; until: number | null }

/** The secrets of webhooks, which the database holds sealed only. */
export function signingSecrets({ db, clock, vault }: Pick<Store, 'db' | 'clock' | 'vault'>) {
  const stored = db.prepare('SELECT secrets FROM webhook_states WHERE org_id = ? AND webhook_id = ?').pluck()
  const store = db.prepare('UPDATE webhook_states SET secrets = ? WHERE org_id = ? AND webhook_id = ?')

  const purposeOf = (id: string): string => `webhook ${id}`
  const sealed = (id: string, secrets: Secret[]): string => vault.seal(purposeOf(id), JSON.stringify(secrets))
  const opened = (id: string, text: string): Secret[] => JSON.parse(vault.open(purposeOf(id), text))

  function rotate(org: number, id: string, secret: string): void {
    const now = clock.now()
    const before = readable(id, stored.get(org, id) as string)
    const others = before.map((each) => ({ ...each, until: each.until ?? now + OVERLAP_MS }))
    const signing = [{ secret, until: null }, ...others.filter(({ until }) => until > now)]
    store.run(sealed(id, signing.slice(0, MAX_SECRETS)), org, id)
  }

  /** A new secret is the way out where the key of the old ones is lost. */
  function readable(id: string, text: string): Secret[] {
    try {
      return opened(id, text)
    } catch {
      return []
    }
  }

  /** The secrets that sign at a time. Throws Problem 409 where the key is lost. */
  const signing = (id: string, text: string, at: number): string[] =>
    opened(id, text).flatMap(({ secret, until }) => (until === null || until > at ? [secret] : []))

  return { sealed, rotate, signing }
}
