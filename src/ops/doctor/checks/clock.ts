import { MAX_AHEAD_MS, timeOfId } from '../../../lib/id.ts'
import { HOUR_MS, MINUTE_MS, rfc3339 } from '../../../lib/time.ts'
import { newestId } from '../../../store/newest.ts'
import { EARLIEST_MS, HOLD_MS, jumpText, lostText, SET_BEFORE, seenTimes } from '../../../store/wall-clock.ts'
import { notedState } from '../../backup/state.ts'
import { type Finding, fail, pass, together, warn } from '../finding.ts'
import { depsOf, type Patient } from '../patient.ts'

/** Ids run ahead by a few milliseconds at most; a clock that is set by the network is off by less than this. */
const SMALL_MS = MINUTE_MS
const SET = 'Set the clock of this machine, and let it be set by the network (NTP).'

/** Whether the clock fits the times in the database. */
export function clock(patient: Patient): Finding {
  const now = patient.now()
  const { db } = depsOf(patient)
  const newest = newestId(db)
  const stored = seenTimes(db)
  const doubt = notedState(patient.dataDir).zone_doubt
  const found = judged({
    now,
    newest: newest === undefined ? undefined : timeOfId(newest),
    jump: stored?.jumped_to == null ? undefined : { from: stored.jumped_from as number, to: stored.jumped_to },
    seenAt: stored?.seen_at,
  })
  if (doubt === undefined) return found
  return together(
    [found, warn(`When the server started: ${doubt}`, 'Restart the server with another TZ.')],
    found.detail,
  )
}

type Times = {
  now: number
  /** Of the newest record. */
  newest: number | undefined
  /** When a server last looked at its clock. */
  seenAt: number | undefined
  jump: { from: number; to: number } | undefined
}

export function judged({ now, newest, seenAt, jump }: Times): Finding {
  const shows = `The clock shows ${rfc3339(now)}`
  if (now < EARLIEST_MS) return fail(lostText(now), SET)
  if (newest !== undefined && newest - now > MAX_AHEAD_MS)
    return fail(`${shows}, but the newest record is of ${rfc3339(newest)}: one of them is wrong.`, SET)
  if (seenAt !== undefined && seenAt - now > HOUR_MS)
    return warn(`${shows}, but the last server saw ${rfc3339(seenAt)}: one of them is wrong.`, SET)
  if (newest !== undefined && newest - now > SMALL_MS)
    return warn(`${shows}, but the newest record is of ${rfc3339(newest)}.`, SET)
  if (jump && Math.abs(now - jump.to) < HOLD_MS) return warn(`${shows}. ${jumpText(jump)}`, SET_BEFORE)
  return pass(`${shows}, which fits the times in the database.`)
}
