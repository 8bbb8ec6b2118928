import { join } from 'node:path'
import { keyring } from '../../../auth/keys.ts'
import { keyFaultsOf } from '../../../auth/needed-keys.ts'
import {
  isSecret,
  orphanedKeyFiles,
  readKeyFile,
  removeKeyFile,
  removeStaleFiles,
  staleFiles,
  strangeFiles,
} from '../../../store/folder/key-file.ts'
import { openAllSealed } from '../../../store/folder/sealed.ts'
import { keyTrouble } from '../../monitoring/judges/folder.ts'
import { counted, type Finding, fail, some, together, warn } from '../finding.ts'
import { depsOf, howToRestore, type Patient } from '../patient.ts'

/** The key files: whether each that is needed is there and fits, and whether there are others. */
export function keys(patient: Patient): Finding {
  const { dataDir } = patient
  const { db, clock, vault } = depsOf(patient)
  const ring = keyring(dataDir, { db, clock, accessChanged: () => undefined })
  const all = ring.list()
  const active = all.filter(({ retired_at }) => retired_at === null)
  const trouble = keyTrouble(keyFaultsOf(db, dataDir))
  const { count, unreadable } = openAllSealed(db, vault)
  const findings: Finding[] = trouble ? [trouble] : []
  if (unreadable.length > 0)
    findings.push(
      fail(
        `${counted(unreadable.length, 'stored secret')} cannot be decrypted with keys/secrets.key: ${some(unreadable)}.`,
        `Restore keys/secrets.key from the backup that belongs to this database. ${howToRestore(patient)}`,
      ),
    )
  const cursor = readKeyFile(dataDir, 'cursor.key')
  if (cursor && !isSecret(cursor))
    findings.push(warn('keys/cursor.key is damaged.', 'Restart the server, which replaces it; lists begin again.'))
  findings.push(...leftovers(dataDir, all))
  return together(
    findings,
    `${counted(active.length, 'signing key')} and ${counted(count, 'stored secret')} can be used.`,
  )
}

function leftovers(dataDir: string, all: readonly { kid: string; retired_at: number | null }[]): Finding[] {
  const known = new Map(all.map(({ kid, retired_at }) => [`${kid}.pem`, retired_at]))
  const files = orphanedKeyFiles(
    dataDir,
    [...known].filter(([, at]) => at === null).map(([name]) => name),
  )
  const retired = files.filter((name) => known.has(name))
  const unknown = files.filter((name) => !known.has(name))
  const strange = strangeFiles(dataDir)
  const stale = staleFiles(dataDir)
  const found: Finding[] = []
  if (retired.length > 0)
    found.push(
      warn(`The files of retired keys are still there: ${some(retired)}.`, 'Use "dealbox doctor --fix".', {
        run: () => {
          for (const name of retired) removeKeyFile(dataDir, name)
          return `Deleted the files of retired keys: ${some(retired)}.`
        },
      }),
    )
  if (unknown.length > 0)
    found.push(
      warn(
        `The database does not know these key files: ${some(unknown)}.`,
        `They may belong to another database, such as a newer one than was restored. Move them away from ${join(dataDir, 'keys')} if you do not need them.`,
      ),
    )
  if (strange.length > 0)
    found.push(
      warn(
        `These files in keys/ are not of Dealbox, and no backup has them: ${some(strange)}.`,
        `Move them away from ${join(dataDir, 'keys')}: a copy of a key is as secret as the key.`,
      ),
    )
  if (stale.length > 0)
    found.push(
      warn('There are temporary files of an interrupted command in keys/.', 'Use "dealbox doctor --fix".', {
        run: () => {
          removeStaleFiles(dataDir)
          return `Deleted ${counted(stale.length, 'temporary file')} in keys/.`
        },
      }),
    )
  return found
}
