import { applySettings, showSettings } from '../../app/settings/document.ts'
import { jobQueue } from '../../store/jobs/jobs.ts'
import type { CommandStore } from '../../store/open.ts'
import { officeHours, policies } from '../story/sla.ts'
import type { Holiday } from '../story/steps.ts'

/**
 * Creates the office hours with their holidays, and the SLA policies that use them. Existing settings stay unchanged.
 */
export function setService(
  store: CommandStore,
  clock: CommandStore['clock'],
  org: number,
  { holidays, keyTag }: { holidays: Holiday[]; keyTag: string },
): void {
  const story = { ...store, clock }
  const { org: own, hours, sla } = showSettings(store, org)
  const office = hours.find(({ key }) => key === OFFICE)
  if (hours.length === 0) {
    applySettings(story, org, { hours: [{ ...officeHours(own.timezone), exceptions: holidays }] })
  } else if (office && (office.exceptions ?? []).length === 0) {
    // The hours of a new organisation were created today, so they change today, not in the story's past.
    applySettings(store, org, {
      hours: hours.map((each) => (each === office ? { ...each, exceptions: holidays } : each)),
    })
  }
  const counting = hours.find(({ is_default }) => is_default) ?? hours[0]
  if (sla.length === 0) applySettings(story, org, { sla: policies(counting?.key ?? OFFICE, keyTag) })
  // There are no conversations yet whose SLA clocks would need a recount.
  jobQueue(story).cancel(org, 'sla.recount', 'org')
}

const OFFICE = 'office'
