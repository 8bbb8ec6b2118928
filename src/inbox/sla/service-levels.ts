import type { Store } from '../../store/open.ts'
import type { Change } from '../../store/settings/changes.ts'
import { type HoursSettings, hoursSettings } from '../hours/settings.ts'
import { recountLater } from './recount.ts'
import { type SlaSettings, slaSettings } from './settings.ts'

type Given = { hours?: readonly HoursSettings[]; sla?: readonly SlaSettings[] }

/**
 * Applies hours, and the SLA policies that use them. Call `removeLeft`, which removes the hours that the document
 * leaves out, once everything that referred to them is written: one document can drop both. A job recalculates the
 * conversations afterwards. Call both in a transaction.
 */
export function applyServiceLevels(store: Pick<Store, 'db' | 'clock'>, org: number, { hours, sla }: Given) {
  const settings = hoursSettings(store)
  const written = hours ? settings.apply(org, hours) : { changes: [], left: [] }
  const left = new Set(written.left.map(({ key }) => key))
  const isKept = (key: string): boolean => !left.has(key)
  const changes = counted([...written.changes, ...(sla ? slaSettings(store).apply(org, sla, isKept) : [])])

  function counted(changes: Change[]): Change[] {
    if (changes.length > 0) recountLater(store, org)
    return changes
  }

  return { changes, isKept, removeLeft: () => counted(settings.remove(org, written.left)) }
}
