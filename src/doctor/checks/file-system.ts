import { existsSync, readFileSync, realpathSync, statfsSync } from 'node:fs'
import { type Finding, fail, pass, warn } from '../finding.ts'
import type { Patient } from '../patient.ts'

/** `type` as in the table of mounts; `source` is the device or the share. */
export type Mount = { point: string; type: string; source: string; options: readonly string[] }

/** SQLite needs locks and shared memory that these do not provide between computers, or lose. */
const NETWORK =
  /^(nfs|nfs4|cifs|smb|smb2|smb3|smbfs|ncpfs|9p|afs|ceph|lustre|glusterfs|gfs2|ocfs2|beegfs|davfs|coda|acfs|vboxsf|vmhgfs|prl_fs|fuse\.(sshfs|s3fs|rclone|glusterfs|davfs2?|curlftpfs|ceph|ceph-fuse|goofys|gcsfuse|mfs|juicefs|vmhgfs-fuse|smbnetfs|onedriver|google-drive-ocamlfuse))$/
const IN_MEMORY = /^(tmpfs|ramfs)$/
/** The writable layer of a container. */
const LAYERED = /^(overlay|aufs)$/

/** Where there is no table of mounts: the numbers of statfs on Linux. */
const BY_NUMBER: Record<number, string> = {
  26985: 'nfs',
  4283649346: 'cifs',
  4266872130: 'smb2',
  20859: 'smb',
  16914839: '9p',
  12805120: 'ceph',
  1397113167: 'afs',
  16914836: 'tmpfs',
}
const MOUNTS = '/proc/self/mountinfo'

export function fileSystem({ dataDir }: Patient): Finding {
  const mount = mountOf(dataDir)
  return mount ? judged(mount) : pass('The file system is not known here.')
}

export function judged({ type, source, point, options }: Mount): Finding {
  const named = `The data folder is on ${type}${source && source !== type ? ` (${source} at ${point})` : ''}`
  if (NETWORK.test(type))
    return fail(
      `${named}, a network file system: it can damage the database, and lose what was acknowledged.`,
      'Move the data folder to a local disk, and let backups go to the network with --backup-copy-to.',
    )
  if (options.includes('ro'))
    return fail(`${named}, which is mounted for reading only.`, 'Check the disk, and mount it for writing.')
  if (IN_MEMORY.test(type))
    return warn(`${named}, in memory: everything is lost when the machine stops.`, 'Move the data folder to a disk.')
  if (LAYERED.test(type))
    return warn(
      `${named}, the layer of a container: everything is lost when the container is replaced.`,
      'Mount a volume for the data folder.',
    )
  return pass(`${named}.`)
}

function mountOf(dataDir: string): Mount | undefined {
  if (!existsSync(dataDir)) return undefined
  if (existsSync(MOUNTS)) return containing(mountsIn(readFileSync(MOUNTS, 'utf8')), realpathSync(dataDir))
  const type = process.platform === 'linux' ? BY_NUMBER[statfsSync(dataDir).type] : undefined
  return type === undefined ? undefined : { type, point: '', source: '', options: [] }
}

/** The mounts in the text of /proc/self/mountinfo. */
export function mountsIn(text: string): Mount[] {
  return text
    .split('\n')
    .filter((line) => line.includes(' - '))
    .map((line) => {
      const [left = '', right = ''] = line.split(' - ', 2)
      const [, , , , point = '', own = ''] = left.split(' ')
      const [type = '', source = '', all = ''] = right.split(' ')
      return {
        point: unescaped(point),
        type,
        source: unescaped(source),
        options: [...own.split(','), ...all.split(',')],
      }
    })
}

/** Spaces and the like are written in octal. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8)))

/** The mount that a path is on: the last of those with the longest way to it. */
export function containing(mounts: readonly Mount[], path: string): Mount | undefined {
  const above = mounts.filter(({ point }) => path === point || path.startsWith(point === '/' ? '/' : `${point}/`))
  const longest = Math.max(...above.map(({ point }) => point.length))
  return above.findLast(({ point }) => point.length === longest)
}
