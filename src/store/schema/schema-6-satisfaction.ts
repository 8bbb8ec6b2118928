import type { Connection } from '../sqlite/driver.ts'

/** Whether who is answered is asked if it was good, and what they said. */
export function addSatisfaction(db: Connection): void {
  db.exec(SATISFACTION)
}

const SATISFACTION = `
CREATE TABLE satisfaction (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  mailbox_ids TEXT CHECK (mailbox_ids IS NULL OR json_valid(mailbox_ids)),
  language TEXT NOT NULL CHECK (language IN ('en', 'de')),
  question TEXT,
  good TEXT,
  not_good TEXT,
  pause_days INTEGER NOT NULL CHECK (pause_days >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX satisfaction_org ON satisfaction (org_id);

CREATE TABLE ratings (
  org_id INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  words TEXT NOT NULL CHECK (json_valid(words)),
  answer TEXT CHECK (answer IN ('good', 'not_good')),
  comment TEXT,
  answered_at INTEGER,
  changes INTEGER NOT NULL DEFAULT 0 CHECK (changes >= 0),
  PRIMARY KEY (org_id, message_id),
  FOREIGN KEY (org_id, message_id) REFERENCES messages (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX ratings_asked ON ratings (org_id, asked_at);
`
