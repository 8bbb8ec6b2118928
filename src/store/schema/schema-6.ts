import type { Connection } from '../sqlite/driver.ts'
import { addAccounts } from './schema-6-accounts.ts'
import { addHandOvers } from './schema-6-hand-overs.ts'
import { addInbox } from './schema-6-inbox.ts'
import { addOriginals } from './schema-6-originals.ts'
import { addSatisfaction } from './schema-6-satisfaction.ts'
import { renewSearch } from './schema-6-search.ts'
import { renewUnique } from './schema-6-unique.ts'

// Frozen once released: schema.sql has the comments of these tables, and their newest form.

/** From schema 5: what can be trusted. */
export function addTrust(db: Connection): void {
  db.exec(ENDING_TOKENS)
  db.exec(FAILING_WORK)
  db.exec(USED_CODES)
  db.exec(MAIL)
  db.exec(STEPS)
  addInbox(db)
  addSatisfaction(db)
  addOriginals(db)
  placeBulkChanges(db)
  addHandOvers(db)
  db.exec(WRITTEN)
  addAccounts(db)
  renewSearch(db)
  renewUnique(db)
}

// Members get notices of tokens that end, and owners of a server that needs somebody.

const FAILING_WORK = `
ALTER TABLE recurring_jobs ADD COLUMN failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0);
`

const ENDING_TOKENS = `
ALTER TABLE tokens ADD COLUMN ending_noticed INTEGER;
CREATE INDEX tokens_ending ON tokens (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

ALTER TABLE notifications RENAME TO notifications_5;
CREATE TABLE notifications (
  org_id INTEGER NOT NULL,
  member_id TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('assigned', 'mentioned', 'due', 'ending', 'operation', 'handed_over', 'returned', 'failed')),
  object TEXT NOT NULL CHECK (
    object IN ('contact', 'company', 'deal', 'task', 'note', 'conversation', 'token', 'server', 'hand_over')
  ),
  record_id TEXT NOT NULL,
  title TEXT NOT NULL,
  actor_id TEXT,
  at INTEGER NOT NULL,
  read_at INTEGER,
  detail TEXT CHECK (detail IS NULL OR json_valid(detail)),
  PRIMARY KEY (org_id, member_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO notifications SELECT *, NULL FROM notifications_5;
DROP TABLE notifications_5;
CREATE INDEX notifications_unread ON notifications (org_id, member_id) WHERE read_at IS NULL;
`

// The last codes of second factors, instead of the last one.

const USED_CODES = `
ALTER TABLE credentials ADD COLUMN totp_used TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(totp_used));
UPDATE credentials SET totp_used = json_array(totp_step) WHERE totp_step IS NOT NULL;
ALTER TABLE credentials DROP COLUMN totp_step;
`

// What is known of a mail, and how a mailbox reads it.

const MAIL = `
ALTER TABLE messages ADD COLUMN date INTEGER;
ALTER TABLE messages ADD COLUMN is_history INTEGER NOT NULL DEFAULT 0 CHECK (is_history IN (0, 1));
ALTER TABLE messages ADD COLUMN sent_from TEXT CHECK (sent_from IS NULL OR json_valid(sent_from));
ALTER TABLE messages ADD COLUMN sent_bcc TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(sent_bcc));
ALTER TABLE messages ADD COLUMN copies TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(copies));

ALTER TABLE meetings ADD COLUMN send_invitations INTEGER NOT NULL DEFAULT 0 CHECK (send_invitations IN (0, 1));

ALTER TABLE message_headers ADD COLUMN is_aside INTEGER NOT NULL DEFAULT 0 CHECK (is_aside IN (0, 1));
ALTER TABLE message_headers ADD COLUMN delivered_to TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(delivered_to));
ALTER TABLE message_headers ADD COLUMN outcomes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(outcomes));
CREATE INDEX message_headers_delivered ON message_headers (org_id, mailbox_id) WHERE delivered_to <> '[]';

ALTER TABLE mailboxes ADD COLUMN aliases TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(aliases));
ALTER TABLE mailboxes ADD COLUMN reply_to TEXT NOT NULL DEFAULT 'automatic'
  CHECK (reply_to IN ('automatic', 'always', 'never'));
ALTER TABLE mailboxes ADD COLUMN trusted_forwarders TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(trusted_forwarders));

ALTER TABLE mailbox_states ADD COLUMN send_pauses INTEGER NOT NULL DEFAULT 0;
ALTER TABLE mailbox_states ADD COLUMN send_paused_until INTEGER;
ALTER TABLE mailbox_states ADD COLUMN dated_below INTEGER NOT NULL DEFAULT 0;
ALTER TABLE mailbox_states ADD COLUMN missing INTEGER NOT NULL DEFAULT 0;

CREATE TABLE message_aliases (
  org_id INTEGER NOT NULL,
  external_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  PRIMARY KEY (org_id, external_id),
  FOREIGN KEY (org_id, message_id) REFERENCES messages (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_aliases_message ON message_aliases (org_id, message_id);
`

// What people write is read by the country that they are in, and one mailbox is one in all of its spellings: of those in ASCII
// without quotation marks the keys stay as they are.

const OTHER = "GLOB '*[^!#-~]*'"
const WRITTEN = `
ALTER TABLE orgs ADD COLUMN country TEXT;

INSERT OR IGNORE INTO contact_emails (org_id, email_key, contact_id)
  SELECT org_id, email_key(email_key), contact_id FROM contact_emails WHERE email_key ${OTHER};
DELETE FROM contact_emails WHERE email_key ${OTHER} AND email_key <> email_key(email_key);
UPDATE OR IGNORE members SET email = email_key(email) WHERE email ${OTHER} AND email <> email_key(email);
`

// What members did in the screens, so that they can take it back.

const STEPS = `
ALTER TABLE bulk_changes ADD COLUMN last_seq INTEGER;
CREATE INDEX events_steps ON events (org_id, actor_id, seq, request_key)
  WHERE request_key >= 'step.' AND request_key < 'step/';
`

/** Old changes of many records get their places among all that the member did, or they would be taken back first. */
export function placeBulkChanges(db: Connection): void {
  db.exec(`UPDATE bulk_changes SET last_seq = coalesce(
    (SELECT seq FROM events WHERE org_id = bulk_changes.org_id AND at <= finished_at ORDER BY seq DESC LIMIT 1), 0)
    WHERE finished_at IS NOT NULL`)
}
