import { Problem } from '../../lib/problem.ts'
import type { Holder } from './holder.ts'
import { KNOWN } from './known.ts'

export const NOT_CONFIRMED =
  'the replica was not reached for two seconds, so another server may have been promoted: nothing is written until it can be'
export const NOT_REACHED =
  'the replica cannot be reached: no standby has registered there, so writes go on, and only this machine has them'
export const REACHED = 'the replica can be reached again'

export const DISPLACED =
  'another server was started from a copy of this data folder and was at work until now: what it has written since then is in its folder alone'

export const lost = (name: string): Problem =>
  new Problem(
    502,
    'copy_lost',
    `${name} does not know this primary any more. If it is on a share, mount the share. If its files were deleted on purpose, stop this server, delete ${KNOWN} in its data folder, and start it again.`,
  )

/** Two installations in one place would write over each other. */
export const ofOther = (name: string, host: string): Problem =>
  new Problem(
    502,
    'copy_of_other',
    `${name} has the replica of another installation, on ${host}. Name a folder or prefix of its own with --replica, here and for Litestream.`,
  )

/** For a start. */
export const ofCopy = (dataDir: string, { host, at }: Holder): Problem =>
  new Problem(
    409,
    'another_server',
    `${dataDir} is not served: another server than this folder's last one is the primary at its replica, started on ${host} at ${at}, such as from a copy of the folder. Only one of both may go on. If this is the one, stop the other one and its Litestream for good, and start this one once with --old-primary-is-off.`,
  )
