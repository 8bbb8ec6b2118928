import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const { commitSeconds } = await import(join(import.meta.dirname, '../build-commit.mjs'))

/**
 * Builds the release again in two folders whose paths have other lengths, and compares each file with the first one. The
 * compiled functions of this platform's executable are those of the first build: V8 compiles them while a server runs, and
 * other bytes come out each time. They are checked by V8 against the bundle, which is compared here.
 */
export function compareBuilds(root: string, names: readonly string[]): void {
  const different: string[] = []
  for (const prefix of ['dealbox-a-', 'dealbox-a-second-build-']) {
    const folder = mkdtempSync(join(tmpdir(), prefix))
    try {
      copySources(root, folder)
      const argv = ['scripts/release.ts', '--unsigned', '--compiled', join(root, 'dist/compiled')]
      const env = { ...process.env, SOURCE_DATE_EPOCH: String(commitSeconds(root)), DEALBOX_RELEASE_KEY: '' }
      execFileSync(process.execPath, argv, { cwd: folder, stdio: 'inherit', env })
      for (const name of [...names, 'dealbox.cjs', 'SHA256SUMS']) {
        const [first, second] = [root, folder].map((each) => readFileSync(join(each, 'dist', name)))
        if (!(first as Buffer).equals(second as Buffer)) different.push(`${name} in ${prefix}`)
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  if (different.length > 0) throw new Error(`not built equally: ${different.join(', ')}`)
  process.stdout.write(`${names.length} files are equal in three folders\n`)
}

/** What the repository has, and the packages as hard links, so that paths below the folder are the same. */
function copySources(root: string, folder: string): void {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    copyFileSync(join(root, file), join(folder, file))
  }
  try {
    execFileSync('cp', ['-al', join(root, 'node_modules'), folder], { stdio: 'ignore' })
  } catch {
    rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
    execFileSync('cp', ['-a', join(root, 'node_modules'), folder]) // another file system
  }
}
