import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { caller, type Waits, writeEvenly } from './client.ts'

const WRITES_PER_S = 200
const QUIET_MS = 10_000

export type Backups = { megabytes: number; tookMs: number; writesPerS: number; quiet: Waits; busy: Waits }

type Server = { folder: string; url: string; token: string }

/** How long writes take at an even pace, first without a backup, then during one that the server makes in its thread. */
export async function backups(server: Server): Promise<Backups> {
  const call = caller(server)
  const folder = join(server.folder, 'backups')
  const names = () => (existsSync(folder) ? readdirSync(folder) : [])
  const made = () => names().find((name) => name.endsWith('.tar'))
  const quiet = (await writeEvenly(call, WRITES_PER_S, (elapsedMs) => elapsedMs > QUIET_MS)).waits
  // The server looks each minute whether the time has come.
  while (names().length === 0) await new Promise((wake) => setTimeout(wake, 50))
  const began = performance.now()
  const busy = (await writeEvenly(call, WRITES_PER_S, () => made() !== undefined)).waits
  const tookMs = performance.now() - began
  const megabytes = statSync(join(folder, made() as string)).size / 1_048_576
  return { megabytes, tookMs, writesPerS: WRITES_PER_S, quiet, busy }
}
