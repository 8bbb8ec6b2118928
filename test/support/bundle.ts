import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'

const root = join(import.meta.dirname, '../..')
const { bundle, threads } = await import(join(root, 'build.config.mjs'))

export type Bundled = { file: string; env: Record<string, string>; remove: () => void }

/** Flushed at once, since a killed process would not flush it; speeds up the next start. */
const footer = { js: "require('node:module').flushCompileCache()" }

/** Its native part is found relative to it. A thread that is started from its text would look in the current folder. */
const driver: Plugin = {
  name: 'driver',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^better-sqlite3$/ }, ({ path }) => ({
      path: join(root, 'node_modules', path),
      external: true,
    })),
}

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
  for (const name of ['src', 'dist/web']) symlinkSync(join(root, name), join(folder, name), 'junction')
  const file = join(folder, 'dist/bundle.cjs')
  const plugins = [driver, ...bundle.plugins]
  await build({ ...bundle, absWorkingDir: root, entryPoints: [entry], outfile: file, plugins, banner: {}, footer })
  // A thread that is started from its text has no folder of its own.
  const define = { ...bundle.define, 'import.meta.dirname': JSON.stringify(join(folder, 'dist')) }
  for (const thread of threads)
    await build({ ...thread, absWorkingDir: root, plugins, define, outfile: join(folder, thread.outfile) })
  const env = { NODE_COMPILE_CACHE: join(folder, 'compiled') }
  return { file, env, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
