import { MINUTE_MS, rfc3339 } from '../../../lib/time.ts'
import { replicationRow } from '../../../store/replication.ts'
import { readReplicationState } from '../../replication/state.ts'
import { type Finding, fail, pass, warn } from '../finding.ts'
import { depsOf, type Patient } from '../patient.ts'

/** A server writes each minute how it stands with the replica. */
const SILENT_MS = 5 * MINUTE_MS
const HOW = '"journalctl -u dealbox-litestream" shows its log where it is a service; docs/replication.md says more.'

/** How it stands with the copy, as the server has found it: it knows where the copy is. */
export function replication(patient: Patient): Finding {
  const { is_replicated, epoch, beat_at } = replicationRow(depsOf(patient).db).read()
  if (!is_replicated) return pass('The database is not replicated.')
  const state = readReplicationState(patient.dataDir)
  const seen = state && Date.parse(state.seen_at)
  const last = beat_at === null ? 'There was no heartbeat yet' : `The last heartbeat is of ${rfc3339(beat_at)}`
  if (!patient.isServed)
    return pass(
      `No server runs. ${last}; this is primary ${epoch}. The replica may be newer: promote only one of both.`,
    )
  if (!state || seen === undefined || patient.now() - seen > SILENT_MS)
    return warn(`The server does not say how it stands with the replica. ${last}.`, 'Restart the server.')
  if (state.problem !== null) return fail(`${state.problem} (${state.seen_at})`, HOW)
  return pass(`The replica at ${state.copy} was ${state.lag_s} s old at ${state.seen_at}; this is primary ${epoch}.`)
}
