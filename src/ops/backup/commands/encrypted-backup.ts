import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Values } from '../../../command/config/options.ts'
import { Problem } from '../../../lib/problem.ts'
import { decryptFile } from '../encryption/encryption.ts'
import { isEncrypted } from '../encryption/header.ts'
import { requireSpace } from '../space.ts'
import { workingFolder } from '../verify.ts'
import { openWorkspace } from '../workspace.ts'
import { type decryptionOptions, readDecryption } from './backup-places.ts'

/** Runs the job with a backup as it was made: an encrypted one is decrypted into a temporary folder, for as long. */
export async function withPlainBackup<T>(
  file: string,
  options: Values<typeof decryptionOptions>,
  job: (file: string) => T | Promise<T>,
): Promise<T> {
  const decryption = await readDecryption(options)
  const isFile = existsSync(file) && statSync(file).isFile()
  if (!isFile || !(await isEncrypted(file))) return await job(file)
  if (!decryption)
    throw new Problem(
      409,
      'backup_encrypted',
      `${file} is encrypted. Decrypt it with --backup-passphrase-file or --backup-identity-file.`,
    )
  const folder = workingFolder(file)
  requireSpace(folder, statSync(file).size, 'To decrypt the backup, Dealbox')
  const workspace = openWorkspace(folder)
  try {
    const plain = join(workspace.path, basename(file).replace(/\.age$/, ''))
    await decryptFile(file, plain, decryption)
    return await job(plain)
  } finally {
    workspace.close()
  }
}
