import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROWS = 300
/** Imports that stay at a time; older ones are undone. */
const KEPT = 3

type Options = { command: string[]; data: string; out: string; env: Record<string, string> }

/** What people do beside the server with commands: imports of CSV files, of which old ones are undone, and exports. */
export function chores({ command, data, out, env }: Options) {
  const imported: string[] = []
  const counts = { imports: 0, undone: 0, exports: 0, failed: 0 }
  const failures: string[] = []
  let busy: Promise<void> = Promise.resolve()

  async function dealbox(...argv: string[]): Promise<{ id: string }> {
    const [program = '', ...rest] = [...command, ...argv, '--data', data, '--json']
    return JSON.parse((await run(program, rest, { env: { ...process.env, ...env } })).stdout)
  }

  async function importRows(): Promise<void> {
    const file = join(out, 'contacts.csv')
    const n = ++counts.imports
    const rows = Array.from({ length: ROWS }, (_, row) => `Ina,Import ${n}-${row},import${n}-${row}@list.example`)
    writeFileSync(file, ['First Name,Last Name,Email', ...rows, ''].join('\n'))
    imported.push((await dealbox('import', 'contacts', file)).id)
    if (imported.length <= KEPT) return
    await dealbox('import', '--undo', imported.shift() as string)
    counts.undone++
  }

  async function exportAll(): Promise<void> {
    const folder = join(out, 'export')
    rmSync(folder, { recursive: true, force: true })
    await dealbox('export', folder)
    counts.exports++
    rmSync(folder, { recursive: true, force: true })
  }

  /** One after the other. A failure is counted. */
  function next(work: () => Promise<void>): void {
    busy = busy.then(work).catch((error: Error & { stderr?: string }) => {
      counts.failed++
      failures.push(error.stderr || error.message)
    })
  }

  return {
    import: () => next(importRows),
    export: () => next(exportAll),
    counts,
    /** What has failed since the last call. */
    failures: () => failures.splice(0),
    ended: () => busy,
  }
}
