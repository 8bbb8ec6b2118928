import { rowColumns as closeReasonColumns } from '../crm/close-reasons/close-reasons.ts'
import { columns as companyColumns, companyStore } from '../crm/companies.ts'
import { columns as contactColumns, contactStore } from '../crm/contacts.ts'
import { columns as dealColumns, dealStore } from '../crm/deals/deals.ts'
import { columns as listColumns } from '../crm/list.ts'
import { columns as memberColumns } from '../crm/members/members.ts'
import { columns as noteColumns, noteStore } from '../crm/notes.ts'
import { columns as pipelineColumns } from '../crm/stages/pipelines.ts'
import { rowColumns as stageColumns } from '../crm/stages/stages.ts'
import { columns as tagColumns } from '../crm/tags.ts'
import { columns as taskColumns, taskStore } from '../crm/tasks.ts'
import type { Deps } from '../deps.ts'
import { linkOf } from '../filters/membership.ts'
import { columns as conversationColumns } from '../inbox/conversations/conversation.ts'
import { conversationStore } from '../inbox/conversations/conversations.ts'
import type { Move } from '../inbox/conversations/move-rows.ts'
import { movedTo } from '../inbox/conversations/moved-to.ts'
import { spamTimes } from '../inbox/conversations/spam-senders.ts'
import { rowColumns as hoursColumns } from '../inbox/hours/hours.ts'
import { columns as mailboxColumns } from '../inbox/mailboxes/mailbox.ts'
import { columns as attachmentColumns, attachmentStore } from '../inbox/messages/attachments.ts'
import { columns as messageColumns } from '../inbox/messages/message.ts'
import { messageStore } from '../inbox/messages/messages.ts'
import { outgoingStore } from '../inbox/messages/outgoing.ts'
import { rowColumns as slaColumns } from '../inbox/sla/policies.ts'
import { parseTime } from '../lib/time.ts'
import { rowColumns as ruleColumns, runColumns } from '../mail/rules/rule.ts'
import { columns as ratingColumns } from '../mail/satisfaction/ratings.ts'
import { rowColumns as satisfactionColumns } from '../mail/satisfaction/settings.ts'
import { columns as invitationColumns } from '../meetings/invitation-versions.ts'
import { columns as meetingColumns } from '../meetings/meeting.ts'
import { meetingStore } from '../meetings/meetings.ts'
import { exportedSegments } from '../meetings/segments.ts'
import { exported as transcriptColumns } from '../meetings/transcript.ts'
import { transcriptStore } from '../meetings/transcripts.ts'
import { columns as replyColumns } from '../personal/saved-replies.ts'
import { columns as customFieldColumns } from '../records/custom-fields/custom-fields.ts'
import { archivedFields } from '../records/custom-fields/rows.ts'
import { type CustomObject, HOLDERS, OBJECTS, type Values } from '../records/custom-fields/types.ts'
import { customValues } from '../records/custom-fields/values.ts'
import { rowColumns, stepColumns } from '../sequences/enrollments/enrollment.ts'
import { enrollmentStore } from '../sequences/enrollments/enrollments.ts'
import { rowColumns as sequenceColumns } from '../sequences/sequences/sequence.ts'
import * as c from '../store/rows/columns.ts'
import { searchIndex } from '../store/search/search.ts'
import type { Database } from '../store/sqlite/driver.ts'
import { exported as webhookColumns, webhookStore } from '../webhooks/webhooks.ts'
import { journals } from './history.ts'
import { journal, named, type Part, record } from './part.ts'

/**
 * Everything that an export contains, in restore order: records mostly come after those they refer to, and references
 * are checked at the end. Not exported:
 * - derived rows: link tables, *_values and the search index;
 * - tokens, which grant access, and stored answers, which are of use for a day only;
 * - jobs: what they are about is in the records, and restoring those creates them again;
 * - signing secrets and deliveries of webhooks: a copy must not send them again;
 * - the audit log, which is written beside these parts and not restored: it is about this installation;
 * - passwords and positions of mailboxes: a copy sends and receives nothing until it gets a password, and recognises
 *   the mails that it has by their Message-ID.
 */
export function parts(deps: Deps): Part[] {
  const { db } = deps
  const resource = { order: 'id', hasSheet: true } as const
  return [
    { ...record(db, 'members', memberColumns), hasSheet: true },
    record(db, 'pipelines', pipelineColumns),
    { ...record(db, 'stages', stageColumns), hasSheet: true },
    { ...record(db, 'close_reasons', closeReasonColumns), hasSheet: true },
    record(db, 'hours', hoursColumns),
    record(db, 'sla_policies', slaColumns),
    record(db, 'mailboxes', mailboxColumns),
    record(db, 'saved_replies', replyColumns),
    record(db, 'rules', ruleColumns),
    record(db, 'satisfaction', satisfactionColumns),
    record(db, 'sequences', sequenceColumns),
    sequenceVersions(db),
    { ...record(db, 'tags', tagColumns), hasSheet: true },
    { ...record(db, 'custom_fields', customFieldColumns), hasSheet: true },
    { ...resource, ...named('companies'), columns: companyColumns, restore: companyStore(deps).restore },
    { ...resource, ...named('contacts'), columns: contactColumns, restore: contactStore(deps).restore },
    { ...resource, ...named('deals'), columns: dealColumns, restore: dealStore(deps).restore },
    ...OBJECTS.map((object) => archivedValues(db, object)),
    stageChanges(db),
    { ...resource, ...named('meetings'), columns: meetingColumns, restore: meetingStore(deps).restore },
    journal(db, 'invitations', 'uid, recurrence, attendee', invitationColumns),
    { ...named('transcripts'), columns: transcriptColumns, order: 'id', restore: transcriptStore(deps).restore },
    journal(db, 'transcript_segments', 'transcript_id, position', exportedSegments),
    { ...resource, ...named('conversations'), columns: conversationColumns, restore: conversationStore(deps).restore },
    ...slaRecords(db),
    { ...resource, ...named('messages'), columns: messageColumns, restore: messageStore(deps).restore },
    ...contents(db),
    {
      ...named('attachments'),
      columns: attachmentColumns,
      order: 'id',
      former: ['data'],
      restore: attachmentStore(deps).restore,
    },
    mails(deps),
    journal(
      db,
      'message_aliases',
      'external_id',
      c.columns({ external_id: c.text('external_id'), message_id: c.plain('message_id') }),
    ),
    journal(db, 'rule_runs', 'message_id, rule_id', runColumns),
    journal(db, 'ratings', 'message_id', ratingColumns),
    { ...named('enrollments'), columns: rowColumns, order: 'id', restore: enrollmentStore(deps).restore },
    moves(db),
    inMailboxes(db),
    ...spam(db),
    journal(db, 'enrollment_steps', 'enrollment_id, position', stepColumns),
    { ...resource, ...named('notes'), columns: noteColumns, restore: noteStore(deps).restore },
    { ...resource, ...named('tasks'), columns: taskColumns, restore: taskStore(deps).restore },
    { ...record(db, 'lists', listColumns), hasSheet: true },
    ...OBJECTS.map((object) => listMembers(db, object)),
    { ...named('webhooks'), columns: webhookColumns, order: 'id', restore: webhookStore(deps).restore },
    ...journals(db),
  ]
}

/** The values of archived custom fields, which the records do not show. */
function archivedValues(db: Database, object: CustomObject): Part {
  const { table } = HOLDERS[object]
  const custom = customValues(db, object)
  const putArchived = archivedFields(db, object)

  function restore(org: number, { id, archived_fields }: { id: string; archived_fields: Values }): void {
    putArchived(org, id, archived_fields)
    custom.set(org, id, {}, archived_fields)
  }

  const columns = c.columns<{ id: string; archived_fields: Values }>({
    id: c.plain('id'),
    archived_fields: c.json('archived_fields'),
  })
  return { name: `archived_values_of_${table}`, table, columns, order: 'id', where: "archived_fields <> '{}'", restore }
}

function listMembers(db: Database, object: CustomObject): Part {
  const { table, key } = linkOf(object)
  const columns = c.columns({ list_id: c.plain('list_id'), [key]: c.plain(key) } as Record<string, c.Column<string>>)
  return journal(db, table, `list_id, ${key}`, columns)
}

export function stageChanges(db: Database): Part {
  const columns = c.columns({
    deal_id: c.plain('deal_id'),
    deal_version: c.integer('deal_version'),
    at: c.time('at'),
    from_stage_id: c.plain('from_stage_id'),
    to_stage_id: c.plain('to_stage_id'),
    member_id: c.plain('member_id'),
  })
  const part = journal(db, 'deal_stage_changes', 'deal_id, deal_version', columns)
  return { ...part, table: 'deal_stage_history', hasSheet: true }
}

/** Which conversations are spam, and whose mails are. */
function spam(db: Database): Part[] {
  const set = spamTimes(db)
  const columns = c.columns({ id: c.plain('id'), spam_at: c.time('spam_at') })
  const senders = c.columns({
    email_key: c.text('email_key'),
    member_id: c.plain('member_id'),
    at: c.time('at'),
    held: c.integer('held'),
    last_at: c.time('last_at'),
  })
  const part: Part = {
    ...{ name: 'conversation_spam', table: 'conversations', columns, order: 'id', where: 'spam_at IS NOT NULL' },
    restore: (org: number, { id, spam_at }: never) => set(org, id, parseTime(spam_at) as number),
  }
  return [part, journal(db, 'spam_senders', 'email_key', senders)]
}

/** In whose mailboxes' views conversations stand. */
function inMailboxes(db: Database): Part {
  const columns = c.columns({
    mailbox_id: c.plain('mailbox_id'),
    conversation_id: c.plain('conversation_id'),
    chosen_at: c.time('chosen_at'),
  })
  return journal(db, 'conversation_mailboxes', 'mailbox_id, conversation_id', columns)
}

/** Merges of conversations, moves to another mailbox, and messages that were split off. */
function moves(db: Database): Part {
  const columns = c.columns({
    id: c.plain('id'),
    kind: c.plain('kind'),
    from_id: c.plain('from_id'),
    to_id: c.plain('to_id'),
    member_id: c.plain('member_id'),
    at: c.time('at'),
    undone_at: c.time('undone_at'),
    undo: c.json('undo'),
  })
  const part = journal(db, 'conversation_moves', 'id', columns)
  const { mark } = movedTo(db)
  const search = searchIndex(db, 'conversation')
  return {
    ...part,
    restore: (org: number, row: never) => {
      part.restore(org, row)
      const { kind, undone_at, from_id } = row as Pick<Move, 'kind' | 'from_id'> & { undone_at: string | null }
      if (kind !== 'merge' || undone_at !== null) return
      mark(org, from_id, true)
      search.remove(org, from_id)
    },
  }
}

/** The SLA clocks and status changes of conversations. */
function slaRecords(db: Database): Part[] {
  const statuses = c.columns({
    conversation_id: c.plain('conversation_id'),
    conversation_version: c.integer('conversation_version'),
    at: c.time('at'),
    status: c.plain('status'),
  })
  const clocks = c.columns({
    conversation_id: c.plain('conversation_id'),
    target: c.plain('target'),
    ordinal: c.integer('ordinal'),
    started_at: c.time('started_at'),
    ended_at: c.time('ended_at'),
    target_s: c.integer('target_s'),
    risk_at: c.time('risk_at'),
    due_at: c.time('due_at'),
    warned_at: c.time('warned_at'),
    breached_at: c.time('breached_at'),
    due_when_breached: c.time('due_when_breached'),
  })
  return [
    journal(db, 'conversation_statuses', 'conversation_id, conversation_version', statuses),
    journal(db, 'sla_clocks', 'conversation_id, target, ordinal', clocks),
  ]
}

/** The contents of files, once each, and their bytes in chunks: so no line is long. */
function contents(db: Database): Part[] {
  const whole = c.columns({ sha256: c.plain('sha256'), size_bytes: c.integer('size_bytes') })
  const chunks = c.columns({ sha256: c.plain('sha256'), position: c.integer('position'), data: c.bytes('data') })
  // Of messages only: drafts stay with the screens, and what is being written has no file yet.
  const isOfMessage = (table: string) => `EXISTS (SELECT 1 FROM attachments AS file
    WHERE file.org_id = ${table}.org_id AND file.sha256 = ${table}.sha256)`
  return [
    { ...journal(db, 'file_contents', 'sha256', whole), where: isOfMessage('file_contents') },
    { ...journal(db, 'file_chunks', 'sha256, position', chunks), where: isOfMessage('file_chunks') },
  ]
}

function sequenceVersions(db: Database): Part {
  const columns = c.columns({
    sequence_id: c.plain('sequence_id'),
    number: c.integer('number'),
    steps: c.json('steps'),
    stop_on: c.json('stop_on'),
    created_at: c.time('created_at'),
  })
  return journal(db, 'sequence_versions', 'sequence_id, number', columns)
}

function mails(deps: Deps): Part {
  const { setLane } = outgoingStore(deps)
  const columns = c.columns({
    message_id: c.plain('message_id'),
    mailbox_id: c.plain('mailbox_id'),
    subject: c.text('subject'),
    refs: c.json('refs'),
    digest: c.plain('digest'),
    reply_to: c.text('reply_to'),
    delivered_to: c.json('delivered_to'),
    attempted_at: c.time('attempted_at'),
    unconfirmed_tries: c.integer('unconfirmed_tries'),
    outcomes: c.json('outcomes'),
    enrollment_id: c.plain('enrollment_id'),
    is_aside: c.bool('is_aside'),
    send_unless_reply: c.bool('send_unless_reply'),
    closes_conversation: c.bool('closes_conversation'),
  })
  const part = journal(deps.db, 'message_headers', 'message_id', columns)

  function restore(org: number, row: { message_id: string; mailbox_id: string | null }): void {
    part.restore(org, row as never)
    setLane(org, row.message_id, row.mailbox_id)
  }

  return { ...part, restore }
}
