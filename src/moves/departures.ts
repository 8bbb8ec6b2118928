import type { Keyring } from '../auth/keys.ts'
import { unwatchOrg, watchOrg } from '../store/departing.ts'
import { dropFormerKeys, keepFormerKeys } from '../store/former-keys.ts'
import type { Store } from '../store/open.ts'

/** An organisation on its way to another server. Once `asked_at` is set, only that server knows what comes of it. */
export type Departure = {
  org: number
  public_id: string
  id: string
  url: string
  address: string
  ca: string | null
  key: string
  started_at: number
  asked_at: number | null
}

type DepartureStoreOptions = Pick<Store, 'db' | 'vault' | 'installation' | 'clock' | 'transaction'>

/** The steps of a departure, each in a transaction. */
export function departureStore(store: DepartureStoreOptions) {
  const { db, vault, clock, transaction } = store
  const insert = db.prepare(
    'INSERT INTO departures (org, id, url, address, ca, key, started_at) VALUES (@org, @id, @url, @address, @ca, @key, @started_at)',
  )
  const select = db.prepare(
    `SELECT org, public_id, departures.id, url, address, ca, key, started_at, asked_at
     FROM departures JOIN orgs ON orgs.id = org ORDER BY started_at`,
  )
  const remove = db.prepare('DELETE FROM departures WHERE org = ?')
  const ask = db.prepare('UPDATE departures SET asked_at = ? WHERE org = ?')
  const setState = db.prepare('UPDATE orgs SET state = ?, moved_to = ? WHERE id = ?')
  const removeJobs = db.prepare('DELETE FROM jobs WHERE org_id = ?')
  const sending = db.prepare(
    `SELECT (SELECT count(*) FROM deliveries WHERE org_id = @org AND status = 'pending' AND leased_until IS NOT NULL)
       + (SELECT count(*) FROM jobs WHERE org_id = @org AND leased_until IS NOT NULL)
       + (SELECT count(*) FROM mailbox_grants WHERE org_id = @org AND renewing_until > @now)`,
  )
  const newest = db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck()
  const sealedFor = (id: string): string => `departure ${id}`

  type New = Omit<Departure, 'asked_at' | 'started_at'> & { tokenKeys: ReturnType<Keyring['publicKeys']> }

  return {
    all: (): Departure[] =>
      (select.all() as Departure[]).map((each) => ({ ...each, key: vault.open(sealedFor(each.id), each.key) })),
    /** From now on, changes of its rows are written down. */
    begin: ({ tokenKeys, public_id, ...given }: New, record: () => void): void =>
      transaction(() => {
        keepFormerKeys(store, given.org, tokenKeys)
        insert.run({ ...given, key: vault.seal(sealedFor(given.id), given.key), started_at: clock.now() })
        record()
        watchOrg(db, given.org, public_id)
      }),
    /** Nothing new is sent for it, and no job starts. */
    leave: (org: number): void => transaction(() => void setState.run('leaving', null, org)),
    /** How much is still being sent. */
    sending: (org: number): number => sending.pluck().get({ org, now: clock.now() }) as number,
    /** Writes wait. */
    pause: (org: number): void => transaction(() => void setState.run('paused', null, org)),
    ask: (org: number): void => transaction(() => void ask.run(clock.now(), org)),
    /** It stays here, as if nothing had been. */
    stay: (org: number, record: () => void): void =>
      transaction(() => {
        unwatchOrg(db)
        setState.run('open', null, org)
        dropFormerKeys(store, org)
        remove.run(org)
        record()
      }),
    /** It is gone: its jobs run there. */
    gone: (org: number, address: string, record: () => void): void =>
      transaction(() => {
        unwatchOrg(db)
        removeJobs.run(org)
        setState.run('moved', address, org)
        remove.run(org)
        record()
      }),
    lastSeq: (org: number): number => newest.get(org) as number,
  }
}
