import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Makes a file that is either whole or absent, even after a power cut. `fill` makes a temporary file beside it and flushes
 * it to the disk; it is then renamed, and replaces a file of that name. If `fill` rejects, nothing is left.
 */
export async function wholeFile(file: string, fill: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}.part`)
  try {
    await fill(temporary)
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await flushFolder(dirname(file))
}

/** The temporary files of interrupted processes. */
export const isTemporary = (name: string): boolean => /^\..+\.[0-9a-f-]{36}\.part$/.test(name)

/** Flushes the names of the files of a folder to the disk. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return // has no way to do this
  try {
    const handle = await open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  } catch (error) {
    // Some file systems cannot sync folders, and some folders may be written but not read.
    if (!['EACCES', 'EINVAL', 'ENOTSUP'].includes(String((error as NodeJS.ErrnoException).code))) throw error
  }
}
