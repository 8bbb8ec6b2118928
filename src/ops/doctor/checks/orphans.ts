import { resourceDeps } from '../../../app/deps.ts'
import { deleteOldUploads, hasOldUploads } from '../../../http/body/uploads.ts'
import { deleteStagedContents } from '../../../inbox/messages/contents.ts'
import { sendingStore } from '../../../mail/sending.ts'
import type { CommandStore } from '../../../store/open.ts'
import { stagedOrgs } from '../../../store/orgs/staged.ts'
import { counted, type Finding, fail, together, warn } from '../finding.ts'
import {
  brokenContents,
  idleEnrollments,
  removeStrayDocs,
  removeUnusedContents,
  stagedContents,
  strayDocs,
  unsentMessages,
  unusedContents,
} from '../inspect/orphans.ts'
import { depsOf, howToRestore, type Patient } from '../patient.ts'

const FIX = 'Use "dealbox doctor --fix".'
const LOST = 'Its job was lost, so it was not sent. Write it again.'

/** What nothing refers to any more, and what nobody works on. */
export function orphans(patient: Patient): Finding {
  const { db } = depsOf(patient)
  const found = [
    ...(patient.isServed ? [] : leftBehind(patient)),
    ...when(unusedContents(db), 'file without a message', 'files without a message', (said) =>
      warn(`There is space taken by ${said}.`, FIX, {
        runOn: inTransaction(({ db }) => removeUnusedContents(db), 'unused file'),
      }),
    ),
    ...when(brokenContents(db), 'file', 'files', (said) =>
      fail(`The bytes of ${said} are not complete.`, howToRestore(patient)),
    ),
    ...when(
      patient.isSearchDamaged() ? 0 : strayDocs(db).length,
      'record that does not exist',
      'records that do not exist',
      (said) =>
        warn(`The search knows ${said}.`, FIX, {
          runOn: inTransaction(({ db }) => removeStrayDocs(db), 'entry of the search', 'entries of the search'),
        }),
    ),
    ...when(unsentMessages(db).length, 'message is', 'messages are', (said) =>
      fail(
        `${said} queued, and no job sends them.`,
        'Use "dealbox doctor --fix", which marks them as failed, so that people see them.',
        {
          runOn: failUnsent,
        },
      ),
    ),
    ...when(idleEnrollments(db), 'enrollment waits', 'enrollments wait', (said) =>
      fail(
        `${said} for a step that no job does.`,
        'Pause the sequence and make it active again, which schedules them.',
      ),
    ),
  ]
  return together(found, 'Nothing is left over, and nothing waits without a job.')
}

/** Only without a server: a running one uses them. */
function leftBehind({ dataDir, ...patient }: Patient): Finding[] {
  const { db } = depsOf({ dataDir, ...patient })
  const uploads = hasOldUploads(dataDir)
    ? [
        warn('There are files of uploads that were interrupted.', FIX, {
          isAlone: true,
          run: () => {
            deleteOldUploads(dataDir)
            return 'Deleted the files of interrupted uploads.'
          },
        }),
      ]
    : []
  return [
    ...uploads,
    ...when(stagedContents(db), 'file', 'files', (said) =>
      warn(`There is space taken by ${said} of an upload that was interrupted.`, FIX, {
        isAlone: true,
        runOn: inTransaction(
          ({ db }) => {
            const count = stagedContents(db)
            deleteStagedContents(db)
            return count
          },
          'file of an interrupted upload',
          'files of interrupted uploads',
        ),
      }),
    ),
    ...when(stagedOrgs(db).length, 'organisation', 'organisations', (said) =>
      warn(
        `There is space taken by ${said} of a restored export or a move that was interrupted.`,
        'Start the server, which erases it within some minutes.',
      ),
    ),
  ]
}

function when(count: number, one: string, many: string, finding: (said: string) => Finding): Finding[] {
  return count === 0 ? [] : [finding(counted(count, one, many))]
}

type OnStore = (store: CommandStore) => string | undefined

function inTransaction(job: (store: CommandStore) => number, one: string, many?: string): OnStore {
  return saying(job, (count) => `Deleted ${counted(count, one, many)}.`)
}

const failUnsent = saying(
  (store) => {
    const { failed } = sendingStore(resourceDeps(store))
    const all = unsentMessages(store.db)
    for (const { org, id } of all) failed(org, id, LOST, false)
    return all.length
  },
  (count) => `Marked ${counted(count, 'message')} without a job as failed.`,
)

function saying(job: (store: CommandStore) => number, say: (count: number) => string): OnStore {
  return (store) => {
    const count = store.transaction(() => job(store))
    return count === 0 ? undefined : say(count)
  }
}
