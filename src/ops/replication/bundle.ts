import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readArchive, writeArchive } from '../backup/archive.ts'
import type { SmallFile } from '../backup/contents.ts'
import { decryptFile, encryptFile } from '../backup/encryption/encryption.ts'
import type { Decryption, Encryption } from '../backup/encryption/secrets.ts'
import { isPartName } from '../backup/manifest.ts'
import { inWorkspaceOfServer } from '../backup/workspace.ts'

// The keys and settings of a data folder as one encrypted file, for the copy: a database without its keys opens no secret,
// and accepts no token.

export const BUNDLE = 'files.tar.age'

/** Rejects with a Problem, and leaves nothing behind. */
export const packed = (dataDir: string, files: readonly SmallFile[], encryption: Encryption): Promise<Buffer> =>
  inWorkspaceOfServer(dataDir, async (folder) => {
    const [plain, sealed] = [join(folder, 'files.tar'), join(folder, BUNDLE)]
    const parts = files.map((file) => ({ ...file, size: file.content.length }))
    writeArchive(plain, parts, 0)
    await encryptFile(plain, sealed, encryption)
    return readFileSync(sealed)
  })

/** Rejects with a Problem if it cannot be decrypted or has anything else than keys and settings. */
export const unpacked = (dataDir: string, bundle: Buffer, decryption: Decryption): Promise<SmallFile[]> =>
  inWorkspaceOfServer(dataDir, async (folder) => {
    const [plain, sealed] = [join(folder, 'files.tar'), join(folder, BUNDLE)]
    writeFileSync(sealed, bundle, { mode: 0o600 })
    await decryptFile(sealed, plain, decryption)
    const files: SmallFile[] = []
    readArchive(plain, ({ name, mode }) => {
      if (!isPartName(name)) throw new Error(`${BUNDLE} has a file that Dealbox did not put there.`)
      const chunks: Buffer[] = []
      return (bytes) => {
        if (bytes)
          chunks.push(Buffer.from(bytes)) // the reader uses its own again
        else files.push({ name, mode: mode & 0o777, content: Buffer.concat(chunks) })
      }
    })
    return files
  })
