import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '../..')
const { bundle, threads } = await import(join(root, 'build.config.mjs'))

export type Bundled = { file: string; env: Record<string, string>; remove: () => void }

/** At once, since a process that is killed would not do so; it makes the next start quicker. */
const footer = { js: "require('node:module').flushCompileCache()" }

/**
 * An entry point and all that it imports as one file, as it goes into the executable: a process that runs it starts in
 * half the time, which counts where one is killed and started again many times. The variables are for that process.
 */
export async function bundled(entry: string): Promise<Bundled> {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-bundle-'))
  mkdirSync(join(folder, 'dist'))
  for (const name of ['package.json', 'schema.sql']) copyFileSync(join(root, name), join(folder, name))
  for (const name of ['node_modules', 'src']) symlinkSync(join(root, name), join(folder, name), 'junction')
  const file = join(folder, 'dist/bundle.cjs')
  const external = ['better-sqlite3'] // its native part is found from beside it
  await build({ ...bundle, absWorkingDir: root, entryPoints: [entry], outfile: file, external, footer })
  for (const thread of threads) await build({ ...thread, absWorkingDir: root, outfile: join(folder, thread.outfile) })
  const env = { NODE_COMPILE_CACHE: join(folder, 'compiled') }
  return { file, env, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
