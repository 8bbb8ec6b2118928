import type { Connection } from '../../sqlite/driver.ts'

/** Meetings get a conversation, and messages the results of their authentication. */
export function addInvitations(db: Connection): void {
  db.exec(INVITATIONS)
  db.exec(
    'ALTER TABLE messages ADD COLUMN authentication TEXT CHECK (authentication IS NULL OR json_valid(authentication))',
  )
  // A reference of two columns cannot be added to a table. References to the table stay as they are, by its name.
  db.exec(MEETINGS.replace('CREATE TABLE meetings', 'CREATE TABLE meetings_3'))
  db.exec(`INSERT INTO meetings_3 (${COLUMNS}) SELECT ${COLUMNS} FROM meetings`)
  db.exec('DROP TABLE meetings')
  db.exec('ALTER TABLE meetings_3 RENAME TO meetings')
  db.exec(INDEXES)
}

const INVITATIONS = `
CREATE TABLE invitations (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  uid TEXT NOT NULL,
  recurrence TEXT NOT NULL,
  attendee TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  stamp INTEGER NOT NULL,
  senders TEXT NOT NULL CHECK (json_valid(senders)),
  texts TEXT NOT NULL CHECK (json_valid(texts)),
  until INTEGER,
  PRIMARY KEY (org_id, uid, recurrence, attendee)
) STRICT, WITHOUT ROWID;`

const MEETINGS = `
CREATE TABLE meetings (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  starts_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  timezone TEXT,
  status TEXT NOT NULL CHECK (status IN ('scheduled', 'completed', 'canceled', 'no_show')),
  location TEXT,
  conference_url TEXT,
  participants TEXT NOT NULL CHECK (json_valid(participants)),
  company_id TEXT,
  deal_id TEXT,
  owner_id TEXT,
  ical_uid TEXT,
  conversation_id TEXT,
  recording_url TEXT,
  summary TEXT,
  has_transcript INTEGER NOT NULL CHECK (has_transcript IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, company_id) REFERENCES companies (org_id, id),
  FOREIGN KEY (org_id, deal_id) REFERENCES deals (org_id, id),
  FOREIGN KEY (org_id, owner_id) REFERENCES members (org_id, id),
  FOREIGN KEY (org_id, conversation_id) REFERENCES conversations (org_id, id),
  CHECK (ends_at > starts_at)
) STRICT, WITHOUT ROWID;`

const COLUMNS = `org_id, id, title, description, starts_at, ends_at, timezone, status, location, conference_url, participants, company_id, deal_id, owner_id, ical_uid, recording_url, summary, has_transcript, created_at, updated_at, version`

const INDEXES = `
CREATE INDEX meetings_starts ON meetings (org_id, starts_at);
CREATE INDEX meetings_status ON meetings (org_id, status);
CREATE INDEX meetings_company ON meetings (org_id, company_id);
CREATE INDEX meetings_deal ON meetings (org_id, deal_id);
CREATE INDEX meetings_owner ON meetings (org_id, owner_id);
CREATE INDEX meetings_conversation ON meetings (org_id, conversation_id);
CREATE INDEX meetings_updated ON meetings (org_id, updated_at);
CREATE UNIQUE INDEX meetings_ical_uid ON meetings (org_id, ical_uid) WHERE ical_uid IS NOT NULL;`
