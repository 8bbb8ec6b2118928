import type { Deps } from '../deps.ts'
import { MESSAGE_SEND } from '../inbox/mailboxes/waiting-mails.ts'
import { conflict } from '../lib/problem.ts'
import { sendingStore } from '../mail/sending.ts'
import { isLive } from '../sequences/enrollments/enrollment.ts'
import { ENROLLMENT_STEP, enrollmentWriter } from '../sequences/enrollments/enrollment-writer.ts'
import type { Remedy } from '../store/jobs/kinds.ts'

const DROPPED = 'It was dropped with "dealbox jobs drop", and was not sent.'
const ENDED =
  'Its enrollment has ended, so another try would do nothing. Enroll the contact again, and drop the job with "dealbox jobs drop".'
const NOT_FAILED = 'Its message is no longer there, or was sent. Drop the job with "dealbox jobs drop".'

/** Kinds without an entry need nothing: they run again, and have no consequences when dropped. */
export function remedies(deps: Deps): Record<string, Remedy> {
  const { waiting, failed, again } = sendingStore(deps)
  const { byId, end } = enrollmentWriter(deps)

  return {
    [MESSAGE_SEND]: {
      retry(org, id) {
        if (!waiting(org, id) && !again(org, id)) throw conflict('job_ended', NOT_FAILED)
      },
      drop: (org, id) => failed(org, id, DROPPED, false), // does nothing unless the message is queued
    },
    [ENROLLMENT_STEP]: {
      retry(org, id) {
        const enrollment = byId(org, id)
        if (!enrollment || !isLive(enrollment)) throw conflict('job_ended', ENDED)
      },
      drop(org, id) {
        const enrollment = byId(org, id)
        if (enrollment && isLive(enrollment)) end({ org, member: null }, enrollment, 'stopped', 'manual')
      },
    },
  }
}
