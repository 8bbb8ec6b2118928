import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getAssetKeys, getRawAsset, isSea } from 'node:sea'
import { zstdDecompressSync } from 'node:zlib'

// Both here and in the bundle (in dist/), the project root is one folder up.
const root = join(import.meta.dirname, '..')

/** A file embedded in the executable, by its path in the project; build.config.mjs lists them. Read-only. */
export function asset(path: string): Buffer {
  return isSea() ? Buffer.from(getRawAsset(path)) : readFileSync(join(root, path))
}

/** The same for a file that the executable keeps compressed, since a usual start does without it. */
export function packedAsset(path: string): Buffer {
  return isSea() ? zstdDecompressSync(asset(`${path}.zst`)) : asset(path)
}

export const version: string = JSON.parse(asset('package.json').toString()).version

/** A file with the time of the commit of which the executable is made, in seconds since 1970. */
const BUILT = 'built'

/** That time in epoch milliseconds; undefined for sources, and where the build did not know it. */
export const builtAt: number | undefined =
  isSea() && getAssetKeys().includes(BUILT) ? Number(asset(BUILT).toString()) * 1000 : undefined
