// Makes a release in dist/: the executables of all platforms, the list of what is in them, its licences, and SHA256SUMS.
//   npm run release
//   npm run release -- --twice     also builds it in two other folders, and compares
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareBuilds } from './release/compare.ts'
import { contents } from './release/contents.ts'
import { thirdPartyLicenses } from './release/licenses.ts'
import { sbom } from './release/sbom.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const { targets } = await import(join(root, 'build.config.mjs'))
/** Of an executable for Linux. */
const MAX_BYTES = 125_000_000

const OUTPUTS = Object.values<{ output: string }>(targets).map(({ output }) => output)
const RELEASED = [...OUTPUTS, 'sbom.cdx.json', 'THIRD-PARTY-LICENSES.txt']

const compiled = process.argv.indexOf('--compiled')
execFileSync(process.execPath, ['scripts/build-web.mjs'], { cwd: root, stdio: 'inherit' })
execFileSync(
  process.execPath,
  ['scripts/build.mjs', '--all', ...(compiled < 0 ? [] : process.argv.slice(compiled, compiled + 2))],
  { cwd: root, stdio: 'inherit' },
)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const all = await contents(root)
writeFileSync(join(dist, 'sbom.cdx.json'), sbom(version, commitTime(), all))
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicenses(all))
writeFileSync(
  join(dist, 'SHA256SUMS'),
  RELEASED.map((name) => `${hash('sha256', readFileSync(join(dist, name)))}  ${name}\n`).join(''),
)
for (const name of OUTPUTS.filter((each) => each.includes('linux'))) {
  const { size } = statSync(join(dist, name))
  if (size > MAX_BYTES) throw new Error(`${name} has ${size} bytes, more than ${MAX_BYTES}`)
}
process.stdout.write(`dist/SHA256SUMS  ${RELEASED.length} files, ${all.length} third-party components\n`)
if (process.argv.includes('--twice')) compareBuilds(root, RELEASED)

/** The time of the commit, so that building it again gives the same; SOURCE_DATE_EPOCH where there is no repository. */
function commitTime(): string {
  const given = process.env.SOURCE_DATE_EPOCH
  const seconds = given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' })
  return new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+Z$/, 'Z')
}
