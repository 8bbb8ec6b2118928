import { mailboxStore } from '../../../inbox/mailboxes/mailboxes.ts'
import { HOUR_MS, rfc3339 } from '../../../lib/time.ts'
import { jobRows } from '../../../store/jobs/job-rows.ts'
import { FAILED_OFTEN, failingRecurring } from '../../../store/jobs/recurring.ts'
import type { ListQuery } from '../../../store/list/query.ts'
import { allOrgs } from '../../../store/orgs/orgs.ts'
import { columns, webhookStore } from '../../../webhooks/webhooks.ts'
import { isSendingPaused } from '../../backup/sending.ts'
import { SENDING_PAUSED } from '../../monitoring/judges/folder.ts'
import { counted, type Finding, fail, pass, some, together, warn } from '../finding.ts'
import { depsOf, type Patient } from '../patient.ts'

/** A running server begins a job within a minute, unless so many are due that something is wrong. */
const LATE_MS = HOUR_MS

export const sending = ({ dataDir }: Patient): Finding =>
  isSendingPaused(dataDir) ? SENDING_PAUSED : pass('Mails, sequences and webhooks are sent.')

export function jobs(patient: Patient): Finding {
  const deps = depsOf(patient)
  const isWorking = patient.isServed && !isSendingPaused(patient.dataDir)
  const { givenUp, oldestDue } = jobRows(deps)
  const found = allOrgs(deps.db).flatMap(({ id, name }): Finding[] => {
    const kinds = givenUp(id)
    const count = kinds.reduce((sum, each) => sum + each.count, 0)
    const dueAt = oldestDue(id)
    const isLate = isWorking && dueAt !== undefined && patient.now() - dueAt > LATE_MS
    return [
      ...(count === 0
        ? []
        : [
            warn(
              `${counted(count, 'job')} of ${name} ${count === 1 ? 'was' : 'were'} given up (${some(kinds.map(({ kind, count }) => `${count} ${kind}`))}).`,
              'See the reasons with "dealbox jobs list --given-up"; then use "dealbox jobs retry ID" or "dealbox jobs drop ID".',
            ),
          ]),
      ...(isLate
        ? [
            fail(
              `A job of ${name} has been due since ${rfc3339(dueAt)}, and the running server has not begun it.`,
              'Look into the log of the server, and restart it.',
            ),
          ]
        : []),
    ]
  })
  return together(found, 'No job was given up.')
}

export function recurring(patient: Patient): Finding {
  const failing = failingRecurring(depsOf(patient).db)
  const said = failing.map(({ name, error, failures }) => {
    const often = failures >= FAILED_OFTEN ? `, ${failures} times in a row` : ''
    return `"${name}" (${error.replace(/\.$/, '')}${often})`
  })
  if (said.length === 0) return pass('The recurring work of the server succeeds.')
  return warn(`Recurring work of the server failed: ${some(said)}.`, 'Look into the log of the server for the reason.')
}

/** Finds mailboxes that do not work, with the error that "dealbox mailbox list" shows of each. */
export function mailboxes(patient: Patient): Finding {
  const store = mailboxStore(depsOf(patient))
  const active = store.active()
  const bad = patient.isServed ? ['failing', 'not_connected', 'stale'] : ['failing', 'not_connected']
  const found = active.flatMap(({ org, mailbox }) => {
    const { sending, receiving } = store.health(org, mailbox)
    const sides = Object.entries({ sending, receiving }).filter(([, { status }]) => bad.includes(status))
    const { missing } = store.state(org, mailbox.id)
    return [
      ...sides.map(([side, { status, text }]) =>
        warn(
          `The mailbox "${mailbox.key}": ${side} ${text}.`,
          status === 'not_connected'
            ? `Use "dealbox mailbox connect ${mailbox.key}".`
            : `See more with "dealbox mailbox test ${mailbox.key}".`,
        ),
      ),
      ...(missing === 0
        ? []
        : [
            warn(
              `The mailbox "${mailbox.key}": its server left out the content of ${counted(missing, 'mail')}.`,
              'See which with "dealbox mailbox errors", and read them with another mail program.',
            ),
          ]),
    ]
  })
  return together(
    found,
    active.length === 0 ? 'There are no mailboxes.' : `${counted(active.length, 'mailbox works', 'mailboxes work')}.`,
  )
}

const NEWEST: ListQuery = { limit: 100, sort: { column: 'id' }, descending: true, conditions: [], count: false }

export function webhooks(patient: Patient): Finding {
  const deps = depsOf(patient)
  const { list } = webhookStore(deps)
  const all = allOrgs(deps.db).flatMap(({ id }) => list(id, NEWEST).rows.map(columns.present)) // at most 50 of each
  const found = all.flatMap(({ id, url, status, disabled_reason, last_success_at, last_failure_at }) => {
    const { host } = new URL(url) // paths of webhooks are often secret
    if (status === 'disabled')
      return [
        warn(
          `The webhook ${id} to ${host} was disabled: ${disabled_reason ?? 'it failed for too long'}.`,
          'When its receiver works again, set its status to active.',
        ),
      ]
    if (status !== 'active' || last_failure_at === null || last_failure_at < (last_success_at ?? '')) return []
    return [
      warn(
        `The last attempt of the webhook ${id} to ${host} failed at ${last_failure_at}.`,
        `See why with "dealbox webhooks deliveries ${id}".`,
      ),
    ]
  })
  return together(
    found,
    all.length === 0 ? 'There are no webhooks.' : `${counted(all.length, 'webhook works', 'webhooks work')}.`,
  )
}
