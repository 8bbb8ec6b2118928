import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { tar, withFolders } from './tar.ts'

/** The chart as "helm package" makes it, with the version of the release in it, and the same bytes each time. */
export function chart(root: string, version: string, seconds: number): Buffer {
  const folder = join(root, 'deploy/chart')
  const files = globSync('**/*', { cwd: folder }).filter((path) => statSync(join(folder, path)).isFile())
  const items = files.map((path) => {
    const text = readFileSync(join(folder, path), 'utf8')
    const bytes = Buffer.from(path === 'Chart.yaml' ? withVersion(text, version) : text)
    return { path: `dealbox/${path}`, bytes }
  })
  return gzipSync(tar(withFolders(items), seconds), { level: 9 })
}

function withVersion(text: string, version: string): string {
  const found = text
    .replace(/^version: .*$/m, `version: ${version}`)
    .replace(/^appVersion: .*$/m, `appVersion: '${version}'`)
  if (!found.includes(`\nversion: ${version}\n`)) throw new Error('Chart.yaml has another form')
  return found
}
