import { flagOf, type Options } from '../../../command/config/options.ts'
import { Problem } from '../../../lib/problem.ts'
import type { Known } from '../known.ts'

// What a person has to say who starts or promotes a server that might not be the only one.

export const oldOff = {
  oldPrimaryIsOff: {
    type: 'boolean',
    once: true,
    help: 'for one start: this server goes on although another one may be the primary, which you have turned off for good',
  },
} as const satisfies Options

const OFF = flagOf('oldPrimaryIsOff')

/** What a start needs that served this folder before, in words. */
const before = ({ replica, option }: Known): string =>
  option === 'follow'
    ? `${flagOf('follow')}, as before, for ${replica}`
    : `${flagOf('replicated')} ${flagOf('replica')} for ${replica}, as before`

export const replicaMissing = (dataDir: string, known: Known): Problem =>
  new Problem(
    409,
    'replica_missing',
    `${dataDir} is of a primary with a replica, and a standby may have been promoted instead of it. Start it with ${before(known)}. If it shall have no replica any more and no other server goes on with its data, start it once with ${OFF}.`,
  )

export const replicaChanged = (dataDir: string, known: Known, given: string): Problem =>
  new Problem(
    409,
    'replica_changed',
    `${dataDir} is of a primary whose replica is at ${known.replica} and not at ${given}, and a standby may have been promoted there. Start it with ${before(known)}. If no other server goes on with its data, start it once with ${OFF}.`,
  )
