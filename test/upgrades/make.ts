// Writes the database and the export of this version, for the tests of later ones: see README.md beside it.
//   node scripts/run.mjs test/upgrades/make.ts FOLDER
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { writeExport } from '../../src/exports/write.ts'
import { fill } from '../exports/export-fixture.ts'
import { startServer } from '../support/server.ts'

const folder = process.argv[2] ?? '.'
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
const temporary = mkdtempSync(join(tmpdir(), 'dealbox-upgrades-'))
const packed = (bytes: Buffer) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 22 } })

const server = await startServer()
await fill(server, server.a)
const exported = join(temporary, 'export')
writeExport(server.store, server.a.org, exported)
const copy = join(temporary, 'copy.db')
server.store.db.prepare('VACUUM INTO ?').run(copy)
writeFileSync(join(folder, `${version}.db.zst`), packed(readFileSync(copy)))
const files = globSync('*.{ndjson,json}', { cwd: exported }).toSorted()
const lines = files.map((name) => {
  const text = readFileSync(join(exported, name), 'utf8')
  const records = name.endsWith('.ndjson') ? text.split('\n').filter(Boolean) : [JSON.stringify(JSON.parse(text))]
  return `${JSON.stringify(basename(name))}: [\n${records.join(',\n')}\n]`
})
writeFileSync(join(folder, `${version}.export.json.zst`), packed(Buffer.from(`{\n${lines.join(',\n')}\n}\n`)))
await server.stop()
rmSync(temporary, { recursive: true })
