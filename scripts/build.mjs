// Builds the executable of this platform, dist/dealbox, with --all those of all platforms, or one with --platform linux-arm64.
//   --compiled FILE   with the compiled functions of an earlier build instead of new ones: then both are equal
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { chmodSync, copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, zstdCompressSync } from 'node:zlib'
import pkgLog from '@yao-pkg/pkg/lib-es5/log.js'
import pkgSea from '@yao-pkg/pkg/lib-es5/sea.js'
import { build } from 'esbuild'
import { assets, bundle, executable, packed, targets, threads } from '../build.config.mjs'
import { commitSeconds } from './build-commit.mjs'
import { baseNode } from './build-node.mjs'
import { dropAuthenticode, signMachO } from './build-sign.mjs'
import { compiledBy } from './build-warm-up.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const host = `${process.platform}-${process.arch}`
const given = process.argv.indexOf('--compiled')
const compiledBefore = given < 0 ? undefined : readFileSync(process.argv[given + 1])
/** Every start unpacks them: these levels are unpacked faster than 19, in 40 % of the time and more. */
const [SOURCE_LEVEL, CACHE_LEVEL] = [-10, 3]
const PREFIX = 'dealbox-build-'
const temporary = mkdtempSync(join(tmpdir(), PREFIX))
pkgLog.log.info = () => {}

try {
  for (const options of [bundle, ...threads, ...executable]) await build({ ...options, absWorkingDir: root })
  const only = process.argv.indexOf('--platform')
  if (only > 0) await buildExecutable(process.argv[only + 1], targets[process.argv[only + 1]].output)
  else if (process.argv.includes('--all')) await buildAll()
  else await buildExecutable(host, host.startsWith('win32') ? 'dealbox.exe' : 'dealbox')
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

async function buildAll() {
  for (const [platform, { output }] of Object.entries(targets)) await buildExecutable(platform, output)
}

async function buildExecutable(platform, name) {
  const [os, arch] = platform.split('-')
  const output = join(root, 'dist', name)
  const node = join(temporary, `node-${platform}`)
  copyFileSync(baseNode(root, platform, targets[platform].node), node)
  chmodSync(node, 0o755)
  const note = os === 'linux' ? strip(node) : ''

  const files = assetFiles(platform)
  const make = (main, to, more = {}) => pack(main, to, { os, arch, node, files: { ...files, ...more } })
  let compiled = {}
  if (platform === host) {
    // Compiled code cannot be used on another platform.
    const bytes = compiledBefore ?? (await compileFunctions(name, make))
    writeFileSync(join(root, 'dist/compiled'), bytes)
    compiled = { 'dealbox.cache.zst': compressed(bytes, 'dealbox.cache', CACHE_LEVEL) }
  }
  await make('executable', output, compiled)
  process.stdout.write(`dist/${name}  ${(statSync(output).size / 1e6).toFixed(1)} MB${note}\n`)
}

/** What V8 compiles until then depends on its timing, so that each time other bytes come out. */
async function compileFunctions(name, make) {
  const once = join(temporary, name)
  await make('build-compiled', once)
  return compiledBy(once, temporary)
}

/** Makes an executable that runs one of the main scripts. */
async function pack(main, output, { os, arch, node, files }) {
  rmSync(output, { force: true })
  copyFileSync(join(root, 'dist', `${main}.cjs`), join(temporary, 'main.cjs'))
  await pkgSea.default(join(root, 'dist', `${main}.cjs`), {
    targets: [{ platform: { darwin: 'macos', win32: 'win' }[os] ?? os, arch, nodeRange: 'node26', output }],
    nodePath: node,
    // The Node that runs this script writes the blob: it has the same version, and the target's may not run here.
    useLocalNode: true,
    seaConfig: {
      // Node writes the name of the main script into the blob: from the folder in which pkg makes it, a sibling of ours.
      main: join('..', basename(temporary), 'main.cjs'),
      useCodeCache: false, // executable.cjs does it
      assets: files,
      // SIGUSR1 would open Node's debugger, through which any account of the machine could read the memory and the keys.
      // By default V8 lets short-lived objects take 48 MB before it collects garbage; half of that costs no speed.
      execArgv: ['--disable-sigusr1', '--max-semi-space-size=8'],
      execArgvExtension: 'none', // NODE_OPTIONS
    },
    signature: false,
  })
  forgetFolder(output)
  if (os === 'darwin') signMachO(output, 'dealbox')
  if (os === 'win32') dropAuthenticode(output)
}

/** The same sources give the same executable: the name of the temporary folder in it is another one each time. */
function forgetFolder(output) {
  const name = Buffer.from(basename(temporary))
  const bytes = readFileSync(output)
  const at = bytes.indexOf(name)
  if (at < 0 || bytes.indexOf(name, at + 1) >= 0) throw new Error(`${output} does not name its main script once`)
  bytes.fill('x', at + PREFIX.length, at + name.length)
  writeFileSync(output, bytes)
}

function assetFiles(platform) {
  const files = globSync(assets, { cwd: root }).map((path) => [path.replaceAll(sep, '/'), join(root, path)])
  const addon = readFileSync(join(root, 'node_modules/better-sqlite3/prebuilds', `${platform}.node`))
  const seconds = commitSeconds(root)
  const others = packed.map((path) => [`${path}.zst`, compressed(readFileSync(join(root, path)), path)])
  return {
    ...Object.fromEntries([...files, ...others]),
    // A start compares the unpacked copy with the hash, and unpacks it only if there is none.
    'dealbox.cjs.zst': compressed(readFileSync(join(root, 'dist/dealbox.cjs')), 'dealbox.cjs', SOURCE_LEVEL),
    'better-sqlite3.node.zst': compressed(addon, `${platform}.node`),
    ...(seconds === undefined ? {} : { built: temporaryFile('built', seconds) }), // src/assets.ts reads it
    'better-sqlite3.sha256': temporaryFile(`${platform}.sha256`, hash('sha256', addon)),
  }
}

/** The path of a compressed copy: pkg takes assets from files. */
function compressed(bytes, name, level = 19) {
  const params = { [constants.ZSTD_c_compressionLevel]: level }
  return temporaryFile(`${name}.zst`, zstdCompressSync(bytes, { params }))
}

function temporaryFile(name, contents) {
  const path = join(temporary, basename(name))
  writeFileSync(path, contents)
  return path
}

/** Removes the symbols, a fifth of the file; returns a note if no tool is installed. */
function strip(file) {
  const isDone = ['strip', 'llvm-strip'].some((tool) => spawnSync(tool, [file]).status === 0)
  return isDone ? '' : '  (30 MB larger than need be: install llvm, whose llvm-strip can strip it)'
}
