import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { version } from '../../assets.ts'
import type { Keyring } from '../../auth/keys.ts'
import type { Actor } from '../../events/audit/entry.ts'
import { auditLog } from '../../events/audit/log.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import { isServed, lockMove } from '../../store/folder/lock.ts'
import type { CommandStore } from '../../store/open.ts'
import type { Org } from '../../store/orgs/orgs.ts'
import { SCHEMAS } from '../../store/schema/migrations.ts'
import { movesClient, type Patience } from './client.ts'
import { type Copier, copier } from './copying.ts'
import { type Departure, departureStore } from './departures.ts'
import type { Begun, Hello, Prepare } from './protocol.ts'
import { leavingOrg, otherLog } from './received-org.ts'
import { openReader } from './second.ts'
import { settle } from './settle.ts'

/** Attempts in flight end within this time; a mail may take longer, and then the move fails. */
const MAX_DRAIN_MS = 60_000
const LOOK_EVERY_MS = 50
/** Somebody waits: rather begin anew. */
const IN_PAUSE: Patience = { tries: 1, timeoutMs: 4000 }

export type Stage = 'copying' | 'comparing' | 'leaving' | 'finishing'

export type Departing = {
  store: CommandStore
  dataDir: string
  keyring: Keyring
  org: Org
  url: string
  /** The address of the new server, to which clients are sent afterwards. */
  address: string
  key: string
  ca?: string | undefined
  actor: Actor
  signal?: AbortSignal
  onProgress?: (stage: Stage, rows: number) => void
}

export type Departed = { move: string; rows: number; changes: number; paused_ms: number; address: string }

/**
 * Moves an organisation to another server. Its rows are copied while it is used, then what has changed meanwhile, in rounds,
 * and compared; then nothing is sent any more, writes wait, and the last changes follow. Only then it is there and not here
 * any more. Whatever fails before leaves it here. Throws Problem.
 */
export async function moveOrg(given: Departing): Promise<Departed> {
  const { store, dataDir, org, onProgress = () => undefined } = given
  const release = lockMove(dataDir)
  const reader = openReader(store.db)
  const client = movesClient(given)
  const departures = departureStore(store)
  const move = randomUUID()
  const record = (action: string, detail: object = {}): void =>
    auditLog(store).record({
      org: null,
      actor: given.actor,
      action,
      record: org.public_id,
      detail: { move, ...detail },
    })
  let pausedAt = 0
  const departed = (copy: Copier): Departed => ({
    ...{ move, ...copy.counts(), address: given.address },
    paused_ms: Math.round(performance.now() - pausedAt),
  })
  let departure: Departure | undefined
  let copy: Copier | undefined
  try {
    await settleEarlier(given)
    const { id, public_id } = org
    const { audit } = await client.call<Begun>('begin', helloOf(given, move), { tries: 1 })
    if (!leavingOrg(store.db, id).continues(audit)) {
      await client.call('abort', { move }, { tries: 1 }).catch(() => undefined) // it is forgotten there some time
      throw otherLog()
    }
    const { url, address, key, ca = null } = given
    departures.begin({ org: id, public_id, id: move, url, address, key, ca }, () => record('org.move_begun', { url }))
    departure = departures.all().find((each) => each.id === move) as Departure
    copy = copier({ vault: store.vault, org: id, move, client, reader, onProgress })
    await copy.copyAll()
    await copy.untilShort()
    await copy.compare()
    await copy.untilShort()
    onProgress('leaving', copy.counts().rows)
    departures.leave(id)
    await drain(given, departures)
    await copy.untilShort()
    onProgress('finishing', copy.counts().rows)
    pausedAt = performance.now()
    copy.setPatience(IN_PAUSE)
    departures.pause(id, given.keyring.publicKeys)
    await copy.round()
    const end = { move, now: store.clock.now(), ...copy.prepared() }
    await client.call('prepare', end satisfies Prepare, IN_PAUSE)
    given.signal?.throwIfAborted()
    departures.ask(id)
    await client.call('commit', { move }, IN_PAUSE)
    departures.markMoved(id, given.address, () => record('org.moved', { address: given.address }))
    return departed(copy)
  } catch (error) {
    if (!departure) throw error
    const asked = departures.all().find((each) => each.id === move)
    if (!asked) throw error
    const outcome = await settle({ store, departure: asked, actor: given.actor, tries: 20 })
    if (outcome === 'moved' && copy) return departed(copy)
    throw outcome === 'unknown' ? inDoubt(given, error) : error
  } finally {
    client.close()
    reader.close()
    release()
  }
}

/** What an interrupted move of this folder left open. */
async function settleEarlier({ store, org, actor }: Departing): Promise<void> {
  for (const departure of departureStore(store).all()) {
    const outcome = await settle({ store, departure, actor, tries: 3 })
    if (outcome === 'unknown') throw stillInDoubt(departure)
    if (outcome === 'moved' && departure.org === org.id)
      throw conflict('moved', `An interrupted move had been completed: the organisation is at ${departure.address}.`)
  }
}

function helloOf({ store, org }: Departing, move: string): Hello {
  const { public_id, name, host } = org
  const schema = SCHEMAS.at(-1)?.hash as string
  return { move, public_id, name, host, schema, dealbox_version: version, now: store.clock.now() }
}

type Drained = Pick<Departing, 'dataDir' | 'signal'> & { org: Pick<Org, 'id'>; maxMs?: number }

/** Waits until what is being sent is done, so that its results move, too. Without a server nothing is. */
export async function drain(
  { dataDir, org, signal, maxMs = MAX_DRAIN_MS }: Drained,
  { sending }: Pick<ReturnType<typeof departureStore>, 'sending'>,
): Promise<void> {
  const until = performance.now() + maxMs
  while (isServed(dataDir) && sending(org.id) > 0) {
    if (performance.now() > until)
      throw conflict('still_sending', 'A mail or a webhook of the organisation is still being sent. Try again later.')
    signal?.throwIfAborted()
    await sleep(LOOK_EVERY_MS)
  }
}

const inDoubt = ({ org, url }: Departing, cause: unknown): Problem =>
  new Problem(
    502,
    'in_doubt',
    `${org.name} may be at ${url} already, which does not answer (${(cause as Error).message}). Its writes wait until it does: the server here keeps asking.`,
  )

const stillInDoubt = ({ url }: Departure): Problem =>
  new Problem(
    502,
    'in_doubt',
    `An interrupted move may have been completed at ${url}, which does not answer. Try again later.`,
  )
