// Puts the libraries of an architecture into a folder, with which an emulator runs its executable:
//   node scripts/release/sysroot.ts arm64 FOLDER
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DebianArch } from './deb.ts'
import { libraries } from './libraries.ts'

const [arch, folder] = process.argv.slice(2) as [DebianArch, string]
for (const { path, bytes, link = '', mode } of libraries(join(import.meta.dirname, '../..'), arch).items) {
  const at = join(folder, path)
  mkdirSync(dirname(at), { recursive: true })
  if (bytes) writeFileSync(at, bytes, { mode })
  else symlinkSync(link, at)
}
for (const name of ['lib', 'lib64']) symlinkSync(`usr/${name}`, join(folder, name))
