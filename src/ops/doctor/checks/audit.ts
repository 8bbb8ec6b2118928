import { auditLog } from '../../../events/audit/log.ts'
import { verifier } from '../../../events/audit/verify.ts'
import { counted, type Finding, fail, pass, some } from '../finding.ts'
import { depsOf, howToRestore, type Patient } from '../patient.ts'

/** Whether nobody has changed the audit log, as "dealbox audit --verify" says in more detail. */
export function audit(patient: Patient): Finding {
  const deps = depsOf(patient)
  const all = auditLog(deps).chains().map(verifier(deps))
  const faults = all.flatMap(({ org, fault }) => (fault === null ? [] : [`${org || 'installation'}: ${fault}`]))
  const entries = all.reduce((sum, each) => sum + each.entries, 0)
  if (faults.length === 0) return pass(`The audit log (${counted(entries, 'entry', 'entries')}) fits together.`)
  return fail(
    `The audit log was changed (${some(faults)}).`,
    `Find out who can write the file, and compare with a backup. ${howToRestore(patient)}`,
  )
}
