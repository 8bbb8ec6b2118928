import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '../..')
const { bundle, threads } = await import(join(root, 'build.config.mjs'))

export type Bundled = { file: string; env: Record<string, string>; remove: () => void }

/** Flushed at once, since a killed process would not flush it; speeds up the next start. */
const footer = { js: "require('node:module').flushCompileCache()" }

/** The program, where scripts/test.ts has bundled it for all tests. */
const made = process.env.TEST_PROGRAM

/**
 * Bundles an entry point with all its imports into one file, as for the executable: a process that runs it starts in
 * half the time, which matters for tests that kill and restart one many times. Also returns the environment variables
 * for that process.
 */
export async function bundled(entry: string): Promise<Bundled> {
  if (entry === 'src/main.ts' && made)
    return { file: made, env: { NODE_COMPILE_CACHE: join(dirname(made), '../compiled') }, remove: () => undefined }
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-bundle-'))
  mkdirSync(join(folder, 'dist'))
  for (const name of ['package.json', 'schema.sql']) copyFileSync(join(root, name), join(folder, name))
  for (const name of ['node_modules', 'src']) symlinkSync(join(root, name), join(folder, name), 'junction')
  symlinkSync(join(root, 'dist/web'), join(folder, 'dist/web'), 'junction')
  const file = join(folder, 'dist/bundle.cjs')
  const external = ['better-sqlite3'] // its native part is found relative to it
  await build({ ...bundle, absWorkingDir: root, entryPoints: [entry], outfile: file, external, banner: {}, footer })
  for (const thread of threads)
    await build({ ...thread, absWorkingDir: root, external, outfile: join(folder, thread.outfile) })
  const env = { NODE_COMPILE_CACHE: join(folder, 'compiled') }
  return { file, env, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
