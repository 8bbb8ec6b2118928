import { contentOf, contentStore } from '../../inbox/messages/contents.ts'
import type { Write } from '../../store/commit.ts'
import type { Database } from '../../store/driver.ts'
import type { MailIn } from '../mail.ts'

/** Smaller mails are written in one transaction, as messages of the API are. */
const LARGE_BYTES = 4 * 1_048_576

/** Writes the files of large mails bit by bit, before the transaction that imports the mail. */
export function largeFiles(db: Database, write: Write) {
  const { stage, unstage } = contentStore(db)

  /** Runs `take` once the files are written; what it has not used is deleted. */
  async function ready(org: number, { files }: MailIn, take: () => Promise<void>): Promise<void> {
    const isLarge = files.reduce((sum, { bytes }) => sum + bytes.length, 0) > LARGE_BYTES
    const contents = isLarge ? files.map(({ bytes, sha256 }) => contentOf(bytes, sha256)) : []
    try {
      for (const content of contents) await stage(write, org, content)
      await take()
    } finally {
      // If this fails too, such as on a full disk, the next start deletes it.
      if (isLarge) await write(() => void contents.map((content) => unstage(org, content))).catch(() => undefined)
    }
  }

  return { ready }
}
