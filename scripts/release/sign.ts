import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

// The signature of a release, by ssh-keygen, which every Linux, macOS and Windows has: docs/decisions/072-publishing.md.

/** What the key signs for: a signature of something else by the same key does not count. */
export const NAMESPACE = 'dealbox-release'
export const SIGNER = 'releases@dealbox'
export const SIGNERS = 'deploy/release-signers'

const run = (argv: string[], input?: Buffer): string =>
  execFileSync('ssh-keygen', argv, { input, encoding: 'utf8', stdio: [input ? 'pipe' : 'inherit', 'pipe', 'inherit'] })

/**
 * Makes the key of a publisher, which ssh-keygen asks a passphrase for, and adds it to the list of those that count; older
 * keys stay in it, for older releases. `passphrase` is for tests.
 */
export function makeKey(file: string, signers: string, passphrase?: string): void {
  if (existsSync(file)) throw new Error(`${file} is there already`)
  const without = passphrase === undefined ? [] : ['-N', passphrase]
  run(['-q', '-t', 'ed25519', '-C', SIGNER, '-f', file, ...without])
  const [type, key] = readFileSync(`${file}.pub`, 'utf8').split(' ')
  const before = existsSync(signers) ? readFileSync(signers, 'utf8') : ''
  writeFileSync(signers, `${before}${SIGNER} namespaces="${NAMESPACE}" ${type} ${key}\n`)
}

/** Writes FILE.sig. Throws unless the key is in the list, so that what is published can be checked. */
export function sign(file: string, key: string, signers: string): void {
  rmSync(`${file}.sig`, { force: true })
  run(['-q', '-Y', 'sign', '-f', key, '-n', NAMESPACE, file])
  try {
    verify(file, signers)
  } catch {
    rmSync(`${file}.sig`, { force: true })
    throw new Error(`${key} is not in ${signers}, by which people check: nothing is signed`)
  }
}

/** Throws unless the file is signed by a key of the list. */
export function verify(file: string, signers: string): void {
  const argv = ['-Y', 'verify', '-f', signers, '-I', SIGNER, '-n', NAMESPACE, '-s', `${file}.sig`]
  run(argv, readFileSync(file))
}
