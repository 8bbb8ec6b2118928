import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from './build-npm.mjs'

/**
 * The path of the Node binary for the executable of a platform: the one in node_modules or, since npm installs only the
 * host's, one downloaded to node_modules/.cache and verified against package-lock.json.
 */
export function baseNode(root, platform, packageName) {
  const file = join('bin', platform.startsWith('win32') ? 'node.exe' : 'node')
  const installed = join(root, 'node_modules', packageName, file)
  if (existsSync(installed)) return installed

  const { version, integrity } = lockedPackage(root, packageName)
  const cache = join(root, 'node_modules', '.cache', 'dealbox')
  const folder = join(cache, `${packageName}-${version}`)
  if (!existsSync(folder)) fetchPackage(`${packageName}@${version}`, integrity, cache, folder)
  return join(folder, file)
}

function lockedPackage(root, packageName) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return lock.packages[`node_modules/${packageName}`]
}

function fetchPackage(spec, integrity, cache, folder) {
  process.stdout.write(`Fetching ${spec} ...\n`)
  mkdirSync(cache, { recursive: true })
  const temporary = mkdtempSync(join(cache, 'fetch-'))
  try {
    const { status, stdout, output } = npm(['pack', spec, '--silent'], { cwd: temporary })
    if (status !== 0) throw new Error(`npm pack ${spec} failed:\n${output}`)
    const tarball = stdout.trim().split('\n').at(-1)
    const [algorithm, digest] = integrity.split(/-(.*)/s)
    const found = createHash(algorithm)
      .update(readFileSync(join(temporary, tarball)))
      .digest('base64')
    if (found !== digest) throw new Error(`${spec} is not what package-lock.json says: ${algorithm}-${found}`)
    execFileSync('tar', ['-xzf', tarball, 'package/bin'], { cwd: temporary })
    renameSync(join(temporary, 'package'), folder)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}
