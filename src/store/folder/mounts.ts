import { existsSync, readFileSync, realpathSync, statfsSync } from 'node:fs'

/** `type` as in the table of mounts; `source` is the device or the share. */
export type Mount = { point: string; type: string; source: string; options: readonly string[] }

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

/** The mount that a file or folder is on; undefined where nobody can tell. */
export function mountOf(path: string): Mount | undefined {
  if (!existsSync(path)) return undefined
  if (existsSync(MOUNTS)) return containing(mountsIn(readFileSync(MOUNTS, 'utf8')), realpathSync(path))
  const type = process.platform === 'linux' ? BY_NUMBER[statfsSync(path).type] : undefined
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
