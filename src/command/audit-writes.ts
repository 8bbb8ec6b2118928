import type { Actor } from '../events/audit/entry.ts'
import { auditLog } from '../events/audit/log.ts'
import { Problem } from '../lib/problem.ts'
import type { CommandStore } from '../store/open.ts'
import { storageProblem } from '../store/sqlite/failures.ts'
import type { Answer, Audited, AuditedWrites } from './command.ts'
import { chosenOrg } from './store.ts'

// How commands with `audit` write, so that an entry of the audit log is in the transaction of what they did. A command
// that has --dry-run, and was given it, does nothing that needs an entry.

type Given = { org?: string | undefined; dryRun?: boolean }

/** The account of the machine that runs the command, by its number: the name is somebody's. */
export function accountActor(env = process.env): Actor {
  const uid = process.getuid?.()
  const by = /^\d{1,10}$/.test(env.SUDO_UID ?? '') ? ` by sudo of ${env.SUDO_UID}` : ''
  return { type: 'command', via: uid === undefined ? null : `account ${uid}${by}` }
}

/** `action` is what the command is called in the audit log; the organisation is that of --org, unless the answer has one. */
export function auditedWrites(action: string, options: Given): AuditedWrites {
  function record(store: CommandStore, name: string, audit: Audited = {}): void {
    const org = () => ('org' in options ? chosenOrg(store, options.org) : null)
    const known = audit?.org === undefined ? org() : audit.org
    auditLog(store).record({ ...audit, org: known, actor: accountActor(), action: name })
  }

  /** Runs the job and writes its entry in one transaction. */
  function write(store: CommandStore, job: () => Answer): Answer {
    return store.transaction(() => {
      const answer = job()
      if (!options.dryRun && answer.audit !== null) record(store, action, answer.audit)
      return answer
    })
  }

  /**
   * For jobs of many transactions: `ACTION.started` is in the first one that changes anything, and `ACTION.finished`, with
   * the result, follows the last one. What only reads, such as an export, also succeeds without it, with a note: it may be
   * there to save a damaged database.
   */
  async function writeInParts(
    store: CommandStore,
    job: (store: CommandStore) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    if (options.dryRun) return job(store)
    let isStarted = false

    function transaction<T>(part: () => T): T {
      if (isStarted || store.db.inTransaction) return store.transaction(part)
      let isNow = false
      const value = store.transaction(() => {
        const before = store.changes.byUs()
        const value = part()
        isNow = store.changes.byUs() !== before
        if (isNow) record(store, `${action}.started`)
        return value
      })
      isStarted = isNow
      return value
    }

    const answer = await job({ ...store, transaction })
    if (answer.audit === null) return answer
    try {
      store.transaction(() => record(store, `${action}.finished`, answer.audit))
    } catch (error) {
      const problem = storageProblem(error)
      if (!(problem instanceof Problem) || problem.status !== 503) throw error
      const note = `The audit log has no entry of this. ${problem.message}`
      return { ...answer, note: answer.note ? `${answer.note}\n${note}` : note }
    }
    return answer
  }

  return { write, writeInParts }
}
