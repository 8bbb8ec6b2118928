import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { sqliteVersion } from '../../src/store/schema/memory.ts'

// What is in the executable, as esbuild, which puts it there, reports it.

const { bundle, executable, targets, threads, web } = await import('../../build.config.mjs' as string)

export type Component = {
  name: string
  version: string
  /** The SPDX expression that the package states. */
  license: string
  purl: string
  /** Its folder, or for what is no package, the file with its licence. */
  place: string
  /** Names of other packages that it needs. */
  needs: readonly string[]
  /** SHA-512 of the package, in hexadecimal. */
  sha512?: string
  website?: string
  type: 'library' | 'platform'
}

type Package = {
  name: string
  version: string
  license?: string
  homepage?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** Every third-party component of the executables, by name. */
export async function contents(root: string): Promise<Component[]> {
  const inputs = (await Promise.all(builds(root).map((options) => build({ ...options, absWorkingDir: root })))).flatMap(
    ({ metafile }) => inputsOf(root, metafile as Metafile),
  )
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages as Record<
    string,
    { integrity?: string }
  >
  const folders = new Set(inputs.map(packageOf))
  const packages = [...folders].map((folder) => componentOf(root, folder, lock[folder]?.integrity))
  // npm may have put the same version into several folders.
  const each = new Map([...packages, node(root), sqlite(root)].map((component) => [component.purl, component]))
  return [...each.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1))
}

const builds = (root: string) => [
  ...[bundle, ...threads, ...executable.slice(0, 1)].map((options) => ({ ...options, ...ANALYSIS })),
  {
    ...web.options,
    ...ANALYSIS,
    entryPoints: [web.script, web.worker, ...globSync('src/web/*/**/*.css', { cwd: root })],
    outdir: 'dist/analysis',
    define: { STREAM_WORKER_URL: '""', MORE_STYLES_URL: '""' },
  },
]
const ANALYSIS = { metafile: true, write: false, logLevel: 'error' } as const

/** The files of packages of which something comes out. A plugin replaces some by nothing, or by a line of our own. */
function inputsOf(root: string, { inputs, outputs }: Metafile): string[] {
  const used = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  )
  const files = Object.values(outputs)
    .flatMap(({ inputs: of }) => Object.keys(of))
    .filter((path) => /\.woff2$/.test(path))
  return [...used, ...files].filter((path) => {
    if (!path.includes('node_modules/')) return false
    const bytes = inputs[path]?.bytes ?? 0
    return path.endsWith('.json') || bytes === statSync(join(root, path)).size
  })
}

/** The folder of the package that a file belongs to: folders inside of it may have a package.json of their own. */
function packageOf(path: string): string {
  const [folder] = path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []
  if (folder === undefined) throw new Error(`${path} is in no package`)
  return folder
}

function componentOf(root: string, folder: string, integrity: string | undefined): Component {
  const given = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Package
  const { name, version, license = '', homepage, dependencies = {}, optionalDependencies = {} } = given
  return {
    ...{ name, version, license, place: join(root, folder), type: 'library' },
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    needs: Object.keys({ ...dependencies, ...optionalDependencies }),
    ...(integrity ? { sha512: sha512Of(integrity) } : {}),
    ...(homepage ? { website: homepage } : {}),
  }
}

/** Of an integrity in package-lock.json, which is in base64. */
export const sha512Of = (integrity: string): string =>
  Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')

/** Node itself, whose licence names all that is in it. All platforms have the same version. */
function node(root: string): Component {
  const names = Object.values<{ node: string }>(targets).map((target) => target.node)
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const versions = new Set(names.map((name) => packages[`node_modules/${name}`].version as string))
  const installed = names.find((name) => existsSync(join(root, 'node_modules', name, 'LICENSE')))
  if (versions.size !== 1 || !installed) throw new Error(`not one version of Node with its licence: ${[...versions]}`)
  const [version] = versions as unknown as [string]
  return {
    ...{ name: 'node', version, license: 'MIT', type: 'platform', needs: [], website: 'https://nodejs.org' },
    purl: `pkg:github/nodejs/node@v${version}`,
    place: join(root, 'node_modules', installed),
  }
}

/** SQLite is in the addon of better-sqlite3. */
function sqlite(root: string): Component {
  const version = sqliteVersion()
  return {
    ...{ name: 'sqlite', version, license: 'blessing', type: 'library', needs: [], website: 'https://sqlite.org' },
    purl: `pkg:generic/sqlite@${version}`,
    place: join(root, 'scripts/release/sqlite.txt'),
  }
}
