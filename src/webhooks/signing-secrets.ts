import { DAY_MS } from '../lib/time.ts'
import type { Store } from '../store/open.ts'

/** How long a rotated secret continues to sign. */
const OVERLAP_MS = DAY_MS

/** The maximum at a time, however often secrets are rotated: each adds a signature to a header. */
const MAX_SECRETS = 10

/** `until` is in milliseconds; null for the newest secret. */
type Secret = { secret: string; until: number | null }

/** Signing secrets of webhooks; the database stores them sealed. */
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

  /** If the key for the old secrets is lost, rotating to a new one is the remedy. */
  function readable(id: string, text: string): Secret[] {
    try {
      return opened(id, text)
    } catch {
      return []
    }
  }

  /** Returns the secrets that sign at a time. Throws Problem 409 if the key is lost. */
  const signing = (id: string, text: string, at: number): string[] =>
    opened(id, text).flatMap(({ secret, until }) => (until === null || until > at ? [secret] : []))

  return { sealed, rotate, signing }
}
