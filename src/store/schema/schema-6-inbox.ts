import type { Connection } from '../sqlite/driver.ts'

// Frozen once released: schema.sql has the comments of these tables, and their newest form.

/** What the inbox of the screens needs. */
export function addInbox(db: Connection): void {
  db.exec(INBOX)
  db.exec(VIEWS)
  db.exec(DRAFT_FILES)
}

// Conversations are listed by who is due first.

const INBOX = `
ALTER TABLE conversations ADD COLUMN due_rank INTEGER NOT NULL GENERATED ALWAYS AS (
    CASE WHEN status = 'closed' THEN 5000000000000 - last_message_at / 1000 ELSE
      coalesce(
        nullif(
          min(
            iif(first_response_at IS NULL, coalesce(unixepoch(sla ->> 'first_response_due_at'), 9000000000000), 9000000000000),
            coalesce(unixepoch(sla ->> 'next_response_due_at'), 9000000000000),
            coalesce(unixepoch(sla ->> 'resolution_due_at'), 9000000000000)
          ),
          9000000000000
        ),
        1000000000000 + waiting_since / 1000,
        3000000000000 - last_message_at / 1000
      )
    END
  ) VIRTUAL;
CREATE INDEX conversations_due ON conversations (org_id, due_rank);
ALTER TABLE conversations ADD COLUMN spam_at INTEGER;
CREATE INDEX conversations_spam ON conversations (org_id, spam_at) WHERE spam_at IS NOT NULL;
ALTER TABLE conversations ADD COLUMN is_merged INTEGER NOT NULL DEFAULT 0 CHECK (is_merged IN (0, 1));
CREATE TABLE conversation_mailboxes (
  org_id INTEGER NOT NULL,
  mailbox_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  chosen_at INTEGER,
  PRIMARY KEY (org_id, mailbox_id, conversation_id),
  FOREIGN KEY (org_id, mailbox_id) REFERENCES mailboxes (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, conversation_id) REFERENCES conversations (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_mailboxes_conversation ON conversation_mailboxes (org_id, conversation_id);
INSERT INTO conversation_mailboxes (org_id, mailbox_id, conversation_id)
  SELECT DISTINCT mail.org_id, mail.mailbox_id, message.conversation_id FROM message_headers AS mail
    JOIN messages AS message ON message.org_id = mail.org_id AND message.id = mail.message_id
  WHERE mail.mailbox_id IS NOT NULL;
CREATE TABLE spam_senders (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  email_key TEXT NOT NULL,
  member_id TEXT,
  at INTEGER NOT NULL,
  held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
  last_at INTEGER,
  PRIMARY KEY (org_id, email_key)
) STRICT, WITHOUT ROWID;
CREATE TABLE conversation_moves (
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('merge', 'split', 'mailbox')),
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  member_id TEXT,
  at INTEGER NOT NULL,
  undone_at INTEGER,
  undo TEXT NOT NULL CHECK (json_valid(undo)),
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, from_id) REFERENCES conversations (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, to_id) REFERENCES conversations (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_moves_from ON conversation_moves (org_id, from_id);
CREATE UNIQUE INDEX conversation_moves_merged ON conversation_moves (org_id, from_id) WHERE kind = 'merge' AND undone_at IS NULL;
CREATE INDEX conversation_moves_to ON conversation_moves (org_id, to_id);
CREATE INDEX conversations_load ON conversations (org_id, owner_id) WHERE status IN ('open', 'pending');

ALTER TABLE messages ADD COLUMN send_at INTEGER;
ALTER TABLE messages ADD COLUMN forwards_message_id TEXT;
ALTER TABLE message_headers ADD COLUMN send_unless_reply INTEGER NOT NULL DEFAULT 0 CHECK (send_unless_reply IN (0, 1));
ALTER TABLE message_headers ADD COLUMN closes_conversation INTEGER NOT NULL DEFAULT 0 CHECK (closes_conversation IN (0, 1));

CREATE TABLE saved_replies (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  title TEXT NOT NULL,
  text TEXT NOT NULL,
  owner_id TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, owner_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX saved_replies_owner ON saved_replies (org_id, owner_id);

CREATE TABLE rules (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  position INTEGER NOT NULL CHECK (position >= 0),
  mailbox_id TEXT,
  conditions TEXT NOT NULL CHECK (json_valid(conditions)),
  owner_id TEXT,
  tag_ids TEXT NOT NULL CHECK (json_valid(tag_ids)),
  priority TEXT CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
  answer TEXT,
  closes INTEGER NOT NULL CHECK (closes IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, mailbox_id) REFERENCES mailboxes (org_id, id),
  FOREIGN KEY (org_id, owner_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX rules_key ON rules (org_id, key);
CREATE INDEX rules_position ON rules (org_id, position);
CREATE INDEX rules_mailbox ON rules (org_id, mailbox_id);
CREATE INDEX rules_owner ON rules (org_id, owner_id);

CREATE TABLE rule_runs (
  org_id INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  rule_id TEXT NOT NULL,
  name TEXT NOT NULL,
  at INTEGER NOT NULL,
  done TEXT NOT NULL CHECK (json_valid(done)),
  conversation_version INTEGER,
  answer_id TEXT,
  text_digest TEXT,
  PRIMARY KEY (org_id, message_id, rule_id),
  FOREIGN KEY (org_id, message_id) REFERENCES messages (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, answer_id) REFERENCES messages (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX rule_runs_answer ON rule_runs (org_id, answer_id) WHERE answer_id IS NOT NULL;
CREATE INDEX rule_runs_text ON rule_runs (org_id, text_digest) WHERE text_digest IS NOT NULL;
`

// Questions to the inbox can be saved, too.

const VIEWS = `
ALTER TABLE views RENAME TO views_5;
CREATE TABLE views (
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('deals', 'contacts', 'companies', 'tasks', 'conversations')),
  name TEXT NOT NULL,
  shape TEXT NOT NULL CHECK (shape IN ('table', 'board')),
  is_shared INTEGER NOT NULL CHECK (is_shared IN (0, 1)),
  owner_id TEXT NOT NULL,
  query TEXT NOT NULL CHECK (json_valid(query)),
  position INTEGER NOT NULL CHECK (position >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, owner_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO views SELECT * FROM views_5;
DROP TABLE views_5;
CREATE INDEX views_owner ON views (org_id, owner_id);
`

// Files of a draft wait on the server, as its text does.

const DRAFT_FILES = `
CREATE TABLE draft_files (
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  member_id TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  content_type TEXT NOT NULL,
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
  sha256 TEXT NOT NULL,
  source_id TEXT,
  is_discarded INTEGER NOT NULL DEFAULT 0 CHECK (is_discarded IN (0, 1)),
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, sha256) REFERENCES file_contents (org_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX draft_files_draft ON draft_files (org_id, member_id, key);
CREATE UNIQUE INDEX draft_files_source ON draft_files (org_id, member_id, key, source_id) WHERE source_id IS NOT NULL;
CREATE INDEX draft_files_content ON draft_files (org_id, sha256);
CREATE INDEX draft_files_expired ON draft_files (expires_at);

DROP TRIGGER attachments_gone;
CREATE TRIGGER attachments_gone AFTER DELETE ON attachments
WHEN NOT EXISTS (SELECT 1 FROM attachments WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
  AND NOT EXISTS (SELECT 1 FROM draft_files WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
BEGIN
  DELETE FROM file_contents WHERE org_id = OLD.org_id AND sha256 = OLD.sha256;
END;
CREATE TRIGGER draft_files_gone AFTER DELETE ON draft_files
WHEN NOT EXISTS (SELECT 1 FROM attachments WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
  AND NOT EXISTS (SELECT 1 FROM draft_files WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
BEGIN
  DELETE FROM file_contents WHERE org_id = OLD.org_id AND sha256 = OLD.sha256;
END;
`
