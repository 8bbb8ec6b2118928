import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chart } from './chart.ts'
import { releaseCompose } from './compose.ts'
import { type DebianArch, debPackage } from './deb.ts'
import { image } from './image.ts'
import { libraries } from './libraries.ts'
import type { Release } from './package.ts'
import { type RpmArch, rpmPackage } from './rpm.ts'

/** By process.arch of Node. */
const ARCHS: Record<string, { deb: DebianArch; rpm: RpmArch }> = {
  x64: { deb: 'amd64', rpm: 'x86_64' },
  arm64: { deb: 'arm64', rpm: 'aarch64' },
}

type Options = {
  root: string
  /** Where they are written. */
  folder: string
  release: Release
  /** Paths by process.arch. */
  executables: Record<string, string>
  /** How hard zstd and gzip try. */
  levels: { zstd: number; gzip: number }
}

/** Packs executables for Linux for those who install them, and returns the names of the files. */
export function makePackages({ root, folder, release, executables, levels }: Options): string[] {
  const { version, seconds } = release
  const names: string[] = []
  const keep = (name: string, bytes: Buffer | string) => {
    writeFileSync(join(folder, name), bytes)
    names.push(name)
  }
  const parts = Object.entries(executables).map(([arch, path]) => {
    const { deb, rpm } = ARCHS[arch] as { deb: DebianArch; rpm: RpmArch }
    const executable = readFileSync(path)
    keep(`dealbox_${version}_${deb}.deb`, debPackage(deb, executable, release, levels.zstd))
    keep(`dealbox-${version}-1.${rpm}.rpm`, rpmPackage(rpm, executable, release, levels.zstd))
    return { arch: deb, executable, libraries: libraries(root, deb) }
  })
  keep(`dealbox-${version}-image.tar`, image(parts, release, levels.gzip))
  keep('compose.yaml', releaseCompose(readFileSync(join(root, 'compose.yaml'), 'utf8'), version))
  keep(`dealbox-${version}.tgz`, chart(root, version, seconds))
  return names
}
