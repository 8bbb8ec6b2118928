// Makes a release in dist/: the executables of all platforms, packages of them, the list of what is in them, its licences,
// SHA256SUMS and its signature. docs/developing/releasing.md says more.
//   npm run release -- --key FILE         with the publisher's key; or --unsigned
//   npm run release -- --key FILE --twice also builds it in two other folders, and compares
//   npm run release -- --new-key FILE     makes that key
//   npm run release -- --new-libraries    takes the newest libraries of Debian for the image
//   npm run release -- --try              only packs dist/dealbox, quickly, into dist/try, with a key for this once
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compareBuilds } from './release/compare.ts'
import { contents } from './release/contents.ts'
import { lockLibraries } from './release/libraries.ts'
import { thirdPartyLicenses } from './release/licenses.ts'
import { makePackages } from './release/packages.ts'
import { sbom } from './release/sbom.ts'
import { makeKey, SIGNERS, sign } from './release/sign.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const { targets } = await import(join(root, 'build.config.mjs'))
const { commitSeconds } = await import(join(root, 'scripts/build-commit.mjs'))
/** Of an executable for Linux. */
const MAX_BYTES = 125_000_000

const OUTPUTS = Object.values<{ output: string }>(targets).map(({ output }) => output)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const { values: asked } = parseArgs({
  options: {
    ...{ key: text, 'new-key': text, compiled: text },
    ...{ unsigned: flag, twice: flag, try: flag, 'new-libraries': flag },
  },
})
const key = asked.key ?? (process.env.DEALBOX_RELEASE_KEY || undefined)
const signers = join(root, SIGNERS)

async function release(): Promise<void> {
  if (key === undefined && !asked.unsigned) {
    process.stderr.write(
      'Which key signs? Name it with --key FILE; "npm run release -- --new-key FILE" makes one. Or use --unsigned.\n',
    )
    process.exit(2)
  }
  const compiled = asked.compiled === undefined ? [] : ['--compiled', asked.compiled]
  build('scripts/build-web.mjs')
  build('scripts/build.mjs', '--all', ...compiled)
  for (const name of OUTPUTS.filter((each) => each.includes('linux'))) {
    const { size } = statSync(join(dist, name))
    if (size > MAX_BYTES) throw new Error(`${name} has ${size} bytes, more than ${MAX_BYTES}`)
  }
  const seconds = secondsOfCommit()
  const all = await contents(root)
  const licences = thirdPartyLicenses(all)
  writeFileSync(join(dist, 'sbom.cdx.json'), sbom(version, timeText(seconds), all))
  writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licences)
  const executables = Object.fromEntries(
    ['x64', 'arm64'].map((arch) => [arch, join(dist, targets[`linux-${arch}`].output)]),
  )
  const packages = makePackages({
    ...{ root, folder: dist, executables, levels: { zstd: 12, gzip: 9 } },
    release: { version, seconds, licences },
  })
  const released = [...OUTPUTS, ...packages, 'sbom.cdx.json', 'THIRD-PARTY-LICENSES.txt']
  sum(dist, released)
  rmSync(join(dist, 'SHA256SUMS.sig'), { force: true })
  if (key !== undefined) sign(join(dist, 'SHA256SUMS'), key, signers)
  const how = key === undefined ? 'not signed' : 'signed'
  process.stdout.write(`dist/SHA256SUMS  ${released.length} files, ${all.length} third-party components, ${how}\n`)
  if (asked.twice) compareBuilds(root, released)
}

/** What .ci/packages installs and runs. */
async function packOnce(): Promise<void> {
  const folder = join(dist, 'try')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const names = makePackages({
    ...{ root, folder, executables: { [process.arch]: join(dist, 'dealbox') }, levels: { zstd: 1, gzip: 1 } },
    release: { version, seconds: secondsOfCommit(), licences: thirdPartyLicenses(await contents(root)) },
  })
  sum(folder, names)
  const [own, list] = [join(folder, 'key'), join(folder, 'release-signers')]
  makeKey(own, list, '')
  sign(join(folder, 'SHA256SUMS'), own, list)
}

const build = (...argv: string[]): Buffer => execFileSync(process.execPath, argv, { cwd: root, stdio: 'inherit' })

function sum(folder: string, names: readonly string[]): void {
  const lines = names.map((name) => `${hash('sha256', readFileSync(join(folder, name)))}  ${name}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
}

function secondsOfCommit(): number {
  const seconds = commitSeconds(root)
  if (seconds === undefined) throw new Error('There is no git here: set SOURCE_DATE_EPOCH to the time of the commit.')
  return Number(seconds)
}

const timeText = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z')

if (asked['new-key'] !== undefined) {
  makeKey(asked['new-key'], signers)
  process.stdout.write(`Keep ${asked['new-key']} in a safe place, and commit ${SIGNERS}.\n`)
} else if (asked['new-libraries']) lockLibraries(root)
else if (asked.try) await packOnce()
else await release()
