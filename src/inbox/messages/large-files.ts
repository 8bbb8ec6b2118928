import type { Write } from '../../store/commit.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { type Content, contentStore } from './contents.ts'

/** Fewer bytes are written in one transaction with their message. */
const LARGE_BYTES = 1_048_576

/**
 * Writes large contents bit by bit, before the transaction of the message that has them: a group of writes with ten
 * files each would keep everyone waiting for two seconds.
 */
export function largeFiles(db: Database) {
  const { stage, unstage } = contentStore(db)

  /** Runs `take` once the contents are written; what it has not used is deleted. */
  async function ready<T>(write: Write, org: number, all: readonly Content[], take: () => Promise<T>): Promise<T> {
    const isLarge = all.reduce((sum, { size_bytes }) => sum + size_bytes, 0) > LARGE_BYTES
    if (!isLarge) return take()
    try {
      for (const content of all) await stage(write, org, content)
      return await take()
    } finally {
      // If this fails too, such as on a full disk, the next start deletes it.
      await write(() => void all.map((content) => unstage(org, content))).catch(() => undefined)
    }
  }

  return { ready }
}
