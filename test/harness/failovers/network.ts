import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A network of its own for a server and its Litestream: they reach the storage by a cable that can be cut. */
export type Network = {
  /** What a command line begins with, to run in there. */
  prefix: string[]
  /** Where the server listens. */
  host: string
  /** The port of the storage on 127.0.0.1 in there. */
  storagePort: number
  cut: () => void
  mend: () => void
  drop: () => void
}

const RELAY = join(import.meta.dirname, 'relay.mjs')

const ip = (...argv: string[]): void => void execFileSync('ip', argv, { stdio: ['ignore', 'ignore', 'pipe'] })

/** Whether this process may make namespaces, as root may. */
export function canSeparate(): boolean {
  const name = `dealbox-${process.pid}`
  if (spawnSync('ip', ['netns', 'add', name]).status !== 0) return false
  ip('netns', 'delete', name)
  return true
}

/** A namespace with two cables: one for clients, and one for the storage. */
export async function separateNetwork(number: number, storagePort: number): Promise<Network> {
  const name = `dealbox-${process.pid}-${number}`
  const relays: ChildProcess[] = []
  const [subnet, clients, storage] = [
    number % 250,
    `dbc${process.pid % 10_000}x${number}`,
    `dbs${process.pid % 10_000}x${number}`,
  ]
  const inside = (...argv: string[]) => ip('netns', 'exec', name, 'ip', ...argv)
  ip('netns', 'add', name)
  inside('link', 'set', 'lo', 'up')
  for (const [cable, at] of [
    [clients, `10.91.${subnet}`],
    [storage, `10.92.${subnet}`],
  ] as const) {
    ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', `${cable}i`, 'netns', name)
    ip('address', 'add', `${at}.1/24`, 'dev', cable)
    ip('link', 'set', cable, 'up')
    inside('address', 'add', `${at}.2/24`, 'dev', `${cable}i`)
    inside('link', 'set', `${cable}i`, 'up')
  }
  const outer = await relay([], `10.92.${subnet}.1`, '127.0.0.1', storagePort)
  const prefix = ['ip', 'netns', 'exec', name]
  const inner = await relay(prefix, '127.0.0.1', `10.92.${subnet}.1`, outer)

  async function relay(before: string[], listen: string, host: string, port: number): Promise<number> {
    const [program, ...argv] = [...before, process.execPath, RELAY, listen, host, String(port)]
    const child = spawn(program as string, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
    relays.push(child)
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    return Number(line.toString())
  }

  return {
    ...{ prefix, host: `10.91.${subnet}.2`, storagePort: inner },
    cut: () => ip('link', 'set', storage, 'down'),
    mend: () => ip('link', 'set', storage, 'up'),
    drop: () => {
      for (const child of relays) child.kill('SIGKILL')
      spawnSync('ip', ['netns', 'delete', name])
      for (const cable of [clients, storage]) spawnSync('ip', ['link', 'delete', cable])
    },
  }
}

/** The network of the machine, for failures of other kinds. */
export const commonNetwork = (storagePort: number): Network => ({
  ...{ prefix: [], host: '127.0.0.1', storagePort },
  ...{ cut: () => undefined, mend: () => undefined, drop: () => undefined },
})
