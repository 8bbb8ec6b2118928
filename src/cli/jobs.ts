import { resourceDeps } from '../app/deps.ts'
import { remedies } from '../app/remedies.ts'
import { type Answer, command, json, org } from '../command/command.ts'
import { chosenOrg } from '../command/store.ts'
import { aligned, oneLine } from '../command/text.ts'
import { UUID } from '../lib/id.ts'
import { conflict, Problem } from '../lib/problem.ts'
import { rfc3339 } from '../lib/time.ts'
import { bulkRemedies } from '../site/app/bulk/routes.ts'
import { handOverRemedies } from '../site/app/hand-over/routes.ts'
import { type JobRow, jobRows } from '../store/jobs/job-rows.ts'
import type { Store } from '../store/open.ts'
import { allOrgs } from '../store/orgs/orgs.ts'

// A running server notices what these commands write, and runs the jobs.

const MAX_LISTED = 100
const ofAll = { ...org, help: 'only jobs of this organisation' } as const

export const jobsList = command({
  name: 'jobs list',
  summary:
    'List up to 100 jobs of each organisation: those that were given up, then those that wait, with their errors',
  options: { givenUp: { type: 'boolean', help: 'only jobs whose last attempt has failed' }, org: ofAll, json },
  run: ({ options, open }) =>
    open((store) => {
      const only = options.org === undefined ? undefined : chosenOrg(store, options.org)
      const { list } = jobRows(store)
      const orgs = allOrgs(store.db).filter(({ id }) => only === undefined || id === only)
      const all = orgs.flatMap(({ id, public_id, name }) =>
        list(id, { givenUp: options.givenUp, limit: MAX_LISTED }).map((row) => ({
          org_id: public_id,
          org_name: name,
          ...shown(row),
        })),
      )
      const rows = all.map(({ id, org_name, kind, state, tries, due_at, last_error }) => [
        id,
        oneLine(org_name, 30),
        kind,
        state,
        String(tries),
        due_at,
        oneLine(last_error ?? '', 200),
      ])
      const head = ['ID', 'ORGANISATION', 'KIND', 'STATE', 'TRIES', 'DUE', 'LAST ERROR']
      const none = options.givenUp ? 'No job was given up.' : 'There are no jobs.'
      return { json: all, text: rows.length === 0 ? none : aligned([head, ...rows]) }
    }),
})

const shown = ({ org: _, due_at, failed_at, created_at, ...row }: JobRow) => ({
  ...row,
  due_at: rfc3339(due_at),
  failed_at: failed_at === null ? null : rfc3339(failed_at),
  created_at: rfc3339(created_at),
})

const id = 'id of the job, as shown by "dealbox jobs list"'

export const jobsRetry = command({
  name: 'jobs retry',
  summary: 'Run a job now that was given up, or that waits for its next attempt',
  args: { id },
  options: { json },
  audit: 'job.retried',
  run: ({ args, write, open }) =>
    open((store) =>
      write(store, () => {
        const job = notRunning(store, args.id)
        remedyOf(store, job)?.retry?.(job.org, job.key as string)
        jobRows(store).startAnew(job.org, job.id)
        const text = `A running server runs ${job.kind} ${job.id} now; without one, the next to start does.`
        return answerOf(job, text)
      }),
    ),
})

export const jobsDrop = command({
  name: 'jobs drop',
  summary: 'Drop a job that was given up; a mail that still waits is marked as failed, an enrollment is stopped',
  args: { id },
  options: { json },
  audit: 'job.dropped',
  run: ({ args, write, open }) =>
    open((store) =>
      write(store, () => {
        const job = notRunning(store, args.id)
        const remedy = remedyOf(store, job)
        if (job.state !== 'given up' && !remedy?.drop)
          throw conflict(
            'job_waiting',
            `The job runs by itself at ${rfc3339(job.due_at)}, and nothing else would do its work.`,
          )
        remedy?.drop?.(job.org, job.key as string)
        jobRows(store).remove(job.org, job.id)
        return answerOf(job, `Dropped ${job.kind} ${job.id}.`)
      }),
    ),
})

const answerOf = ({ org, id, kind }: JobRow, text: string): Answer => ({
  json: { id, kind },
  text,
  audit: { org, record: id, detail: { kind } },
})

/** Throws Problem 404, and 409 for one that a server is running. */
function notRunning(store: Store, id: string): JobRow {
  const given = id.toLowerCase()
  const found = UUID.test(given) ? jobRows(store).find(allOrgs(store.db), given) : undefined
  if (!found) throw new Problem(404, 'no_such_job', `There is no job ${id}. "dealbox jobs list" shows all jobs.`)
  if (found.state !== 'running') return found
  throw conflict('job_running', 'The job is running. Wait for its end; if no server runs, start one, which ends it.')
}

function remedyOf(store: Store, { kind }: JobRow) {
  const deps = resourceDeps(store)
  return { ...remedies(deps), ...bulkRemedies(deps), ...handOverRemedies(deps) }[kind]
}
