import { createHash } from 'node:crypto'
import { memberSettings } from '../../crm/members/settings.ts'
import { type Deps, once } from '../../deps.ts'
import { isRepeated, type Need, type Route } from '../../http/route.ts'
import type { Message } from '../../inbox/messages/message.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import type { Json } from '../../lib/json.ts'
import { same } from '../../lib/merge.ts'
import { conflict, field, invalid, Problem } from '../../lib/problem.ts'
import { rfc3339 } from '../../lib/time.ts'
import { checkDraftKey, type Draft, draftStore, NEW_MAIL } from '../../personal/drafts.ts'
import { noticeQueue } from '../../personal/notices.ts'
import { jobQueue } from '../../store/jobs/jobs.ts'
import type { RunKind } from '../../store/jobs/kinds.ts'
import type { Store } from '../../store/open.ts'
import { Sent, sentMessages } from './messages.ts'

// A new mail that was sent can be taken back for a while. Until it leaves it is the draft that it was, with a time: no
// conversation is begun, which could not be taken back unseen.

const NEW_MAIL_LEAVES = 'mail.leaves'
/** How long a new mail can be taken back. */
const UNDO_MS = 10_000

const Departure = f.object({ id: f.line(200), send_at: f.recordFields.created_at })

type Leaving = { member: string; id: string; message: Sent }

const keyOf = (member: string, id: string): string => `${member} ${id}`
const draftOf = (id: string): string => NEW_MAIL + id
const notHeld = (): Problem => conflict('not_held', 'This mail is not held any more.')

export const newMailRoutes = ({ deps, store }: { deps: Deps; store: Pick<Store, 'savepoint'> }): Route<Need>[] => {
  const { clock } = deps
  const jobs = jobQueue(deps)
  const { send } = sentMessages(deps)
  const drafts = draftStore(deps)
  /** Its screens show that it leaves, or that it does not, also after a lost answer. */
  function mark(who: Caller, id: string, leaves: string | null): void {
    drafts.put(who, draftOf(id), { ...drafts.bodyOf(who, draftOf(id)), leaves, failed: null })
  }
  /**
   * Who has lost the answer asks again, perhaps when it has left: then there is no draft of it, or one that goes on from it.
   * Throws 409.
   */
  function checkIsHere(who: Caller, id: string, message: Sent): void {
    const body = drafts.bodyOf(who, draftOf(id))
    if (!body || body.left === printOf(message))
      throw conflict('has_left', 'There is no draft of this mail: it has left already, or was never kept.')
  }
  const common = { kind: 'write', role: 'member', name: 'new mail', path: '/new-mails/:id/departure' } as const
  return [
    {
      ...common,
      method: 'put',
      operation: 'sendNewMail',
      summary: 'Send a new mail in ten seconds',
      description:
        'It is refused as `POST /app/messages` would refuse it now, and with 409 `has_left` without a draft. Until then the draft stays as it is, and DELETE takes it back; a second PUT takes the place of the first.',
      flags: { now: 'Sends one that is held at once: without one, 409 `not_held`.' },
      body: Sent,
      returns: Departure,
      status: 202,
      find: named,
      run: ({ who, body, record, flags }) => {
        const message = body as Sent
        const { conversation_id, direction, send_at, attachments } = message
        if (conversation_id !== undefined || direction !== 'outbound' || send_at != null || attachments !== undefined)
          throw invalid(
            field('', 'contradiction', 'must be a mail that opens a conversation, without time and attachments'),
          )
        // One that has left must not be begun again.
        if (flags.now && !jobs.cancel(who.org, NEW_MAIL_LEAVES, keyOf(who.member as string, record.id))) throw notHeld()
        checkIsHere(who, record.id, message)
        tryOut(() => send(who, message), store)
        const leaving = { member: who.member as string, id: record.id, message }
        const dueAt = clock.now() + (flags.now ? 0 : UNDO_MS)
        const payload = leaving as unknown as Json
        jobs.put(who.org, { kind: NEW_MAIL_LEAVES, key: keyOf(leaving.member, leaving.id), payload, dueAt })
        mark(who, record.id, rfc3339(dueAt))
        return { id: record.id, send_at: rfc3339(dueAt) }
      },
    },
    {
      ...common,
      method: 'delete',
      operation: 'takeBackNewMail',
      summary: 'Take a new mail back before it leaves',
      status: 204,
      find: named,
      run: ({ who, record }) => {
        // A draft that says that it leaves, without a job, would say so for ever.
        const isHeld = jobs.cancel(who.org, NEW_MAIL_LEAVES, keyOf(who.member as string, record.id))
        if (!isHeld && !drafts.bodyOf(who, draftOf(record.id))?.leaves) throw notHeld()
        mark(who, record.id, null)
        return undefined
      },
    },
  ]
}

/** It has no row of its own, and so no version. */
function named(_: Caller, id = '') {
  checkDraftKey(draftOf(id))
  return { id, version: 1 }
}

/** Throws what the act throws, and leaves nothing behind in any case. */
function tryOut(act: () => unknown, { savepoint }: Pick<Store, 'savepoint'>): void {
  try {
    savepoint(() => {
      act()
      throw TRIED
    })
  } catch (error) {
    if (error !== TRIED) throw error
  }
}
const TRIED = Symbol('tried')

const printOf = (message: Sent): string => createHash('sha256').update(JSON.stringify(message)).digest('base64url')

const trimmed = (text: unknown): string => (typeof text === 'string' ? text.replace(/\r\n?/g, '\n').trim() : '')
const emailsOf = (people: unknown): string[] =>
  Array.isArray(people) ? people.map((each) => String(each?.email).trim().toLowerCase()) : []

/** Whether a draft still is what was sent: text, subject and people. */
function isAsSent(body: Draft['body'], { body_text, subject, to, cc, bcc }: Sent): boolean {
  const people = (body.people ?? {}) as { [name: string]: unknown }
  return (
    trimmed(body.text) === trimmed(body_text) &&
    trimmed(body.subject) === trimmed(subject) &&
    Object.entries({ to, cc, bcc }).every(([name, sent]) => same(emailsOf(people[name]), emailsOf(sent)))
  )
}

/** Lets a new mail go. What keeps it from leaving by now is said at its draft, which is the only thing that there is of it. */
export const newMailKind = once((deps: Deps): RunKind => {
  const { send } = sentMessages(deps)
  const drafts = draftStore(deps)
  const notices = noticeQueue(deps)
  const members = memberSettings({ ...deps, accessChanged: () => undefined })

  function run({ org, payload }: { org: number; payload: Json }): undefined {
    const { member, id, message } = payload as unknown as Leaving
    const who: Caller = { org, member }
    const writer = members.all(org).find((each) => each.id === member)
    if (writer?.status !== 'active' || writer.role === 'viewer') return failed({ org, payload })
    const made = send(who, message)
    const { conversation_id } = (isRepeated(made) ? made.repeated : made) as Message
    const body = drafts.bodyOf(who, draftOf(id))
    // What was typed since, here or on another screen, is nowhere else.
    if (body && !isAsSent(body, message))
      drafts.put(who, draftOf(id), { ...body, leaves: null, left: printOf(message) })
    else drafts.change(who, draftOf(id), undefined)
    notices.put(org, member, { kind: 'new_mail', id, conversation_id })
  }

  /** Its files, the mailbox, or the right of its writer to send have gone since. */
  function failed({ org, payload }: { org: number; payload: Json }): undefined {
    const { member, id } = payload as unknown as Leaving
    const who = { org, member }
    const body = drafts.bodyOf(who, draftOf(id))
    if (body) drafts.put(who, draftOf(id), { ...body, leaves: null, failed: true })
    notices.put(org, member, { kind: 'new_mail', id, conversation_id: null })
  }

  return {
    kind: NEW_MAIL_LEAVES,
    isDated: true,
    run(job, { store }) {
      try {
        store.savepoint(() => run(job))
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        failed(job)
      }
    },
    onPermanentFailure: failed,
  }
})
