import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Every, everyMs } from '../../lib/every.ts'
import { Problem } from '../../lib/problem.ts'
import { SECOND_MS } from '../../lib/time.ts'
import { createPrivateFolder, readKeyFile, replaceKeyFile } from '../../store/folder/key-file.ts'
import { digestOf, smallFiles } from '../backup/contents.ts'
import type { Decryption, Encryption } from '../backup/encryption/secrets.ts'
import { SETTINGS } from '../backup/manifest.ts'
import { BUNDLE, packed, unpacked } from './bundle.ts'
import type { ReplicaStorage } from './replica/copy.ts'

const LOOK_EVERY_MS = 10 * SECOND_MS

type Options = { dataDir: string; copy: ReplicaStorage; encryption: Encryption; every?: Every }

/** Puts the keys and settings beside the copy, at the start and when one of them changes. */
export function copyFiles({ dataDir, copy, encryption, every = everyMs }: Options) {
  const ending = new AbortController()
  let last: string | undefined
  let problem: string | undefined
  let copying: Promise<void> | undefined

  async function look(): Promise<void> {
    try {
      const files = smallFiles(dataDir)
      const digest = digestOf(files)
      if (digest === last) return
      await copy.put(BUNDLE, await packed(dataDir, files, encryption), ending.signal)
      last = digest
      problem = undefined
    } catch (error) {
      if (ending.signal.aborted) return
      problem = `The keys and settings cannot be copied: ${error instanceof Problem ? error.message : String(error)}`
    }
  }

  function tick(): void {
    copying ??= look().finally(() => {
      copying = undefined
    })
  }

  const stop = every(LOOK_EVERY_MS, tick)
  tick()
  return {
    /** The fault that a person has to mend, as a sentence; undefined if there is none. */
    problem: (): string | undefined => problem,
    stop: async (): Promise<void> => {
      stop()
      ending.abort()
      await copying
    },
  }
}

export type Fetched = {
  /** The names of the files that were written. */
  written: string[]
  /** Settings that were left alone, since there are others. */
  left: string[]
}

/**
 * Writes the keys and settings beside a copy into a data folder. Settings that are there already stay: a standby has
 * addresses of its own. Rejects with Problem 404 if there are none beside the copy.
 */
export async function fetchFiles(dataDir: string, copy: ReplicaStorage, decryption: Decryption): Promise<Fetched> {
  const bundle = await copy.get(BUNDLE)
  if (!bundle)
    throw new Problem(
      404,
      'no_files',
      `There are no keys and settings beside the replica at ${copy.name}. Start the primary with --replica-encrypt, or copy its folder keys/ and dealbox.json by hand.`,
    )
  createPrivateFolder(dataDir)
  const files = await unpacked(dataDir, bundle, decryption)
  const fetched: Fetched = { written: [], left: [] }
  for (const { name, content } of files) {
    const list = name === SETTINGS ? putSettings(dataDir, content) : putKey(dataDir, name, content)
    if (list) fetched[list].push(name)
  }
  return fetched
}

function putKey(dataDir: string, name: string, content: Buffer): 'written' | undefined {
  const file = name.slice(name.indexOf('/') + 1)
  if (readKeyFile(dataDir, file)?.equals(content)) return undefined
  replaceKeyFile(dataDir, file, content)
  return 'written'
}

function putSettings(dataDir: string, content: Buffer): 'written' | 'left' {
  const path = join(dataDir, SETTINGS)
  if (existsSync(path)) return 'left'
  writeFileSync(path, content, { mode: 0o600, flag: 'wx', flush: true })
  return 'written'
}
