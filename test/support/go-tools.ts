import { execFileSync, spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'

/** For the option `skip` of a test that needs a program which is written in Go. */
export const noGo = spawnSync('go', ['version']).status === 0 ? false : 'there is no Go on this machine'

const MODULE = join(import.meta.dirname, 'go')
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/dealbox/go')

/** The folder of a program of test/support/go/go.mod, or of a module in a folder below: one for each state of that file. */
const folderOf = (module: string): string =>
  join(CACHE, hash('sha256', readFileSync(join(module, 'go.mod'))).slice(0, 16))

export const isBuilt = (path: string, below = ''): boolean =>
  existsSync(join(folderOf(join(MODULE, below)), basename(path)))

/** Builds a program, unless it is built, and returns the folder it is in. */
export function goTool(path: string, below = ''): string {
  const module = join(MODULE, below)
  const folder = folderOf(module)
  const program = join(folder, basename(path))
  if (existsSync(program)) return folder
  mkdirSync(folder, { recursive: true })
  const temporary = `${program}.${process.pid}` // another test file may build the same one
  execFileSync('go', ['build', '-mod=readonly', '-ldflags', '-s -w', '-o', temporary, path], {
    cwd: module,
    env: { ...process.env, CGO_ENABLED: '0' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  renameSync(temporary, program)
  return folder
}
