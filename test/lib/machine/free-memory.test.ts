import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { freeMemory } from '../../../src/lib/machine/free-memory.ts'

const MIB = 1024 * 1024
const folder = mkdtempSync(join(tmpdir(), 'dealbox-memory-'))
after(() => rmSync(folder, { recursive: true }))
let count = 0

/** A machine with 8 GiB available and these further files. */
function machine(files: Record<string, string>): string {
  const root = join(folder, String(count++))
  const all = { 'proc/meminfo': 'MemTotal: 16000000 kB\nMemAvailable: 8388608 kB\nSwapFree: 1048576 kB\n', ...files }
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
  }
  return root
}

test('that of the machine counts, with free swap, where there is no limit', () => {
  assert.equal(freeMemory(machine({})), 9 * 1024 * MIB)
  const unlimited = { 'proc/self/cgroup': '0::/a\n', 'sys/fs/cgroup/a/memory.max': 'max\n' }
  assert.equal(freeMemory(machine(unlimited)), 9 * 1024 * MIB)
})

test('the least of a group and those above it counts, and what caches files is free', () => {
  const v2 = {
    'proc/self/cgroup': '0::/above/own\n',
    'sys/fs/cgroup/above/own/memory.max': `${400 * MIB}\n`,
    'sys/fs/cgroup/above/own/memory.current': `${300 * MIB}\n`,
    'sys/fs/cgroup/above/own/memory.stat': `anon 1\nfile ${150 * MIB}\nshmem ${20 * MIB}\n`,
  }
  assert.equal(freeMemory(machine(v2)), 230 * MIB)
  const above = {
    'sys/fs/cgroup/above/memory.max': `${320 * MIB}\n`,
    'sys/fs/cgroup/above/memory.current': `${310 * MIB}\n`,
  }
  assert.equal(freeMemory(machine({ ...v2, ...above })), 10 * MIB)
})

test('in a container of the older kind, whose path is that of the host', () => {
  const v1 = {
    'proc/self/cgroup': '5:cpu:/\n4:memory:/docker/1234\n0::/\n',
    'sys/fs/cgroup/memory/memory.limit_in_bytes': `${320 * MIB}\n`,
    'sys/fs/cgroup/memory/memory.usage_in_bytes': `${200 * MIB}\n`,
    'sys/fs/cgroup/memory/memory.stat': `cache 5\ntotal_cache ${50 * MIB}\n`,
  }
  assert.equal(freeMemory(machine(v1)), 170 * MIB)
})

test('something is known on every machine', () => {
  assert.ok(freeMemory() > 0)
  assert.ok(freeMemory(join(folder, 'nothing')) > 0)
})
