import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeArchive } from '../../../src/ops/backup/archive.ts'

/** The same backup as an older version made it, which did not look for keys. */
export function withoutKeys(file: string, target: string, isLost: (name: string) => boolean): void {
  const folder = mkdtempSync(join(dirname(target), 'unpacked-'))
  execFileSync('tar', ['xf', file, '-C', folder])
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  manifest.parts = manifest.parts.filter(({ name }: { name: string }) => !isLost(name))
  const bytes = Buffer.from(JSON.stringify(manifest))
  writeArchive(
    target,
    [
      { name: 'manifest.json', mode: 0o600, size: bytes.length, content: bytes },
      ...manifest.parts.map(({ name, mode, bytes }: { name: string; mode: number; bytes: number }) => ({
        ...{ name, mode, size: bytes, content: join(folder, name) },
      })),
    ],
    1,
  )
}
