import { dropFormerKeys, keepFormerKeys } from '../../auth/former-keys.ts'
import type { Keyring } from '../../auth/keys.ts'
import { movedJobs } from '../../store/jobs/moved-jobs.ts'
import type { Store } from '../../store/open.ts'
import { unwatchOrg, watchOrg } from './changed-rows.ts'

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

type TokenKeys = ReturnType<Keyring['publicKeys']>

type DepartureStoreOptions = Pick<Store, 'db' | 'vault' | 'installation' | 'clock' | 'writeAtOnce'>

/** The steps of a departure, each in a transaction. None waits for the pause of its organisation: they begin and end it. */
export function departureStore(store: DepartureStoreOptions) {
  const { db, vault, clock, writeAtOnce } = store
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
  const jobs = movedJobs(db)
  const sending = db.prepare(
    `SELECT (SELECT count(*) FROM deliveries WHERE org_id = @org AND status = 'pending' AND leased_until > @now)
       + (SELECT count(*) FROM jobs WHERE org_id = @org AND leased_until > @now)
       + (SELECT count(*) FROM mailbox_grants WHERE org_id = @org AND renewing_until > @now)`,
  )
  const sealedFor = (id: string): string => `departure ${id}`

  type New = Omit<Departure, 'asked_at' | 'started_at'>

  return {
    all: (): Departure[] =>
      (select.all() as Departure[]).map((each) => ({ ...each, key: vault.open(sealedFor(each.id), each.key) })),
    /** From now on, changes of its rows are written down. */
    begin: ({ public_id, ...given }: New, record: () => void): void =>
      writeAtOnce(() => {
        insert.run({ ...given, key: vault.seal(sealedFor(given.id), given.key), started_at: clock.now() })
        record()
        watchOrg(db, given.org, public_id)
      }),
    /** Nothing new is sent for it, and no job starts. */
    leave: (org: number): void => writeAtOnce(() => void setState.run('leaving', null, org)),
    /** How much is still being sent. */
    sending: (org: number): number => sending.pluck().get({ org, now: clock.now() }) as number,
    /** Writes wait. What this server signs is final now, and follows with the last changes. */
    pause: (org: number, tokenKeys: () => TokenKeys): void =>
      writeAtOnce(() => {
        keepFormerKeys(store, org, tokenKeys())
        setState.run('paused', null, org)
      }),
    ask: (org: number): void => writeAtOnce(() => void ask.run(clock.now(), org)),
    /** It stays here, as if nothing had been. */
    markStaying: (org: number, record: () => void): void =>
      writeAtOnce(() => {
        unwatchOrg(db)
        setState.run('open', null, org)
        dropFormerKeys(store, org)
        remove.run(org)
        record()
      }),
    /** It is gone: its jobs are done there. */
    markMoved: (org: number, address: string, record: () => void): void =>
      writeAtOnce(() => {
        unwatchOrg(db)
        jobs.putAside(org)
        setState.run('moved', address, org)
        remove.run(org)
        record()
      }),
    /** What it left here is the organisation again. Runs in the caller's transaction. */
    takeBack: (org: number): void => {
      setState.run('open', null, org)
      dropFormerKeys(store, org)
      jobs.takeBack(org)
    },
  }
}
