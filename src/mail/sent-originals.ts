import type { Deps } from '../deps.ts'
import { largeFiles } from '../inbox/messages/large-files.ts'
import { originalStore, packed } from '../inbox/messages/originals.ts'
import type { Log } from '../lib/log.ts'
import type { Write } from '../store/commit.ts'

/** Keeps the bytes of mails as they were handed to the mail server. */
export function sentOriginals({ deps, write, log }: { deps: Deps; write: Write; log?: Pick<Log, 'warn'> | undefined }) {
  const { areKept, add } = originalStore(deps)
  const files = largeFiles(deps.db)

  /** Call it once it is known that the mail was sent: whatever hinders this must not send it again. */
  return async function keep(org: number, id: string, source: Buffer): Promise<void> {
    if (!areKept(org)) return
    try {
      const original = await packed(source)
      await files.ready(write, org, [original.content], () => write(() => void add(org, id, original)))
    } catch (error) {
      log?.warn({ org, message: id, reason: (error as Error).message }, 'the original of a sent mail was not kept')
    }
  }
}
