import { type Mount, mountOf } from '../../../store/folder/mounts.ts'
import { type Finding, fail, pass, warn } from '../finding.ts'
import type { Patient } from '../patient.ts'

/** SQLite needs locks and shared memory that these do not provide between computers, or lose. */
const NETWORK =
  /^(nfs|nfs4|cifs|smb|smb2|smb3|smbfs|ncpfs|9p|afs|ceph|lustre|glusterfs|gfs2|ocfs2|beegfs|davfs|coda|acfs|vboxsf|vmhgfs|prl_fs|fuse\.(sshfs|s3fs|rclone|glusterfs|davfs2?|curlftpfs|ceph|ceph-fuse|goofys|gcsfuse|mfs|juicefs|vmhgfs-fuse|smbnetfs|onedriver|google-drive-ocamlfuse))$/
const IN_MEMORY = /^(tmpfs|ramfs)$/
/** The writable layer of a container. */
const LAYERED = /^(overlay|aufs)$/

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
