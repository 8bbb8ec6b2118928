import { readFileSync } from 'node:fs'
import { freemem } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * How much memory this process can still have before the kernel ends it or another one, in bytes: of the machine, and of each
 * limit that it is under, such as that of a container or a service. What caches files counts as free, since it is given back.
 */
export function freeMemory(root = '/'): number {
  return Math.min(ofMachine(root), ...limitsOf(root))
}

function ofMachine(root: string): number {
  const text = textOf(join(root, 'proc/meminfo'))
  const kib = (name: string): number | undefined => numberAfter(text, new RegExp(`^${name}: +(\\d+) kB$`, 'm'))
  const available = kib('MemAvailable')
  return available === undefined ? freemem() : (available + (kib('SwapFree') ?? 0)) * 1024
}

/** Of both versions of control groups; each group is within those above it, as far as a container sees them. */
function limitsOf(root: string): number[] {
  const lines = textOf(join(root, 'proc/self/cgroup')).split('\n')
  return lines.flatMap((line) => {
    const [, id, controllers = '', path = '/'] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? []
    if (id === '0' && controllers === '') return groups(root, 'sys/fs/cgroup', path).flatMap(freeInV2)
    return controllers.split(',').includes('memory') ? groups(root, 'sys/fs/cgroup/memory', path).flatMap(freeInV1) : []
  })
}

function groups(root: string, mount: string, path: string): string[] {
  const all = [join(root, mount, path)]
  for (let above = path; above !== dirname(above); above = dirname(above)) all.push(join(root, mount, dirname(above)))
  return all
}

function freeInV2(group: string): number[] {
  return free(group, 'memory.max', 'memory.current', { file: 'file', shared: 'shmem' })
}

function freeInV1(group: string): number[] {
  const names = { file: 'total_cache', shared: 'total_shmem' }
  return free(group, 'memory.limit_in_bytes', 'memory.usage_in_bytes', names)
}

/** Nothing where there is no limit. */
function free(group: string, limitFile: string, usageFile: string, names: { file: string; shared: string }): number[] {
  const limit = numberAfter(textOf(join(group, limitFile)), /^(\d+)$/m)
  const usage = numberAfter(textOf(join(group, usageFile)), /^(\d+)$/m)
  if (limit === undefined || usage === undefined) return []
  const stat = textOf(join(group, 'memory.stat'))
  const of = (name: string): number => numberAfter(stat, new RegExp(`^${name} (\\d+)$`, 'm')) ?? 0
  return [Math.max(0, limit - usage + Math.max(0, of(names.file) - of(names.shared)))]
}

function numberAfter(text: string, pattern: RegExp): number | undefined {
  const [, found] = pattern.exec(text) ?? []
  return found === undefined ? undefined : Number(found)
}

/** Empty if there is no such file, as on other systems. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
