import { lastBackup } from '../../backup/state.ts'
import { copyTrouble } from '../../monitoring/judges/copies.ts'
import { counted, type Finding, pass, together } from '../finding.ts'
import type { Patient } from '../patient.ts'

/** How the copies of backups stand at other places, as far as this data folder knows. */
export function copies({ dataDir, now }: Patient): Finding {
  const { copies = [] } = lastBackup(dataDir)
  if (copies.length === 0)
    return pass('No backup was copied to another place: --backup-copy-to and --backup-s3 of "dealbox serve" do that.')
  const found = copies.flatMap((copy) => copyTrouble(copy, now()) ?? [])
  return together(found, `${counted(copies.length, 'place has', 'places have')} a copy of the newest backup.`)
}
