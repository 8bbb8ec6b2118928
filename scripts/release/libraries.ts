import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { DebianArch } from './deb.ts'
import type { Item } from './tar.ts'

// The libraries of the image: those of Debian that the executable is linked with, in exactly the versions of libraries.json.

const PACKAGES = ['libc6', 'gcc-12-base', 'libgcc-s1', 'libstdc++6', 'libatomic1'] as const
const LIST = join(import.meta.dirname, 'libraries.json')
/** What the executable and its addon are linked with, and what these libraries need. */
const WANTED =
  /\/(ld-linux-[\w-]+\.so\.\d|lib(c|m|resolv|gcc_s|atomic|stdc\+\+|dl|pthread|rt|nss_dns|nss_files)\.so\.[\d.]+)$/

export type Locked = { package: string; version: string; sha256: string }

export type Libraries = {
  /** Files of the image. */
  items: Item[]
  /** What each package says of itself, by its name, for scanners. */
  controls: Record<string, string>
}

export const lockedLibraries = (): Record<DebianArch, Locked[]> => JSON.parse(readFileSync(LIST, 'utf8'))

/** Takes the newest versions into libraries.json. */
export function lockLibraries(root: string): void {
  const list = Object.fromEntries(
    (['amd64', 'arm64'] as const).map((arch) => {
      const files = fetched(
        arch,
        PACKAGES.map((name) => `${name}:${arch}`),
      )
      return [arch, files.map((path) => keep(root, path))]
    }),
  )
  writeFileSync(LIST, `${JSON.stringify(list, null, 2)}\n`)
}

/** Rejects a package that is not the one of the list. */
export function libraries(root: string, arch: DebianArch): Libraries {
  const locked = lockedLibraries()[arch]
  const missing = locked.filter(({ sha256 }) => !existsSync(cached(root, sha256)))
  if (missing.length > 0)
    for (const path of fetched(
      arch,
      missing.map((each) => `${each.package}:${arch}=${each.version}`),
    ))
      keep(root, path)
  const items: Item[] = []
  const controls: Record<string, string> = {}
  for (const each of locked) {
    const path = cached(root, each.sha256)
    if (!existsSync(path))
      throw new Error(`Debian's ${each.package} ${each.version} (${arch}) is not the one of ${basename(LIST)}`)
    controls[each.package] = execFileSync('dpkg-deb', ['--field', path], { encoding: 'utf8' })
    items.push(...libraryItems(path))
  }
  return { items, controls }
}

const cached = (root: string, sha256: string): string =>
  join(root, 'node_modules/.cache/dealbox/libraries', `${sha256}.deb`)

function keep(root: string, path: string): Locked {
  const sha256 = hash('sha256', readFileSync(path))
  const to = cached(root, sha256)
  mkdirSync(join(to, '..'), { recursive: true })
  writeFileSync(`${to}.new`, readFileSync(path))
  renameSync(`${to}.new`, to)
  const field = (name: string) => execFileSync('dpkg-deb', ['--field', path, name], { encoding: 'utf8' }).trim()
  return { package: field('Package'), version: field('Version'), sha256 }
}

/** Asks apt as it is set up here, with lists of its own: the machine need not know the other architecture. */
function fetched(arch: DebianArch, names: string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-libraries-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const each of ['lists/partial', 'cache/archives/partial', 'out'])
    mkdirSync(join(folder, each), { recursive: true })
  writeFileSync(join(folder, 'status'), '')
  const set = {
    'Dir::State': folder,
    'Dir::State::Lists': join(folder, 'lists'),
    'Dir::State::status': join(folder, 'status'),
    'Dir::Cache': join(folder, 'cache'),
    'APT::Architecture': arch,
    'APT::Architectures': arch,
    'APT::Sandbox::User': 'root',
  }
  const options = Object.entries(set).flatMap(([name, value]) => ['--option', `${name}=${value}`])
  const apt = (...argv: string[]) =>
    execFileSync('apt-get', [...options, '--quiet=2', ...argv], {
      cwd: join(folder, 'out'),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  try {
    apt('update')
    apt('download', ...names)
  } catch (error) {
    throw new Error(
      `Debian has not these versions: ${names.join(' ')}. "npm run release -- --new-libraries" takes the newest into ${basename(LIST)}, to be committed.`,
      { cause: error },
    )
  }
  return readdirSync(join(folder, 'out')).map((name) => join(folder, 'out', name))
}

/** Debian's folders are below /usr, with links in their old places; see image.ts. */
function libraryItems(path: string): Item[] {
  const bytes = execFileSync('dpkg-deb', ['--fsys-tarfile', path], { maxBuffer: 2 ** 28 })
  return entriesOf(bytes).flatMap(({ path: name, ...rest }) => {
    const below = name.replace(/^\.\//, '').replace(/^lib/, 'usr/lib')
    if (rest.link === undefined && !rest.bytes) return []
    if (!WANTED.test(`/${below}`) && !/^usr\/share\/doc\/[^/]+\/copyright$/.test(below)) return []
    return [
      { path: below, ...rest, ...(rest.link === undefined ? {} : { link: rest.link.replace(/^\/lib/, '/usr/lib') }) },
    ]
  })
}

/** Of a tar file of dpkg, whose names are short. */
function entriesOf(bytes: Buffer): Item[] {
  const found: Item[] = []
  const text = (at: number, length: number) => bytes.toString('utf8', at, at + length).replace(/\0.*$/s, '')
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12), 8)
    const kind = text(at + 156, 1)
    const item = { path: text(at + 345, 155) + text(at, 100), mode: Number.parseInt(text(at + 100, 8), 8) & 0o777 }
    if (kind === '0' || kind === '') found.push({ ...item, bytes: bytes.subarray(at + 512, at + 512 + size) })
    if (kind === '2') found.push({ ...item, link: text(at + 157, 100) })
    at += 512 + Math.ceil(size / 512) * 512
  }
  return found
}
