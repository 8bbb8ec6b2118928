import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { commands } from '../../src/cli/commands.ts'
import { opens } from '../../src/cli/open.ts'
import type { Command } from '../../src/command/command.ts'
import { run } from '../../src/command/run.ts'
import type { Environment } from '../../src/lib/machine/environment.ts'
import { MAIN } from '../support/program.ts'

export type Ended = { code: number | null; out: string; err: string }

/** Runs a command line in this process. */
export async function cli(
  argv: readonly string[],
  env: Environment = {},
  among: readonly Command[] = commands,
): Promise<Ended> {
  const ended: Ended = { code: 0, out: '', err: '' }
  const streams = {
    out: (text: string) => {
      ended.out += text
    },
    err: (text: string) => {
      ended.err += text
    },
  }
  ended.code = await run(among, argv, env, streams, opens)
  return ended
}

/** Runs a command line that has to succeed, with --json, and answers its document. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every shape
export async function cliJson(...argv: string[]): Promise<any> {
  const { code, out, err } = await cli([...argv, '--json'])
  if (code !== 0) throw new Error(err)
  return JSON.parse(out)
}

/** So that not every process reads the sources anew. */
const { NODE_COMPILE_CACHE } = process.env

/** Runs a command line in a process of its own, as a person would; one that does not end is ended after a minute. */
export function dealbox(argv: readonly string[], { env = {}, input = '', timeout = 60_000 } = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...argv], { env: { NODE_COMPILE_CACHE, ...env }, timeout })
    const ended: Ended = { code: null, out: '', err: '' }
    child.stdout.on('data', (bytes) => {
      ended.out += bytes
    })
    child.stderr.on('data', (bytes) => {
      ended.err += bytes
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ ...ended, code }))
    child.stdin.end(input)
  })
}

/** A temporary folder that is gone after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-cli-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
