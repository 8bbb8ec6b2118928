import { dropPending, KINDS, type PendingKind, parseKinds, pendingOf } from '../../../app/pending.ts'
import { command, json } from '../../../command/command.ts'
import { conflict } from '../../../lib/problem.ts'
import { rfc3339 } from '../../../lib/time.ts'
import type { Waiting } from '../../../store/jobs/pending-work.ts'
import { isSendingPaused, resumeSending } from '../sending.ts'

export const resume = command({
  name: 'resume-sending',
  summary: 'Let a restored data folder send mails, sequences and webhooks again, and fetch mails',
  options: {
    dropPending: {
      type: 'string',
      placeholder: 'KINDS',
      help: 'do not send what waits of mails, webhooks or steps (of sequences), separated by commas, or all: mails fail, enrollments stop',
    },
    dryRun: { type: 'boolean', help: 'only say how much waits' },
    json,
  },
  audit: 'sending.resumed',
  run: ({ options: { data, dryRun, dropPending: given }, write, open }) => {
    const kinds = parseKinds(given)
    return open((store) => {
      const waiting = pendingOf(store.db, store.clock.now())
      const found = { pending: waiting, dropped: kinds }
      if (dryRun) return { json: { was_paused: isSendingPaused(data), ...found }, text: textOf(waiting, kinds) }
      return write(store, () => {
        if (kinds.length > 0 && !isSendingPaused(data)) throw conflict('not_paused', NOT_PAUSED)
        dropPending(store, kinds)
        const json = { was_paused: resumeSending(data), ...found }
        return json.was_paused
          ? { json, text: `${textOf(waiting, kinds)}\n${RESUMED}`, audit: { detail: { dropped: kinds } } }
          : { json, text: 'Sending was not paused.', audit: null }
      })
    })
  },
})

const RESUMED = 'The server sends again from its next start on.'
const NOT_PAUSED =
  'Sending is not paused, so a server may be sending what waits. "dealbox jobs drop" drops one at a time.'

const NAMES: Record<PendingKind, string> = {
  mails: 'mails',
  webhooks: 'events for webhooks, at most',
  steps: 'steps of sequences',
}

function textOf(waiting: Record<PendingKind, Waiting>, dropped: readonly PendingKind[]): string {
  const lines = KINDS.filter((kind) => waiting[kind].count > 0).map((kind) => {
    const { count, since } = waiting[kind]
    const from = since === null ? '' : `, since ${rfc3339(since)}`
    return `  ${count} ${NAMES[kind]}${from}${dropped.includes(kind) ? ': dropped' : ''}`
  })
  return lines.length === 0 ? 'Nothing waits.' : ['What waits, and may have been sent since:', ...lines].join('\n')
}
