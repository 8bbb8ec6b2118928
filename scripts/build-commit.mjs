import { spawnSync } from 'node:child_process'

/**
 * When the commit was made, in seconds since 1970, so that building it again gives the same bytes: SOURCE_DATE_EPOCH, else what
 * git says; undefined where there is neither.
 */
export function commitSeconds(root) {
  if (process.env.SOURCE_DATE_EPOCH) return process.env.SOURCE_DATE_EPOCH
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
