// Whether dist/web was built from the sources as they are now. It imports no packages: scripts/run.mjs asks before each
// start, so it only looks at names, sizes and times.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What the web files are made from, besides src/web and what it shares with the server. */
const OTHERS = ['build.config.mjs', 'package-lock.json', 'scripts/build-web.mjs']

/** A value that changes with the sources of the web files. */
export function webSources(root) {
  const files = ['src/web', 'src/lib'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .sort()
      .map((name) => join(root, folder, name)),
  )
  const lines = [...files, ...OTHERS.map((name) => join(root, name))].map((file) => {
    const { size, mtimeMs } = statSync(file)
    return `${file} ${size} ${mtimeMs}`
  })
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

/** The file that names the sources of the last complete build. */
export const stampOf = (root) => join(root, 'dist/web/.built-from')

export function isWebFresh(root) {
  try {
    return readFileSync(stampOf(root), 'utf8') === webSources(root)
  } catch {
    return false // never built, or a file vanished while it was looked at
  }
}
