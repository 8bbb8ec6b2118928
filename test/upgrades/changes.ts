type Row = Record<string, unknown>
type Change = (record: Row) => Row

/** Schema 6: what is known of a mail, and how a mailbox reads it. */
const FROM_5: Record<string, Change> = {
  'settings.json': (record) => ({
    ...record,
    rules: [],
    satisfaction: { is_active: false, language: 'en', pause_days: 0 },
  }),
  'mailboxes.ndjson': (record) => ({ ...record, aliases: [], reply_to: 'automatic', trusted_forwarders: [] }),
  'meetings.ndjson': (record) => ({ ...record, send_invitations: false }),
  'message_headers.ndjson': (record) => ({
    ...record,
    ...{ is_aside: false, delivered_to: [], outcomes: [], send_unless_reply: false, closes_conversation: false },
  }),
  'messages.ndjson': (record) => ({
    ...record,
    ...{ date: null, bcc: [], from: null, is_history: false, copies: [], send_at: null, forwards_message_id: null },
  }),
}

/** What an upgrade from a version changes in the records of a file of its export; everything else stays equal. */
export const CHANGES: Record<string, Record<string, Change>> = {
  '0.4.0': FROM_5,
  '0.5.0': FROM_5,
}

type NewFiles = Record<string, (before: Record<string, Row[]>) => Row[]>

/** Where a mail came or left by a mailbox, its conversation stands. */
const inMailboxes: NewFiles[string] = ({ 'message_headers.ndjson': mails = [], 'messages.ndjson': messages = [] }) => {
  const of = new Map(messages.map(({ id, conversation_id }) => [id, conversation_id]))
  const keys = mails
    .filter((each) => each.mailbox_id !== null)
    .map((each) => `${each.mailbox_id} ${of.get(each.message_id)}`)
  return [...new Set(keys)].sort().map((key) => {
    const [mailbox_id, conversation_id] = key.split(' ')
    return { mailbox_id, conversation_id, chosen_at: null }
  })
}

const NEW_IN_6: NewFiles = {
  'message_aliases.ndjson': () => [],
  'external_ids.ndjson': () => [],
  'saved_replies.ndjson': () => [],
  'rules.ndjson': () => [],
  'rule_runs.ndjson': () => [],
  'satisfaction.ndjson': () => [],
  'ratings.ndjson': () => [],
  'conversation_moves.ndjson': () => [],
  'conversation_spam.ndjson': () => [],
  'conversation_mailboxes.ndjson': inMailboxes,
  'spam_senders.ndjson': () => [],
}

/** Files that the version did not have, with what an upgrade puts into them. */
export const NEW_FILES: Record<string, NewFiles> = {
  '0.4.0': NEW_IN_6,
  '0.5.0': NEW_IN_6,
}
