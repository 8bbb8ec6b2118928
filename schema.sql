-- The complete current schema. New databases are made from this file; older ones are migrated by the steps in
-- src/store/schema/migrations.ts, and a test ensures that both give the same schema.
--
-- The key of every table of an organisation starts with org_id, and every reference is (org_id, id): SQLite itself
-- refuses references to another organisation. org_id is a small integer of this file only; the API uses
-- orgs.public_id. Ids are UUIDs v7 made by the server, so the key order is the order of creation.
-- Times are integer milliseconds since 1970 (UTC), dates are YYYY-MM-DD, amounts are integer micros.
-- A column *_key contains another column folded (lower case, no accents) for sorting and comparing.

CREATE TABLE installation (
  singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
  id TEXT NOT NULL, -- tokens are bound to it
  schema_hash TEXT NOT NULL, -- the hash of the schema of this database: see src/store/schema/migrations.ts
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE wall_clock ( -- what the last server read from the clock of its machine
  singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
  seen_at INTEGER NOT NULL, -- written each minute
  jumped_from INTEGER, -- the last jump of more than a day
  jumped_to INTEGER
) STRICT;

CREATE TABLE replication ( -- one row: what all copies of this database know of its primary; docs/decisions/040-replication.md
  singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
  epoch INTEGER NOT NULL CHECK (epoch >= 1), -- which primary this is: each promotion raises it
  promoted_at INTEGER, -- NULL for the first primary
  primary_url TEXT, -- where the primary answers, for the copies to name; NULL: unknown
  is_replicated INTEGER NOT NULL CHECK (is_replicated IN (0, 1)), -- whether checkpoints are left to Litestream
  beat INTEGER NOT NULL CHECK (beat >= 0), -- the heartbeat: rises every few seconds while a primary is replicated
  beat_at INTEGER -- NULL before the first
) STRICT;
INSERT INTO replication VALUES (1, 1, NULL, NULL, 0, 0, NULL);

CREATE TABLE signing_keys ( -- the keys themselves are files beside the database
  kid TEXT NOT NULL PRIMARY KEY,
  created_at INTEGER NOT NULL,
  retired_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE orgs (
  id INTEGER NOT NULL PRIMARY KEY,
  public_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  timezone TEXT NOT NULL,
  currency TEXT NOT NULL,
  public_base_url TEXT,
  last_seq INTEGER NOT NULL DEFAULT 0, -- the number of its last event
  last_conversation INTEGER NOT NULL DEFAULT 0, -- the number of its last conversation
  created_at INTEGER NOT NULL,
  -- staged: being filled, and nobody sees it. leaving: nothing is sent or done for it by itself, as it moves to another
  -- server. paused: writes wait, too. moved: it is at moved_to.
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('staged', 'open', 'leaving', 'paused', 'moved')),
  moved_to TEXT, -- a URL
  host TEXT, -- the name by which its members reach it, lower case; the proxy finds its server by it
  country TEXT, -- ISO 3166 alpha-2, for phone numbers and the like; null for that of the time zone
  keep_originals_days INTEGER CHECK (keep_originals_days >= 0), -- of mails; null: as src/inbox/messages/originals.ts says
  keep_originals_mib INTEGER CHECK (keep_originals_mib > 0), -- of all of them, packed; null likewise
  CHECK ((state = 'moved') = (moved_to IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX orgs_host ON orgs (host) WHERE host IS NOT NULL;

CREATE TABLE departures ( -- organisations that are moving to another server: docs/decisions/042-moving-organisations.md
  org INTEGER NOT NULL PRIMARY KEY,
  id TEXT NOT NULL, -- of the move, on both servers
  url TEXT NOT NULL,
  address TEXT NOT NULL, -- what clients are told
  ca TEXT, -- additional certificates to trust
  key TEXT NOT NULL, -- the key of the other server, encrypted
  started_at INTEGER NOT NULL,
  asked_at INTEGER -- from now on only the other server knows the outcome
) STRICT, WITHOUT ROWID;

CREATE TABLE departing_changes ( -- rows that were changed during a move, by their keys after org_id
  n INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL, -- of the table
  k1 ANY,
  k2 ANY,
  k3 ANY
) STRICT;

CREATE TABLE arrivals ( -- one-time keys to receive an organisation from another server, and what came of them
  id TEXT NOT NULL PRIMARY KEY,
  hash TEXT NOT NULL, -- of the key
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'receiving', 'prepared', 'committed')),
  move TEXT, -- its id
  public_id TEXT, -- of the organisation
  org INTEGER, -- its number, staged until the end
  prepared TEXT CHECK (prepared IS NULL OR json_valid(prepared)) -- JSON object: what is set at the end
) STRICT, WITHOUT ROWID;

CREATE TABLE arriving_audit ( -- the audit log of an organisation that is being received
  arrival TEXT NOT NULL,
  seq INTEGER NOT NULL,
  entry TEXT NOT NULL CHECK (json_valid(entry)), -- JSON array: the columns of audit_log
  PRIMARY KEY (arrival, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE former_token_keys ( -- public keys of servers that an organisation was at: its tokens stay valid
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  kid TEXT NOT NULL,
  installation TEXT NOT NULL, -- that the tokens are bound to
  key TEXT NOT NULL, -- PEM
  created_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, kid)
) STRICT, WITHOUT ROWID;

CREATE TABLE former_signing_keys ( -- with which those servers signed what others return, such as links in mails
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  installation TEXT NOT NULL,
  purpose TEXT NOT NULL,
  key TEXT NOT NULL, -- encrypted
  PRIMARY KEY (org_id, installation, purpose)
) STRICT, WITHOUT ROWID;

CREATE TABLE members (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL, -- lower case
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  status TEXT NOT NULL CHECK (status IN ('active', 'deactivated')),
  timezone TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX members_email ON members (org_id, email);

CREATE TABLE tokens ( -- permissions of bearer tokens; the tokens themselves are not stored
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL, -- the claim jti
  member_id TEXT NOT NULL,
  scopes TEXT NOT NULL CHECK (json_valid(scopes)), -- JSON array
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  ending_noticed INTEGER, -- the last notice that it ends was so many days before its end
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_member ON tokens (org_id, member_id);
CREATE INDEX tokens_ending ON tokens (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

CREATE TABLE setup_link ( -- the link that makes the first organisation, while there is none
  singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
  hash TEXT NOT NULL, -- SHA-256 of the token in the link, as of all links and cookies
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE credentials ( -- how members sign in to the screens
  org_id INTEGER NOT NULL,
  member_id TEXT NOT NULL,
  password TEXT, -- argon2id in PHC format; NULL: only by a link
  password_set_at INTEGER,
  totp TEXT, -- the secret of the second factor, encrypted; the key is a file beside the database
  totp_confirmed_at INTEGER,
  recovery_codes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(recovery_codes)), -- JSON array of hashes
  failures INTEGER NOT NULL DEFAULT 0, -- failed attempts since the last success
  failed_at INTEGER,
  totp_used TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(totp_used)), -- JSON array of time steps whose codes were accepted
  PRIMARY KEY (org_id, member_id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions ( -- members who are signed in to the screens
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  hash TEXT NOT NULL, -- of the cookie
  member_id TEXT NOT NULL,
  user_agent TEXT,
  address TEXT,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL, -- of the last request, to the minute
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX sessions_hash ON sessions (hash);
CREATE INDEX sessions_member ON sessions (org_id, member_id);

CREATE TABLE sign_in_links ( -- invitations, and links that sign a member in once
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  hash TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('invite', 'sign_in')),
  member_id TEXT, -- whom it signs in; NULL until an invitation is accepted
  email TEXT,
  role TEXT CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  invited_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, invited_by) REFERENCES members (org_id, id) ON DELETE CASCADE,
  CHECK ((kind = 'invite') = (role IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX sign_in_links_hash ON sign_in_links (hash);
CREATE INDEX sign_in_links_member ON sign_in_links (org_id, member_id);
CREATE INDEX sign_in_links_inviter ON sign_in_links (org_id, invited_by);

CREATE TABLE preferences ( -- of a member: language, theme, keys, pinned views
  org_id INTEGER NOT NULL,
  member_id TEXT NOT NULL,
  body TEXT NOT NULL CHECK (json_valid(body)), -- JSON object
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, member_id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE views ( -- saved questions to a list, and how to show it
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('deals', 'contacts', 'companies', 'tasks', 'conversations')),
  name TEXT NOT NULL,
  shape TEXT NOT NULL CHECK (shape IN ('table', 'board')),
  is_shared INTEGER NOT NULL CHECK (is_shared IN (0, 1)),
  owner_id TEXT NOT NULL,
  query TEXT NOT NULL CHECK (json_valid(query)), -- JSON object: filter, sort, columns
  position INTEGER NOT NULL CHECK (position >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, owner_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX views_owner ON views (org_id, owner_id);

CREATE TABLE drafts ( -- texts that a member has begun
  org_id INTEGER NOT NULL,
  member_id TEXT NOT NULL,
  key TEXT NOT NULL, -- what it is for, such as note:deals:<id>
  body TEXT NOT NULL CHECK (json_valid(body)), -- JSON object
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, member_id, key),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE saved_replies ( -- texts that members put into what they write: docs/decisions/076-saved-replies.md
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  title TEXT NOT NULL,
  text TEXT NOT NULL, -- with variables
  owner_id TEXT, -- one member's own; without, everyone's
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, owner_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX saved_replies_owner ON saved_replies (org_id, owner_id);

CREATE TABLE notifications ( -- what concerns a member
  org_id INTEGER NOT NULL,
  member_id TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('assigned', 'mentioned', 'due', 'ending', 'operation', 'handed_over', 'returned', 'failed')),
  object TEXT NOT NULL CHECK (
    object IN ('contact', 'company', 'deal', 'task', 'note', 'conversation', 'token', 'server', 'hand_over')
  ),
  record_id TEXT NOT NULL, -- no reference: it may have been deleted
  title TEXT NOT NULL,
  actor_id TEXT, -- no reference, as in events
  at INTEGER NOT NULL,
  read_at INTEGER,
  detail TEXT CHECK (detail IS NULL OR json_valid(detail)), -- JSON object: of a hand-over, how many records of which kind; of the server, its checks
  PRIMARY KEY (org_id, member_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX notifications_unread ON notifications (org_id, member_id) WHERE read_at IS NULL;

CREATE TABLE bulk_changes ( -- changes of many records at once, done by a job
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  member_id TEXT NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('deals', 'contacts', 'companies', 'tasks', 'conversations', 'members')), -- members: a hand-over
  change TEXT NOT NULL CHECK (json_valid(change)), -- JSON object
  total INTEGER NOT NULL,
  done INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  undo_started_at INTEGER,
  undone_at INTEGER,
  last_seq INTEGER, -- of the events, when it was finished: its place among all that the member did
  from_id TEXT, -- of a hand-over: the member whose records they were; docs/decisions/061-hand-over.md
  returns_on TEXT, -- of a hand-over: the date on which what is left comes back, which is its undo
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, from_id) REFERENCES members (org_id, id) ON DELETE CASCADE,
  CHECK ((object = 'members') = (from_id IS NOT NULL)),
  CHECK (returns_on IS NULL OR from_id IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX bulk_changes_member ON bulk_changes (org_id, member_id);
CREATE INDEX bulk_changes_from ON bulk_changes (org_id, from_id) WHERE from_id IS NOT NULL;

CREATE TABLE bulk_rows ( -- the records of such a change, in its order
  org_id INTEGER NOT NULL,
  bulk_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  record_id TEXT NOT NULL, -- no reference: it may have been deleted
  seq INTEGER, -- of the event of its change
  is_listed INTEGER NOT NULL DEFAULT 0 CHECK (is_listed IN (0, 1)), -- it was added to the list of the change, or taken out
  error TEXT,
  is_undone INTEGER NOT NULL DEFAULT 0 CHECK (is_undone IN (0, 1)),
  kind TEXT, -- of a hand-over, whose records are of several kinds
  to_id TEXT, -- of a hand-over: the member who gets it; no reference: it is checked when it is given
  PRIMARY KEY (org_id, bulk_id, position),
  FOREIGN KEY (org_id, bulk_id) REFERENCES bulk_changes (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX bulk_rows_handed ON bulk_rows (org_id, record_id) WHERE to_id IS NOT NULL;

CREATE TABLE bin ( -- deleted records, and what is needed to restore them; for 30 days
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  event_id TEXT NOT NULL, -- the event of the deletion, whose time orders the bin
  object TEXT NOT NULL CHECK (object IN ('contact', 'company', 'deal', 'note', 'task', 'meeting')),
  record_id TEXT NOT NULL,
  title TEXT NOT NULL,
  member_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  record TEXT NOT NULL CHECK (json_valid(record)), -- JSON object: its wire form before the deletion
  kept TEXT NOT NULL CHECK (json_valid(kept)), -- JSON object: archived values, lists, history, references of others to it
  PRIMARY KEY (org_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX bin_record ON bin (org_id, record_id);

CREATE TABLE sample_records ( -- the records of the sample data that an organisation started with
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  object TEXT NOT NULL, -- its path in the API, such as deals
  record_id TEXT NOT NULL, -- no reference: it may have been deleted
  version INTEGER NOT NULL, -- a higher one was edited
  PRIMARY KEY (org_id, object, record_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE pipelines (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  key TEXT NOT NULL, -- its name in the settings document
  name TEXT NOT NULL,
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  position INTEGER NOT NULL CHECK (position >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX pipelines_key ON pipelines (org_id, key);
CREATE UNIQUE INDEX pipelines_default ON pipelines (org_id) WHERE is_default = 1;

CREATE TABLE stages (
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  pipeline_id TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  position INTEGER NOT NULL CHECK (position >= 0),
  rank INTEGER NOT NULL, -- position among all stages of the org, default pipeline first
  outcome TEXT CHECK (outcome IN ('won', 'lost')), -- NULL while deals in it are open
  is_open INTEGER NOT NULL GENERATED ALWAYS AS (outcome IS NULL) VIRTUAL,
  probability INTEGER NOT NULL CHECK (probability BETWEEN 0 AND 100),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, pipeline_id) REFERENCES pipelines (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX stages_key ON stages (org_id, pipeline_id, key);
CREATE UNIQUE INDEX stages_outcome ON stages (org_id, pipeline_id, outcome) WHERE outcome IS NOT NULL;
CREATE INDEX stages_position ON stages (org_id, pipeline_id, position);
CREATE INDEX stages_rank ON stages (org_id, rank);

CREATE TABLE close_reasons (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('won', 'lost')),
  position INTEGER NOT NULL CHECK (position >= 0),
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX close_reasons_key ON close_reasons (org_id, key);
CREATE INDEX close_reasons_position ON close_reasons (org_id, position);

CREATE TABLE tags (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  color TEXT,
  description TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tags_name ON tags (org_id, name_key);

CREATE TABLE custom_fields ( -- fields that an org adds to contacts, companies and deals
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('contact', 'company', 'deal')),
  key TEXT NOT NULL,
  label TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN (
    'text', 'number', 'boolean', 'date', 'datetime', 'select', 'multi_select', 'url', 'email', 'phone', 'member'
  )),
  options TEXT NOT NULL CHECK (json_valid(options)), -- JSON array of {value, label, color}
  is_required INTEGER NOT NULL CHECK (is_required IN (0, 1)),
  is_unique INTEGER NOT NULL CHECK (is_unique IN (0, 1)),
  help_text TEXT,
  position INTEGER NOT NULL CHECK (position >= 0),
  is_archived INTEGER NOT NULL CHECK (is_archived IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX custom_fields_key ON custom_fields (org_id, object, key);
CREATE INDEX custom_fields_position ON custom_fields (org_id, position);
CREATE INDEX custom_fields_required ON custom_fields (org_id, object) WHERE is_required = 1;

-- tag_ids is stored twice: as JSON in the record, so that a page needs no second query, and as rows of
-- *_tags, so that a filter has an index and references cannot dangle. So are other links, and the values of
-- custom fields: as JSON in the record, and as rows of *_values, folded for comparing and sorting. There,
-- unique_value is set if the field is unique, and its index refuses a second record with the same value.
-- archived_fields contains the values of archived fields, which are hidden.

CREATE TABLE companies (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  domains TEXT NOT NULL CHECK (json_valid(domains)), -- JSON array, lower case
  website TEXT,
  website_host TEXT, -- without "www.", for finding duplicates
  phone TEXT,
  industry TEXT,
  employee_count INTEGER CHECK (employee_count >= 0),
  annual_revenue_micros INTEGER CHECK (annual_revenue_micros >= 0),
  currency TEXT,
  linkedin_url TEXT,
  address TEXT CHECK (address IS NULL OR json_valid(address)), -- JSON object
  parent_company_id TEXT,
  owner_id TEXT,
  tag_ids TEXT NOT NULL CHECK (json_valid(tag_ids)), -- JSON array
  description TEXT,
  external_id TEXT,
  originally_created_at INTEGER, -- in the system that it was imported from
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields)), -- JSON object by key
  archived_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(archived_fields)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, parent_company_id) REFERENCES companies (org_id, id),
  FOREIGN KEY (org_id, owner_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX companies_name ON companies (org_id, name_key);
CREATE INDEX companies_website ON companies (org_id, website_host) WHERE website_host IS NOT NULL;
CREATE INDEX companies_owner ON companies (org_id, owner_id);
CREATE INDEX companies_parent ON companies (org_id, parent_company_id);
CREATE INDEX companies_updated ON companies (org_id, updated_at);
CREATE INDEX companies_external ON companies (org_id, external_id) WHERE external_id IS NOT NULL; -- not unique: two products may have the same id

CREATE TABLE company_domains (
  org_id INTEGER NOT NULL,
  domain TEXT NOT NULL,
  company_id TEXT NOT NULL,
  PRIMARY KEY (org_id, domain),
  FOREIGN KEY (org_id, company_id) REFERENCES companies (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX company_domains_company ON company_domains (org_id, company_id);

CREATE TABLE company_tags (
  org_id INTEGER NOT NULL,
  tag_id TEXT NOT NULL,
  company_id TEXT NOT NULL,
  PRIMARY KEY (org_id, tag_id, company_id),
  FOREIGN KEY (org_id, tag_id) REFERENCES tags (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, company_id) REFERENCES companies (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX company_tags_company ON company_tags (org_id, company_id);

CREATE TABLE company_values (
  org_id INTEGER NOT NULL,
  field_id TEXT NOT NULL,
  value ANY NOT NULL,
  company_id TEXT NOT NULL,
  unique_value ANY,
  PRIMARY KEY (org_id, field_id, value, company_id),
  FOREIGN KEY (org_id, field_id) REFERENCES custom_fields (org_id, id),
  FOREIGN KEY (org_id, company_id) REFERENCES companies (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX company_values_company ON company_values (org_id, company_id);
CREATE UNIQUE INDEX company_values_unique ON company_values (org_id, field_id, unique_value)
  WHERE unique_value IS NOT NULL;

CREATE TABLE contacts (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  first_name TEXT,
  last_name TEXT,
  name TEXT NOT NULL, -- shown in lists: the names, else the first email, else the first phone
  name_key TEXT NOT NULL,
  emails TEXT NOT NULL CHECK (json_valid(emails)), -- JSON array of {email, label, is_primary}
  phones TEXT NOT NULL CHECK (json_valid(phones)), -- JSON array of {number, label, is_primary}
  job_title TEXT,
  company_id TEXT,
  owner_id TEXT,
  tag_ids TEXT NOT NULL CHECK (json_valid(tag_ids)), -- JSON array
  linkedin_url TEXT,
  website TEXT,
  address TEXT CHECK (address IS NULL OR json_valid(address)), -- JSON object
  timezone TEXT,
  language TEXT,
  do_not_contact INTEGER NOT NULL CHECK (do_not_contact IN (0, 1)),
  unsubscribed_at INTEGER,
  source TEXT,
  external_id TEXT,
  originally_created_at INTEGER, -- in the system that it was imported from
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields)), -- JSON object by key
  archived_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(archived_fields)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, company_id) REFERENCES companies (org_id, id),
  FOREIGN KEY (org_id, owner_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contacts_name ON contacts (org_id, name_key);
CREATE INDEX contacts_company ON contacts (org_id, company_id);
CREATE INDEX contacts_owner ON contacts (org_id, owner_id);
CREATE INDEX contacts_do_not_contact ON contacts (org_id, do_not_contact);
CREATE INDEX contacts_updated ON contacts (org_id, updated_at);
CREATE INDEX contacts_external ON contacts (org_id, external_id) WHERE external_id IS NOT NULL; -- not unique: two products may have the same id

CREATE TABLE contact_emails ( -- not unique: allow_duplicate=true allows an email for a second contact
  org_id INTEGER NOT NULL,
  email_key TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  PRIMARY KEY (org_id, email_key, contact_id),
  FOREIGN KEY (org_id, contact_id) REFERENCES contacts (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_emails_contact ON contact_emails (org_id, contact_id);

CREATE TABLE contact_tags (
  org_id INTEGER NOT NULL,
  tag_id TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  PRIMARY KEY (org_id, tag_id, contact_id),
  FOREIGN KEY (org_id, tag_id) REFERENCES tags (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, contact_id) REFERENCES contacts (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_tags_contact ON contact_tags (org_id, contact_id);

CREATE TABLE contact_values (
  org_id INTEGER NOT NULL,
  field_id TEXT NOT NULL,
  value ANY NOT NULL,
  contact_id TEXT NOT NULL,
  unique_value ANY,
  PRIMARY KEY (org_id, field_id, value, contact_id),
  FOREIGN KEY (org_id, field_id) REFERENCES custom_fields (org_id, id),
  FOREIGN KEY (org_id, contact_id) REFERENCES contacts (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_values_contact ON contact_values (org_id, contact_id);
CREATE UNIQUE INDEX contact_values_unique ON contact_values (org_id, field_id, unique_value)
  WHERE unique_value IS NOT NULL;

CREATE TABLE deals (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  title TEXT NOT NULL,
  title_key TEXT NOT NULL,
  amount_micros INTEGER CHECK (amount_micros BETWEEN 0 AND 9000000000000000000),
  currency TEXT,
  stage_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'won', 'lost')), -- the status of its stage, copied for the index
  company_id TEXT,
  primary_contact_id TEXT,
  owner_id TEXT,
  tag_ids TEXT NOT NULL CHECK (json_valid(tag_ids)), -- JSON array
  expected_close_date TEXT,
  close_reason_id TEXT,
  closed_at INTEGER,
  stage_changed_at INTEGER NOT NULL,
  external_id TEXT,
  originally_created_at INTEGER, -- in the system that it was imported from
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields)), -- JSON object by key
  archived_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(archived_fields)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, stage_id) REFERENCES stages (org_id, id),
  FOREIGN KEY (org_id, company_id) REFERENCES companies (org_id, id),
  FOREIGN KEY (org_id, primary_contact_id) REFERENCES contacts (org_id, id),
  FOREIGN KEY (org_id, owner_id) REFERENCES members (org_id, id),
  FOREIGN KEY (org_id, close_reason_id) REFERENCES close_reasons (org_id, id),
  CHECK ((status = 'open') = (closed_at IS NULL)),
  CHECK ((status = 'open') = (close_reason_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX deals_stage ON deals (org_id, stage_id);
CREATE INDEX deals_status ON deals (org_id, status);
CREATE INDEX deals_owner ON deals (org_id, owner_id);
CREATE INDEX deals_company ON deals (org_id, company_id);
CREATE INDEX deals_contact ON deals (org_id, primary_contact_id);
CREATE INDEX deals_currency ON deals (org_id, currency);
CREATE INDEX deals_amount ON deals (org_id, amount_micros, id, owner_id); -- for the deals of an owner by amount
CREATE INDEX deals_title ON deals (org_id, title_key);
CREATE INDEX deals_expected_close ON deals (org_id, expected_close_date);
CREATE INDEX deals_updated ON deals (org_id, updated_at);
CREATE INDEX deals_closed ON deals (org_id, closed_at, stage_id) WHERE closed_at IS NOT NULL; -- those closed this month
CREATE INDEX deals_close_reason ON deals (org_id, close_reason_id) WHERE close_reason_id IS NOT NULL;
CREATE INDEX deals_external ON deals (org_id, external_id) WHERE external_id IS NOT NULL; -- not unique: two products may have the same id

CREATE TABLE deal_tags (
  org_id INTEGER NOT NULL,
  tag_id TEXT NOT NULL,
  deal_id TEXT NOT NULL,
  PRIMARY KEY (org_id, tag_id, deal_id),
  FOREIGN KEY (org_id, tag_id) REFERENCES tags (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, deal_id) REFERENCES deals (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX deal_tags_deal ON deal_tags (org_id, deal_id);

CREATE TABLE deal_values (
  org_id INTEGER NOT NULL,
  field_id TEXT NOT NULL,
  value ANY NOT NULL,
  deal_id TEXT NOT NULL,
  unique_value ANY,
  PRIMARY KEY (org_id, field_id, value, deal_id),
  FOREIGN KEY (org_id, field_id) REFERENCES custom_fields (org_id, id),
  FOREIGN KEY (org_id, deal_id) REFERENCES deals (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX deal_values_deal ON deal_values (org_id, deal_id);
CREATE UNIQUE INDEX deal_values_unique ON deal_values (org_id, field_id, unique_value)
  WHERE unique_value IS NOT NULL;

CREATE TABLE deal_stage_changes ( -- the stages of a deal since its creation
  org_id INTEGER NOT NULL,
  deal_id TEXT NOT NULL,
  deal_version INTEGER NOT NULL, -- the version after the change
  at INTEGER NOT NULL,
  from_stage_id TEXT NOT NULL,
  to_stage_id TEXT NOT NULL,
  member_id TEXT,
  PRIMARY KEY (org_id, deal_id, deal_version),
  FOREIGN KEY (org_id, deal_id) REFERENCES deals (org_id, id) ON DELETE CASCADE,
  -- No indexes for these: every stage change of a deal would write three more pages, and an index would only speed up
  -- the deletion of a stage or a member, which is rare and may read the history of the org.
  FOREIGN KEY (org_id, from_stage_id) REFERENCES stages (org_id, id),
  FOREIGN KEY (org_id, to_stage_id) REFERENCES stages (org_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE deal_stage_changes_pending ( -- the newest ones, by time: next to each other, while the deals lie anywhere
  org_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  deal_id TEXT NOT NULL,
  deal_version INTEGER NOT NULL,
  from_stage_id TEXT NOT NULL,
  to_stage_id TEXT NOT NULL,
  member_id TEXT,
  PRIMARY KEY (org_id, at, deal_id, deal_version),
  -- No indexes: a few rows, which src/store/stage-changes.ts soon moves.
  FOREIGN KEY (org_id, deal_id) REFERENCES deals (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, from_stage_id) REFERENCES stages (org_id, id),
  FOREIGN KEY (org_id, to_stage_id) REFERENCES stages (org_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE VIEW deal_stage_history AS -- all of them
  SELECT org_id, deal_id, deal_version, at, from_stage_id, to_stage_id, member_id FROM deal_stage_changes
  UNION ALL
  SELECT org_id, deal_id, deal_version, at, from_stage_id, to_stage_id, member_id FROM deal_stage_changes_pending;

CREATE TABLE hours ( -- business hours of an org, in its time zone
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  timezone TEXT NOT NULL,
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  position INTEGER NOT NULL CHECK (position >= 0),
  weekly TEXT NOT NULL CHECK (json_valid(weekly)), -- JSON object: intervals by day of the week
  exceptions TEXT NOT NULL CHECK (json_valid(exceptions)), -- JSON array
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX hours_key ON hours (org_id, key);
CREATE UNIQUE INDEX hours_default ON hours (org_id) WHERE is_default = 1;
CREATE INDEX hours_position ON hours (org_id, position);

CREATE TABLE sla_policies ( -- response and resolution times of an org
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)), -- for conversations that no other policy matches
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  position INTEGER NOT NULL CHECK (position >= 0),
  match TEXT CHECK (match IS NULL OR json_valid(match)), -- JSON tree of conditions on conversations, as in smart lists
  hours_id TEXT, -- NULL: around the clock
  targets TEXT NOT NULL CHECK (json_valid(targets)), -- JSON object by priority
  pause_on TEXT NOT NULL CHECK (json_valid(pause_on)), -- JSON array of statuses
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, hours_id) REFERENCES hours (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX sla_policies_key ON sla_policies (org_id, key);
CREATE UNIQUE INDEX sla_policies_default ON sla_policies (org_id) WHERE is_default = 1;
CREATE INDEX sla_policies_position ON sla_policies (org_id, position);
CREATE INDEX sla_policies_hours ON sla_policies (org_id, hours_id);

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
  participants TEXT NOT NULL CHECK (json_valid(participants)), -- JSON array
  company_id TEXT,
  deal_id TEXT,
  owner_id TEXT,
  ical_uid TEXT,
  send_invitations INTEGER NOT NULL DEFAULT 0 CHECK (send_invitations IN (0, 1)), -- to its participants, with its changes by API
  conversation_id TEXT, -- of the mails with its invitations
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
) STRICT, WITHOUT ROWID;
CREATE INDEX meetings_starts ON meetings (org_id, starts_at);
CREATE INDEX meetings_status ON meetings (org_id, status);
CREATE INDEX meetings_company ON meetings (org_id, company_id);
CREATE INDEX meetings_deal ON meetings (org_id, deal_id);
CREATE INDEX meetings_owner ON meetings (org_id, owner_id);
CREATE INDEX meetings_conversation ON meetings (org_id, conversation_id);
CREATE INDEX meetings_updated ON meetings (org_id, updated_at);
CREATE UNIQUE INDEX meetings_ical_uid ON meetings (org_id, ical_uid) WHERE ical_uid IS NOT NULL;

CREATE TABLE invitations ( -- the newest versions of events in mails, also of meetings that were deleted since
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  uid TEXT NOT NULL,
  recurrence TEXT NOT NULL, -- the ical_uid of an occurrence that was changed by itself; '' for the event itself
  attendee TEXT NOT NULL, -- the key of the email of who answered; '' for the organizer
  sequence INTEGER NOT NULL,
  stamp INTEGER NOT NULL, -- when this version was written
  senders TEXT NOT NULL CHECK (json_valid(senders)), -- JSON array: keys of the emails that may change it
  texts TEXT NOT NULL CHECK (json_valid(texts)), -- JSON object: hashes of the texts that the organizer sent
  until INTEGER, -- a series was expanded up to here
  PRIMARY KEY (org_id, uid, recurrence, attendee)
) STRICT, WITHOUT ROWID;

CREATE TABLE meeting_contacts (
  org_id INTEGER NOT NULL,
  contact_id TEXT NOT NULL,
  meeting_id TEXT NOT NULL,
  PRIMARY KEY (org_id, contact_id, meeting_id),
  FOREIGN KEY (org_id, contact_id) REFERENCES contacts (org_id, id),
  FOREIGN KEY (org_id, meeting_id) REFERENCES meetings (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX meeting_contacts_meeting ON meeting_contacts (org_id, meeting_id);

CREATE TABLE meeting_members (
  org_id INTEGER NOT NULL,
  member_id TEXT NOT NULL,
  meeting_id TEXT NOT NULL,
  PRIMARY KEY (org_id, member_id, meeting_id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
  FOREIGN KEY (org_id, meeting_id) REFERENCES meetings (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX meeting_members_meeting ON meeting_members (org_id, meeting_id);

CREATE TABLE transcripts ( -- of meetings
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  meeting_id TEXT NOT NULL,
  language TEXT,
  source TEXT,
  speakers TEXT NOT NULL CHECK (json_valid(speakers)), -- JSON array
  duration_ms INTEGER NOT NULL CHECK (duration_ms >= 0),
  word_count INTEGER NOT NULL CHECK (word_count >= 0),
  words TEXT NOT NULL, -- the distinct words, folded: for finding its meeting
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, meeting_id) REFERENCES meetings (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX transcripts_meeting ON transcripts (org_id, meeting_id);

CREATE TABLE transcript_segments (
  org_id INTEGER NOT NULL,
  transcript_id TEXT NOT NULL,
  position INTEGER NOT NULL CHECK (position >= 0), -- from 0, by time
  speaker TEXT, -- the key of one of its speakers
  start_ms INTEGER NOT NULL CHECK (start_ms >= 0),
  end_ms INTEGER NOT NULL,
  text TEXT NOT NULL,
  words TEXT NOT NULL, -- folded
  PRIMARY KEY (org_id, transcript_id, position),
  FOREIGN KEY (org_id, transcript_id) REFERENCES transcripts (org_id, id) ON DELETE CASCADE,
  CHECK (end_ms >= start_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE transcript_contacts ( -- the contacts among the speakers
  org_id INTEGER NOT NULL,
  contact_id TEXT NOT NULL,
  transcript_id TEXT NOT NULL,
  PRIMARY KEY (org_id, contact_id, transcript_id),
  FOREIGN KEY (org_id, contact_id) REFERENCES contacts (org_id, id),
  FOREIGN KEY (org_id, transcript_id) REFERENCES transcripts (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX transcript_contacts_transcript ON transcript_contacts (org_id, transcript_id);

CREATE TABLE transcript_members (
  org_id INTEGER NOT NULL,
  member_id TEXT NOT NULL,
  transcript_id TEXT NOT NULL,
  PRIMARY KEY (org_id, member_id, transcript_id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id),
  FOREIGN KEY (org_id, transcript_id) REFERENCES transcripts (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX transcript_members_transcript ON transcript_members (org_id, transcript_id);

CREATE TABLE conversations (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  number INTEGER NOT NULL,
  subject TEXT,
  channel TEXT NOT NULL CHECK (channel IN ('email', 'chat', 'sms', 'phone', 'other')),
  status TEXT NOT NULL CHECK (status IN ('open', 'pending', 'snoozed', 'closed')),
  priority TEXT NOT NULL CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
  owner_id TEXT,
  contact_id TEXT,
  company_id TEXT,
  deal_id TEXT,
  tag_ids TEXT NOT NULL CHECK (json_valid(tag_ids)), -- JSON array
  snoozed_until INTEGER,
  unread_count INTEGER NOT NULL CHECK (unread_count >= 0),
  read_at INTEGER,
  waiting_since INTEGER,
  first_response_at INTEGER,
  last_message_at INTEGER NOT NULL,
  preview TEXT NOT NULL,
  sla TEXT NOT NULL CHECK (json_valid(sla)), -- JSON object, derived from sla_clocks
  -- For their indexes. STORED, so that no list has to parse the JSON.
  sla_policy_id TEXT GENERATED ALWAYS AS (sla ->> 'policy_id') STORED,
  sla_status TEXT NOT NULL GENERATED ALWAYS AS (sla ->> 'status') STORED
    CHECK (sla_status IN ('none', 'ok', 'at_risk', 'breached', 'met')),
  -- Who is due first, in seconds: the next target that is pending; then who waits without one, longest first; then the newest
  -- messages; closed ones last. Below 10^12 it is a time. VIRTUAL: few are sorted at a time.
  due_rank INTEGER NOT NULL GENERATED ALWAYS AS (
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
  ) VIRTUAL,
  closed_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  spam_at INTEGER, -- since when it is spam, and closed
  is_merged INTEGER NOT NULL DEFAULT 0 CHECK (is_merged IN (0, 1)), -- it is closed and has no messages: conversation_moves has where they are
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, owner_id) REFERENCES members (org_id, id),
  FOREIGN KEY (org_id, contact_id) REFERENCES contacts (org_id, id),
  FOREIGN KEY (org_id, company_id) REFERENCES companies (org_id, id),
  FOREIGN KEY (org_id, deal_id) REFERENCES deals (org_id, id),
  FOREIGN KEY (org_id, sla_policy_id) REFERENCES sla_policies (org_id, id),
  CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
  CHECK ((status = 'snoozed') = (snoozed_until IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX conversations_number ON conversations (org_id, number);
CREATE INDEX conversations_status ON conversations (org_id, status);
CREATE INDEX conversations_priority ON conversations (org_id, priority);
CREATE INDEX conversations_channel ON conversations (org_id, channel);
CREATE INDEX conversations_owner ON conversations (org_id, owner_id);
CREATE INDEX conversations_spam ON conversations (org_id, spam_at) WHERE spam_at IS NOT NULL;
CREATE INDEX conversations_load ON conversations (org_id, owner_id) WHERE status IN ('open', 'pending');
CREATE INDEX conversations_contact ON conversations (org_id, contact_id);
CREATE INDEX conversations_company ON conversations (org_id, company_id);
CREATE INDEX conversations_deal ON conversations (org_id, deal_id);
CREATE INDEX conversations_waiting ON conversations (org_id, waiting_since);
CREATE INDEX conversations_last_message ON conversations (org_id, last_message_at);
CREATE INDEX conversations_sla_status ON conversations (org_id, sla_status);
CREATE INDEX conversations_sla_policy ON conversations (org_id, sla_policy_id);
CREATE INDEX conversations_due ON conversations (org_id, due_rank);
CREATE INDEX conversations_updated ON conversations (org_id, updated_at);

CREATE TABLE conversation_tags (
  org_id INTEGER NOT NULL,
  tag_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  PRIMARY KEY (org_id, tag_id, conversation_id),
  FOREIGN KEY (org_id, tag_id) REFERENCES tags (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, conversation_id) REFERENCES conversations (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_tags_conversation ON conversation_tags (org_id, conversation_id);

CREATE TABLE conversation_mailboxes ( -- whose views show it: its mails came or left by them, or somebody moved it there
  org_id INTEGER NOT NULL,
  mailbox_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  chosen_at INTEGER, -- when it was moved there: replies leave by it, until one has left by another
  PRIMARY KEY (org_id, mailbox_id, conversation_id),
  FOREIGN KEY (org_id, mailbox_id) REFERENCES mailboxes (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, conversation_id) REFERENCES conversations (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_mailboxes_conversation ON conversation_mailboxes (org_id, conversation_id);

CREATE TABLE spam_senders ( -- whose mails are spam
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  email_key TEXT NOT NULL,
  member_id TEXT, -- no reference, as in events
  at INTEGER NOT NULL,
  held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0), -- mails since then, and when the last one came
  last_at INTEGER,
  PRIMARY KEY (org_id, email_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE conversation_moves ( -- a conversation was merged into another one or went to another mailbox, or a message was split off
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('merge', 'split', 'mailbox')), -- of one that went to another mailbox, both ids are its own
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  member_id TEXT, -- no reference, as in events
  at INTEGER NOT NULL,
  undone_at INTEGER,
  undo TEXT NOT NULL CHECK (json_valid(undo)), -- JSON object: the ids of what was moved, and what both were before
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, from_id) REFERENCES conversations (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, to_id) REFERENCES conversations (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_moves_from ON conversation_moves (org_id, from_id);
CREATE UNIQUE INDEX conversation_moves_merged ON conversation_moves (org_id, from_id) WHERE kind = 'merge' AND undone_at IS NULL;
CREATE INDEX conversation_moves_to ON conversation_moves (org_id, to_id);

CREATE TABLE conversation_statuses ( -- its statuses since it was opened: clocks stop in some of them
  org_id INTEGER NOT NULL,
  conversation_id TEXT NOT NULL,
  conversation_version INTEGER NOT NULL, -- the version after the change
  at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'pending', 'snoozed', 'closed')),
  PRIMARY KEY (org_id, conversation_id, conversation_version),
  FOREIGN KEY (org_id, conversation_id) REFERENCES conversations (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE sla_clocks ( -- an SLA target of a conversation: start, due time and result
  org_id INTEGER NOT NULL,
  conversation_id TEXT NOT NULL,
  target TEXT NOT NULL CHECK (target IN ('first_response', 'next_response', 'resolution')),
  ordinal INTEGER NOT NULL, -- from 0; one for each wait for a next response
  started_at INTEGER NOT NULL,
  ended_at INTEGER, -- NULL while it is open
  target_s INTEGER, -- NULL without a target
  risk_at INTEGER, -- NULL also while the clock is stopped before that time
  due_at INTEGER,
  warned_at INTEGER, -- when its event was written, once
  breached_at INTEGER,
  due_when_breached INTEGER, -- the due_at at the time of the breach
  PRIMARY KEY (org_id, conversation_id, target, ordinal),
  FOREIGN KEY (org_id, conversation_id) REFERENCES conversations (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  channel TEXT NOT NULL CHECK (channel IN ('email', 'chat', 'sms', 'phone', 'other')), -- its conversation's, for the index
  direction TEXT NOT NULL CHECK (direction IN ('inbound', 'outbound', 'note')),
  author TEXT NOT NULL CHECK (json_valid(author)), -- JSON object: the author at that time
  author_id TEXT, -- no reference: the id of a contact or a member, NULL for any other author
  body_text TEXT NOT NULL,
  body_html TEXT, -- sanitized
  external_id TEXT,
  in_reply_to TEXT,
  sent_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('received', 'queued', 'sent', 'failed')),
  error TEXT,
  sent_to TEXT NOT NULL CHECK (json_valid(sent_to)), -- JSON array of {email, name}, like sent_cc
  sent_cc TEXT NOT NULL CHECK (json_valid(sent_cc)),
  is_automatic INTEGER NOT NULL CHECK (is_automatic IN (0, 1)), -- written by a machine
  enrollment_id TEXT, -- the enrollment whose step sent it
  attachments TEXT NOT NULL CHECK (json_valid(attachments)), -- JSON array, without their data
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  authentication TEXT CHECK (authentication IS NULL OR json_valid(authentication)), -- JSON object: SPF, DKIM and DMARC of received mail
  date INTEGER, -- what the sender's clock said, for received mail; sent_at is when it arrived
  is_history INTEGER NOT NULL DEFAULT 0 CHECK (is_history IN (0, 1)), -- an older mail that nobody waits for
  sent_from TEXT CHECK (sent_from IS NULL OR json_valid(sent_from)), -- JSON object {email, name}: our address that it leaves by
  sent_bcc TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(sent_bcc)), -- JSON array of {email, name}
  copies TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(copies)), -- JSON array: the same mail by other ways, with what differs
  send_at INTEGER, -- of a queued mail that is held until then; it is no answer yet
  forwards_message_id TEXT, -- the message of the conversation that it passes on to somebody else
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, conversation_id) REFERENCES conversations (org_id, id),
  FOREIGN KEY (org_id, enrollment_id) REFERENCES enrollments (org_id, id) -- no index: enrollments are never deleted
) STRICT, WITHOUT ROWID;
CREATE INDEX messages_conversation ON messages (org_id, conversation_id);
CREATE INDEX messages_sent ON messages (org_id, conversation_id, sent_at);
CREATE INDEX messages_author ON messages (org_id, author_id);
CREATE INDEX messages_in_reply_to ON messages (org_id, channel, in_reply_to) WHERE in_reply_to IS NOT NULL;
CREATE UNIQUE INDEX messages_external ON messages (org_id, channel, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE file_contents ( -- the contents of files, once for each organisation, whatever has them
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  sha256 TEXT NOT NULL, -- of its bytes, in hexadecimal
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
  is_staged INTEGER NOT NULL DEFAULT 0 CHECK (is_staged IN (0, 1)), -- being written, and nothing has it yet
  PRIMARY KEY (org_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_contents_staged ON file_contents (is_staged) WHERE is_staged = 1;

CREATE TABLE file_chunks ( -- large rows: in a table with a rowid they stay out of the key's tree
  row_id INTEGER NOT NULL PRIMARY KEY,
  org_id INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  position INTEGER NOT NULL CHECK (position >= 0), -- all but the last have the same size
  data BLOB NOT NULL,
  FOREIGN KEY (org_id, sha256) REFERENCES file_contents (org_id, sha256) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX file_chunks_content ON file_chunks (org_id, sha256, position);

CREATE TABLE attachments ( -- the message itself stores the name, type and size of its files
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, message_id) REFERENCES messages (org_id, id),
  FOREIGN KEY (org_id, sha256) REFERENCES file_contents (org_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX attachments_message ON attachments (org_id, message_id);
CREATE INDEX attachments_content ON attachments (org_id, sha256);

CREATE TABLE draft_files ( -- files of what a member is writing; sending it turns them into attachments
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  member_id TEXT NOT NULL,
  key TEXT NOT NULL, -- of the draft, which may have files before it has a text
  name TEXT NOT NULL,
  content_type TEXT NOT NULL,
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
  sha256 TEXT NOT NULL,
  source_id TEXT, -- the attachment that it is a copy of; no reference: that may be deleted
  is_discarded INTEGER NOT NULL DEFAULT 0 CHECK (is_discarded IN (0, 1)), -- with its draft, which can be brought back
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, sha256) REFERENCES file_contents (org_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX draft_files_draft ON draft_files (org_id, member_id, key);
CREATE UNIQUE INDEX draft_files_source ON draft_files (org_id, member_id, key, source_id) WHERE source_id IS NOT NULL;
CREATE INDEX draft_files_content ON draft_files (org_id, sha256);
CREATE INDEX draft_files_expired ON draft_files (expires_at);

CREATE TABLE mail_originals ( -- mails as they came in or left, packed by gzip: docs/decisions/081-originals-and-search.md
  org_id INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  sha256 TEXT NOT NULL, -- of the packed bytes
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0), -- of the mail
  kept_bytes INTEGER NOT NULL CHECK (kept_bytes BETWEEN 0 AND size_bytes), -- from its beginning on; fewer if it was too large
  stored_at INTEGER NOT NULL,
  sum_bytes INTEGER NOT NULL CHECK (sum_bytes > 0), -- packed, of all that the org has ever stored until this one: the oldest go first
  PRIMARY KEY (org_id, message_id),
  FOREIGN KEY (org_id, message_id) REFERENCES messages (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, sha256) REFERENCES file_contents (org_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX mail_originals_order ON mail_originals (org_id, sum_bytes);
CREATE INDEX mail_originals_content ON mail_originals (org_id, sha256);

-- A content goes with the last of those that have it, whatever deletes that.
CREATE TRIGGER attachments_gone AFTER DELETE ON attachments
WHEN NOT EXISTS (SELECT 1 FROM attachments WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
  AND NOT EXISTS (SELECT 1 FROM draft_files WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
  AND NOT EXISTS (SELECT 1 FROM mail_originals WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
BEGIN
  DELETE FROM file_contents WHERE org_id = OLD.org_id AND sha256 = OLD.sha256;
END;
CREATE TRIGGER draft_files_gone AFTER DELETE ON draft_files
WHEN NOT EXISTS (SELECT 1 FROM attachments WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
  AND NOT EXISTS (SELECT 1 FROM draft_files WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
  AND NOT EXISTS (SELECT 1 FROM mail_originals WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
BEGIN
  DELETE FROM file_contents WHERE org_id = OLD.org_id AND sha256 = OLD.sha256;
END;
CREATE TRIGGER mail_originals_gone AFTER DELETE ON mail_originals
WHEN NOT EXISTS (SELECT 1 FROM attachments WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
  AND NOT EXISTS (SELECT 1 FROM draft_files WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
  AND NOT EXISTS (SELECT 1 FROM mail_originals WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
BEGIN
  DELETE FROM file_contents WHERE org_id = OLD.org_id AND sha256 = OLD.sha256;
END;

CREATE TABLE mailboxes ( -- addresses that an org sends and receives with
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL, -- the display name of the address
  address TEXT NOT NULL,
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  position INTEGER NOT NULL CHECK (position >= 0),
  member_id TEXT, -- the member whose own mailbox it is, for sequences
  has_reply_tags INTEGER NOT NULL CHECK (has_reply_tags IN (0, 1)), -- replies go to address+tag
  daily_limit INTEGER CHECK (daily_limit >= 1), -- emails of sequences per day; NULL: unlimited
  spacing_s INTEGER NOT NULL CHECK (spacing_s >= 0), -- between two emails of sequences
  smtp TEXT NOT NULL CHECK (json_valid(smtp)), -- JSON object: the server, and the source of its password
  smtp_secret TEXT, -- the password, encrypted; the key is a file beside the database
  imap TEXT CHECK (imap IS NULL OR json_valid(imap)), -- NULL: it does not receive
  imap_secret TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  oauth TEXT CHECK (oauth IS NULL OR json_valid(oauth)), -- JSON object: the client at the provider; NULL: passwords
  oauth_secret TEXT, -- the secret of the client, encrypted
  aliases TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(aliases)), -- JSON array: further addresses that arrive here
  reply_to TEXT NOT NULL DEFAULT 'automatic' CHECK (reply_to IN ('automatic', 'always', 'never')), -- is Reply-To the customer?
  trusted_forwarders TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(trusted_forwarders)), -- JSON array: addresses that may send any number of mails
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX mailboxes_key ON mailboxes (org_id, key);
CREATE UNIQUE INDEX mailboxes_default ON mailboxes (org_id) WHERE is_default = 1;
CREATE UNIQUE INDEX mailboxes_member ON mailboxes (org_id, member_id) WHERE member_id IS NOT NULL;
CREATE INDEX mailboxes_position ON mailboxes (org_id, position);

CREATE TABLE mailbox_states ( -- health of a mailbox, and the position in its folder
  org_id INTEGER NOT NULL,
  mailbox_id TEXT NOT NULL,
  uid_validity INTEGER, -- NULL before the first sync
  last_uid INTEGER NOT NULL DEFAULT 0, -- all mails up to here were imported
  since INTEGER, -- earlier mails are not imported
  checked_at INTEGER, -- the last successful sync
  failing_since INTEGER, -- NULL while syncs succeed
  last_error TEXT,
  last_error_at INTEGER,
  pending INTEGER NOT NULL DEFAULT 0, -- mails seen by the last sync and not imported yet
  imported INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0, -- duplicates, or sent by the mailbox itself
  rejected INTEGER NOT NULL DEFAULT 0, -- stored in rejected_mails
  imported_at INTEGER,
  sent INTEGER NOT NULL DEFAULT 0,
  sent_at INTEGER,
  send_error TEXT, -- the error of the last attempt, if it failed
  send_error_at INTEGER,
  free_at INTEGER NOT NULL DEFAULT 0, -- when the spacing allows the next email of a sequence
  smtp_offers_tls INTEGER NOT NULL DEFAULT 0, -- 1: offered STARTTLS to a connection in plain text
  imap_offers_tls INTEGER NOT NULL DEFAULT 0,
  send_pauses INTEGER NOT NULL DEFAULT 0, -- pauses in a row, since the server refused us and not the recipient
  send_paused_until INTEGER, -- NULL: it sends
  dated_below INTEGER NOT NULL DEFAULT 0, -- mails with lower UIDs were there at the first look: their times decide
  missing INTEGER NOT NULL DEFAULT 0, -- mails whose content the server left out
  PRIMARY KEY (org_id, mailbox_id),
  FOREIGN KEY (org_id, mailbox_id) REFERENCES mailboxes (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE mailbox_grants ( -- the access that "mailbox connect" got for a mailbox with OAuth
  org_id INTEGER NOT NULL,
  mailbox_id TEXT NOT NULL,
  refresh_token TEXT NOT NULL, -- encrypted, as is the next
  access_token TEXT, -- NULL once the provider refuses to renew it
  issued_at INTEGER NOT NULL, -- when the access token was issued, and when it ends
  ends_at INTEGER NOT NULL,
  generation INTEGER NOT NULL, -- counts up with each refresh token
  renewing_until INTEGER, -- a process is renewing it; a refresh token can be used only once
  refusal TEXT, -- what the provider said: somebody has to sign in again
  PRIMARY KEY (org_id, mailbox_id),
  FOREIGN KEY (org_id, mailbox_id) REFERENCES mailboxes (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE mailbox_days ( -- emails of sequences by the day in the time zone of the org
  org_id INTEGER NOT NULL,
  mailbox_id TEXT NOT NULL,
  day TEXT NOT NULL,
  planned INTEGER NOT NULL,
  PRIMARY KEY (org_id, mailbox_id, day),
  FOREIGN KEY (org_id, mailbox_id) REFERENCES mailboxes (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE message_headers ( -- the mail headers of messages
  org_id INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  mailbox_id TEXT, -- the mailbox that sends or received it; NULL if that was deleted
  subject TEXT,
  refs TEXT NOT NULL CHECK (json_valid(refs)), -- JSON array: the header References, oldest first
  digest TEXT, -- of inbound mail: two with the same Message-ID may differ
  reply_to TEXT, -- the address for replies, if it is not the sender
  delivered_to TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(delivered_to)), -- JSON array: our addresses that it reached us by, of no mailbox
  attempted_at INTEGER, -- an attempt that has begun, with unknown result
  unconfirmed_tries INTEGER NOT NULL DEFAULT 0, -- attempts whose result stayed unknown
  outcomes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(outcomes)), -- JSON array: what became of it for single recipients, where they differ
  enrollment_id TEXT,
  is_aside INTEGER NOT NULL DEFAULT 0 CHECK (is_aside IN (0, 1)), -- to somebody who is not in the conversation, such as a supplier, or by them: no answer
  send_unless_reply INTEGER NOT NULL DEFAULT 0 CHECK (send_unless_reply IN (0, 1)), -- of a held one: not if they write before its time
  closes_conversation INTEGER NOT NULL DEFAULT 0 CHECK (closes_conversation IN (0, 1)), -- once it was sent
  PRIMARY KEY (org_id, message_id),
  FOREIGN KEY (org_id, message_id) REFERENCES messages (org_id, id),
  FOREIGN KEY (org_id, mailbox_id) REFERENCES mailboxes (org_id, id),
  FOREIGN KEY (org_id, enrollment_id) REFERENCES enrollments (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_headers_mailbox ON message_headers (org_id, mailbox_id);
CREATE INDEX message_headers_delivered ON message_headers (org_id, mailbox_id) WHERE delivered_to <> '[]';
CREATE INDEX message_headers_enrollment ON message_headers (org_id, enrollment_id) WHERE enrollment_id IS NOT NULL;

CREATE TABLE message_aliases ( -- other Message-IDs of a mail: its provider may replace the one that it was sent with
  org_id INTEGER NOT NULL,
  external_id TEXT NOT NULL, -- as in headers, with angle brackets
  message_id TEXT NOT NULL,
  PRIMARY KEY (org_id, external_id),
  FOREIGN KEY (org_id, message_id) REFERENCES messages (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_aliases_message ON message_aliases (org_id, message_id);

CREATE TABLE rules ( -- what is done with mails that come in: docs/decisions/077-rules.md
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  position INTEGER NOT NULL CHECK (position >= 0),
  mailbox_id TEXT, -- NULL: any
  conditions TEXT NOT NULL CHECK (json_valid(conditions)), -- JSON object: from, subject, text, language, sender
  owner_id TEXT,
  tag_ids TEXT NOT NULL CHECK (json_valid(tag_ids)), -- JSON array
  priority TEXT CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
  answer TEXT, -- with variables
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

CREATE TABLE rule_runs ( -- what rules did with a mail
  org_id INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  rule_id TEXT NOT NULL, -- no reference: the rule may be removed
  name TEXT NOT NULL, -- of the rule, at that time
  at INTEGER NOT NULL,
  done TEXT NOT NULL CHECK (json_valid(done)), -- JSON object: owner_id, tag_ids, priority, is_answered, is_closed
  conversation_version INTEGER, -- that it made, if it changed the conversation
  answer_id TEXT, -- the answer that it sent
  text_digest TEXT, -- of the domain of the sender and the text that was answered
  PRIMARY KEY (org_id, message_id, rule_id),
  FOREIGN KEY (org_id, message_id) REFERENCES messages (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, answer_id) REFERENCES messages (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX rule_runs_answer ON rule_runs (org_id, answer_id) WHERE answer_id IS NOT NULL;
CREATE INDEX rule_runs_text ON rule_runs (org_id, text_digest) WHERE text_digest IS NOT NULL;

CREATE TABLE satisfaction ( -- whether who is answered is asked if it was good: docs/decisions/079-satisfaction.md
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  mailbox_ids TEXT CHECK (mailbox_ids IS NULL OR json_valid(mailbox_ids)), -- JSON array; NULL: all
  language TEXT NOT NULL CHECK (language IN ('en', 'de')),
  question TEXT, -- NULL: that of the language, as the two answers
  good TEXT,
  not_good TEXT,
  pause_days INTEGER NOT NULL CHECK (pause_days >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX satisfaction_org ON satisfaction (org_id);

CREATE TABLE ratings ( -- mails that asked, and what was answered
  org_id INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  words TEXT NOT NULL CHECK (json_valid(words)), -- JSON object: language, question, good, not_good, as they were asked
  answer TEXT CHECK (answer IN ('good', 'not_good')),
  comment TEXT,
  answered_at INTEGER,
  changes INTEGER NOT NULL DEFAULT 0 CHECK (changes >= 0), -- how often it was answered
  PRIMARY KEY (org_id, message_id),
  FOREIGN KEY (org_id, message_id) REFERENCES messages (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX ratings_asked ON ratings (org_id, asked_at);

CREATE TABLE rejected_mails ( -- mails that could not be imported
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  mailbox_id TEXT NOT NULL,
  uid_validity INTEGER NOT NULL,
  uid INTEGER NOT NULL,
  external_id TEXT, -- its Message-ID
  sender TEXT,
  subject TEXT,
  error TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, mailbox_id) REFERENCES mailboxes (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX rejected_mails_uid ON rejected_mails (org_id, mailbox_id, uid_validity, uid);

CREATE TABLE sequences (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL CHECK (status IN ('draft', 'active', 'paused', 'archived')),
  position INTEGER NOT NULL CHECK (position >= 0),
  hours_id TEXT, -- NULL: at any hour
  mailbox_id TEXT, -- NULL: the sender's own, else the default
  current_version INTEGER NOT NULL, -- the number of the version for new enrollments
  steps TEXT NOT NULL CHECK (json_valid(steps)), -- JSON array, of the current version
  stop_on TEXT NOT NULL CHECK (json_valid(stop_on)), -- JSON array, of the current version
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, hours_id) REFERENCES hours (org_id, id),
  FOREIGN KEY (org_id, mailbox_id) REFERENCES mailboxes (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX sequences_key ON sequences (org_id, key);
CREATE INDEX sequences_position ON sequences (org_id, position);
CREATE INDEX sequences_hours ON sequences (org_id, hours_id);
CREATE INDEX sequences_mailbox ON sequences (org_id, mailbox_id);

CREATE TABLE sequence_versions ( -- the steps of enrollments that began with this version
  org_id INTEGER NOT NULL,
  sequence_id TEXT NOT NULL,
  number INTEGER NOT NULL, -- from 1
  steps TEXT NOT NULL CHECK (json_valid(steps)), -- JSON array
  stop_on TEXT NOT NULL CHECK (json_valid(stop_on)), -- JSON array
  created_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, sequence_id, number),
  FOREIGN KEY (org_id, sequence_id) REFERENCES sequences (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE enrollments ( -- a contact in a sequence
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  sequence_id TEXT NOT NULL,
  sequence_version INTEGER NOT NULL,
  contact_id TEXT, -- NULL if the contact was deleted
  sender_id TEXT,
  deal_id TEXT,
  status TEXT NOT NULL CHECK (status IN ('scheduled', 'active', 'paused', 'completed', 'stopped', 'failed')),
  stop_reason TEXT CHECK (stop_reason IN (
    'reply', 'meeting_booked', 'deal_closed', 'unsubscribe', 'bounce', 'manual', 'do_not_contact', 'no_email',
    'contact_deleted', 'merged', 'sequence_archived', 'no_mailbox', 'send_failed', 'error'
  )),
  current_step INTEGER NOT NULL CHECK (current_step >= 0), -- finished steps
  due_at INTEGER, -- of the next step, even while paused; NULL if there is none
  next_step_at INTEGER GENERATED ALWAYS AS (CASE WHEN status <> 'paused' THEN due_at END) VIRTUAL,
  conversation_id TEXT, -- the conversation of its emails
  replied_at INTEGER,
  bounced_at INTEGER,
  unsubscribed_at INTEGER,
  meeting_booked_at INTEGER,
  finished_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, sequence_id) REFERENCES sequences (org_id, id),
  FOREIGN KEY (org_id, sequence_id, sequence_version) REFERENCES sequence_versions (org_id, sequence_id, number),
  FOREIGN KEY (org_id, contact_id) REFERENCES contacts (org_id, id),
  FOREIGN KEY (org_id, sender_id) REFERENCES members (org_id, id),
  FOREIGN KEY (org_id, deal_id) REFERENCES deals (org_id, id),
  FOREIGN KEY (org_id, conversation_id) REFERENCES conversations (org_id, id),
  CHECK ((status IN ('completed', 'stopped', 'failed')) = (finished_at IS NOT NULL)),
  CHECK ((status IN ('stopped', 'failed')) = (stop_reason IS NOT NULL)),
  CHECK ((finished_at IS NULL) = (due_at IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX enrollments_live ON enrollments (org_id, sequence_id, contact_id)
  WHERE status IN ('scheduled', 'active', 'paused') AND contact_id IS NOT NULL;
CREATE INDEX enrollments_sequence ON enrollments (org_id, sequence_id);
CREATE INDEX enrollments_counts ON enrollments (org_id, sequence_id, status); -- counts read no rows
CREATE INDEX enrollments_version ON enrollments (org_id, sequence_id, sequence_version);
CREATE INDEX enrollments_contact ON enrollments (org_id, contact_id);
CREATE INDEX enrollments_sender ON enrollments (org_id, sender_id);
CREATE INDEX enrollments_deal ON enrollments (org_id, deal_id);
CREATE INDEX enrollments_conversation ON enrollments (org_id, conversation_id);
CREATE INDEX enrollments_status ON enrollments (org_id, status);
CREATE INDEX enrollments_updated ON enrollments (org_id, updated_at);
-- For the performance counts.
CREATE INDEX enrollments_finished ON enrollments (org_id, sequence_id, finished_at, status) WHERE finished_at IS NOT NULL;
CREATE INDEX enrollments_replied ON enrollments (org_id, sequence_id, replied_at) WHERE replied_at IS NOT NULL;
CREATE INDEX enrollments_unsubscribed ON enrollments (org_id, sequence_id, unsubscribed_at)
  WHERE unsubscribed_at IS NOT NULL;
CREATE INDEX enrollments_meeting_booked ON enrollments (org_id, sequence_id, meeting_booked_at)
  WHERE meeting_booked_at IS NOT NULL;
CREATE INDEX enrollments_sequence_deal ON enrollments (org_id, sequence_id, deal_id) WHERE deal_id IS NOT NULL;

CREATE TABLE enrollment_steps ( -- finished steps
  org_id INTEGER NOT NULL,
  enrollment_id TEXT NOT NULL,
  position INTEGER NOT NULL CHECK (position >= 0),
  step_id TEXT NOT NULL, -- no reference: steps are JSON in sequence_versions
  type TEXT NOT NULL CHECK (type IN ('email', 'task', 'call')),
  at INTEGER NOT NULL,
  message_id TEXT, -- of an email step
  task_id TEXT, -- of other steps; no reference: a task may be deleted
  sent_at INTEGER, -- of an email step: when the mail was accepted
  replied_at INTEGER, -- a reply arrived after this step and before the next
  bounced_at INTEGER,
  PRIMARY KEY (org_id, enrollment_id, position),
  FOREIGN KEY (org_id, enrollment_id) REFERENCES enrollments (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, message_id) REFERENCES messages (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX enrollment_steps_message ON enrollment_steps (org_id, message_id) WHERE message_id IS NOT NULL;
-- A step belongs to one sequence, so these also count by sequence.
CREATE INDEX enrollment_steps_sent ON enrollment_steps (org_id, step_id, sent_at, replied_at, bounced_at)
  WHERE sent_at IS NOT NULL;
CREATE INDEX enrollment_steps_replied ON enrollment_steps (org_id, step_id, replied_at) WHERE replied_at IS NOT NULL;
CREATE INDEX enrollment_steps_bounced ON enrollment_steps (org_id, step_id, bounced_at) WHERE bounced_at IS NOT NULL;

CREATE TABLE notes (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  title TEXT,
  body TEXT NOT NULL, -- Markdown
  contact_ids TEXT NOT NULL CHECK (json_valid(contact_ids)), -- JSON array, like company_ids and deal_ids
  company_ids TEXT NOT NULL CHECK (json_valid(company_ids)),
  deal_ids TEXT NOT NULL CHECK (json_valid(deal_ids)),
  meeting_id TEXT,
  conversation_id TEXT,
  author_id TEXT,
  is_pinned INTEGER NOT NULL CHECK (is_pinned IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, meeting_id) REFERENCES meetings (org_id, id),
  FOREIGN KEY (org_id, conversation_id) REFERENCES conversations (org_id, id),
  FOREIGN KEY (org_id, author_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX notes_author ON notes (org_id, author_id);
CREATE INDEX notes_pinned ON notes (org_id, is_pinned);
CREATE INDEX notes_meeting ON notes (org_id, meeting_id);
CREATE INDEX notes_conversation ON notes (org_id, conversation_id);
CREATE INDEX notes_updated ON notes (org_id, updated_at);

CREATE TABLE note_contacts (
  org_id INTEGER NOT NULL,
  contact_id TEXT NOT NULL,
  note_id TEXT NOT NULL,
  PRIMARY KEY (org_id, contact_id, note_id),
  FOREIGN KEY (org_id, contact_id) REFERENCES contacts (org_id, id),
  FOREIGN KEY (org_id, note_id) REFERENCES notes (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX note_contacts_note ON note_contacts (org_id, note_id);

CREATE TABLE note_companies (
  org_id INTEGER NOT NULL,
  company_id TEXT NOT NULL,
  note_id TEXT NOT NULL,
  PRIMARY KEY (org_id, company_id, note_id),
  FOREIGN KEY (org_id, company_id) REFERENCES companies (org_id, id),
  FOREIGN KEY (org_id, note_id) REFERENCES notes (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX note_companies_note ON note_companies (org_id, note_id);

CREATE TABLE note_deals (
  org_id INTEGER NOT NULL,
  deal_id TEXT NOT NULL,
  note_id TEXT NOT NULL,
  PRIMARY KEY (org_id, deal_id, note_id),
  FOREIGN KEY (org_id, deal_id) REFERENCES deals (org_id, id),
  FOREIGN KEY (org_id, note_id) REFERENCES notes (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX note_deals_note ON note_deals (org_id, note_id);

CREATE TABLE tasks (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT,
  type TEXT NOT NULL CHECK (type IN ('todo', 'call', 'email', 'meeting')),
  status TEXT NOT NULL CHECK (status IN ('open', 'done', 'canceled')),
  priority TEXT NOT NULL CHECK (priority IN ('low', 'normal', 'high')),
  priority_rank INTEGER NOT NULL GENERATED ALWAYS AS (
    CASE priority WHEN 'low' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END
  ) VIRTUAL, -- for sorting
  due_at INTEGER,
  owner_id TEXT,
  contact_ids TEXT NOT NULL CHECK (json_valid(contact_ids)), -- JSON array, like company_ids and deal_ids
  company_ids TEXT NOT NULL CHECK (json_valid(company_ids)),
  deal_ids TEXT NOT NULL CHECK (json_valid(deal_ids)),
  conversation_id TEXT,
  enrollment_id TEXT,
  completed_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, conversation_id) REFERENCES conversations (org_id, id),
  FOREIGN KEY (org_id, enrollment_id) REFERENCES enrollments (org_id, id),
  FOREIGN KEY (org_id, owner_id) REFERENCES members (org_id, id),
  CHECK ((status = 'done') = (completed_at IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX tasks_status ON tasks (org_id, status);
CREATE INDEX tasks_owner ON tasks (org_id, owner_id);
CREATE INDEX tasks_type ON tasks (org_id, type);
CREATE INDEX tasks_due ON tasks (org_id, due_at);
CREATE INDEX tasks_priority ON tasks (org_id, priority_rank);
CREATE INDEX tasks_conversation ON tasks (org_id, conversation_id);
CREATE INDEX tasks_enrollment ON tasks (org_id, enrollment_id) WHERE enrollment_id IS NOT NULL;
CREATE INDEX tasks_updated ON tasks (org_id, updated_at);

CREATE TABLE task_contacts (
  org_id INTEGER NOT NULL,
  contact_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  PRIMARY KEY (org_id, contact_id, task_id),
  FOREIGN KEY (org_id, contact_id) REFERENCES contacts (org_id, id),
  FOREIGN KEY (org_id, task_id) REFERENCES tasks (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX task_contacts_task ON task_contacts (org_id, task_id);

CREATE TABLE task_companies (
  org_id INTEGER NOT NULL,
  company_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  PRIMARY KEY (org_id, company_id, task_id),
  FOREIGN KEY (org_id, company_id) REFERENCES companies (org_id, id),
  FOREIGN KEY (org_id, task_id) REFERENCES tasks (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX task_companies_task ON task_companies (org_id, task_id);

CREATE TABLE task_deals (
  org_id INTEGER NOT NULL,
  deal_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  PRIMARY KEY (org_id, deal_id, task_id),
  FOREIGN KEY (org_id, deal_id) REFERENCES deals (org_id, id),
  FOREIGN KEY (org_id, task_id) REFERENCES tasks (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX task_deals_task ON task_deals (org_id, task_id);

CREATE TABLE lists (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('contact', 'company', 'deal')),
  kind TEXT NOT NULL CHECK (kind IN ('static', 'smart')),
  filter TEXT CHECK (filter IS NULL OR json_valid(filter)), -- JSON tree, of smart lists
  description TEXT,
  owner_id TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, owner_id) REFERENCES members (org_id, id),
  CHECK ((kind = 'smart') = (filter IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX lists_name ON lists (org_id, name_key);
CREATE INDEX lists_owner ON lists (org_id, owner_id);

CREATE TABLE list_contacts ( -- of static lists
  org_id INTEGER NOT NULL,
  list_id TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  PRIMARY KEY (org_id, list_id, contact_id),
  FOREIGN KEY (org_id, list_id) REFERENCES lists (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, contact_id) REFERENCES contacts (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX list_contacts_contact ON list_contacts (org_id, contact_id);

CREATE TABLE list_companies ( -- of static lists
  org_id INTEGER NOT NULL,
  list_id TEXT NOT NULL,
  company_id TEXT NOT NULL,
  PRIMARY KEY (org_id, list_id, company_id),
  FOREIGN KEY (org_id, list_id) REFERENCES lists (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, company_id) REFERENCES companies (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX list_companies_company ON list_companies (org_id, company_id);

CREATE TABLE list_deals ( -- of static lists
  org_id INTEGER NOT NULL,
  list_id TEXT NOT NULL,
  deal_id TEXT NOT NULL,
  PRIMARY KEY (org_id, list_id, deal_id),
  FOREIGN KEY (org_id, list_id) REFERENCES lists (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, deal_id) REFERENCES deals (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX list_deals_deal ON list_deals (org_id, deal_id);

-- Full-text search. Each searchable record has one document, whose words are folded, each with a first character for
-- its org and kind: so the index itself separates orgs. docid is the time and the counter of the record's id plus 6
-- more bits, since others may have the same; so the index returns the newest first. search_words contains each word
-- once, to look up the completions of a prefix. A write puts the words of its documents into search_pending, which
-- decides until they are moved into the index, many at once. src/store/search/search.ts writes them, search-index.ts moves them.

CREATE TABLE search_docs (
  docid INTEGER NOT NULL PRIMARY KEY,
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  kind INTEGER NOT NULL,
  record_id TEXT NOT NULL,
  words TEXT NOT NULL -- those in the index
) STRICT;

CREATE TABLE search_pending ( -- documents with other words than those in the index
  docid INTEGER NOT NULL PRIMARY KEY, -- in search_docs, without a reference, which would be checked for each write
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  words TEXT NOT NULL
) STRICT;

CREATE TABLE search_words (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  word TEXT NOT NULL,
  PRIMARY KEY (org_id, word)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE search USING fts5 (
  words, content = 'search_docs', content_rowid = 'docid', tokenize = 'ascii', detail = none, columnsize = 0,
  prefix = '2 3'
);
-- Writes do not wait for merges: src/store/upkeep.ts makes them, 16 segments at a time, since then the fewest
-- pages are written. FTS5 itself would merge only if there were a great many.
INSERT INTO search (search, rank) VALUES ('automerge', 0);
INSERT INTO search (search, rank) VALUES ('usermerge', 16);
INSERT INTO search (search, rank) VALUES ('crisismerge', 1000);

CREATE TABLE merges ( -- of duplicates: the record that was removed, and everything needed to undo the merge
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('contact', 'company')),
  kept_id TEXT NOT NULL, -- no references: both records may have been deleted
  merged_id TEXT NOT NULL,
  member_id TEXT,
  merged_at INTEGER NOT NULL,
  undone_at INTEGER,
  undo TEXT NOT NULL CHECK (json_valid(undo)), -- JSON object, empty after it was undone
  PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX merges_kept ON merges (org_id, object, kept_id);
CREATE INDEX merges_merged ON merges (org_id, object, merged_id);
-- What is imported under the id or the name of a merged record belongs to the one that stayed.
CREATE INDEX merges_external ON merges (org_id, object, undo ->> '$.merged.external_id') WHERE undone_at IS NULL;
CREATE INDEX merges_name ON merges (org_id, object, undo ->> '$.merged.name') WHERE undone_at IS NULL;

CREATE TABLE imports ( -- imports of files and their progress
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('contact', 'company', 'deal', 'note', 'task', 'meeting')),
  file_name TEXT NOT NULL,
  content TEXT NOT NULL, -- SHA-256 of the file: importing the same file continues where it was interrupted
  options TEXT NOT NULL CHECK (json_valid(options)), -- JSON object: the mapping, and how rows match records
  position INTEGER NOT NULL CHECK (position >= 0), -- how many rows of the file are done
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  unchanged INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  undo_started_at INTEGER,
  undone_at INTEGER,
  PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX imports_content ON imports (org_id, content);

CREATE TABLE import_rows ( -- the change of a record by a row of a file, so that it can be undone
  org_id INTEGER NOT NULL,
  import_id TEXT NOT NULL,
  record_id TEXT NOT NULL, -- no reference: it may have been deleted
  row_number INTEGER NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('contact', 'company', 'deal', 'meeting', 'tag', 'note', 'task', 'pipeline', 'stage', 'custom_field')),
  action TEXT NOT NULL CHECK (action IN ('created', 'updated')),
  version INTEGER NOT NULL, -- the version of the record after it
  previous TEXT CHECK (previous IS NULL OR json_valid(previous)), -- JSON object of the fields that an update changed
  is_undone INTEGER NOT NULL DEFAULT 0 CHECK (is_undone IN (0, 1)),
  PRIMARY KEY (org_id, import_id, record_id, row_number),
  FOREIGN KEY (org_id, import_id) REFERENCES imports (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE import_rejects ( -- rows of a file that could not be imported, with the reason
  org_id INTEGER NOT NULL,
  import_id TEXT NOT NULL,
  row_number INTEGER NOT NULL,
  error TEXT NOT NULL,
  PRIMARY KEY (org_id, import_id, row_number),
  FOREIGN KEY (org_id, import_id) REFERENCES imports (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE import_omissions ( -- values of rows that were imported without them, with the reason
  org_id INTEGER NOT NULL,
  import_id TEXT NOT NULL,
  row_number INTEGER NOT NULL,
  position INTEGER NOT NULL, -- within the row
  column_name TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (org_id, import_id, row_number, position),
  FOREIGN KEY (org_id, import_id) REFERENCES imports (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE external_ids ( -- ids of records in the products that they were imported from: docs/decisions/048-whole-accounts.md
  org_id INTEGER NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('contact', 'company', 'deal', 'note', 'task')),
  external_id TEXT NOT NULL,
  source TEXT NOT NULL, -- the product; empty if it is not known
  record_id TEXT NOT NULL, -- no reference: it may have been merged into another one, or be in the bin
  import_id TEXT NOT NULL,
  PRIMARY KEY (org_id, object, external_id, source),
  FOREIGN KEY (org_id, import_id) REFERENCES imports (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX external_ids_record ON external_ids (org_id, record_id);
CREATE INDEX external_ids_import ON external_ids (org_id, import_id);

CREATE TABLE events ( -- the outbox: one row per change, written in the same transaction
  commit_seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, -- the order of commits; ids of one millisecond do not show it
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  seq INTEGER NOT NULL, -- gapless per org
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  object_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor_type TEXT NOT NULL CHECK (actor_type IN ('member', 'system')),
  actor_id TEXT,
  data TEXT NOT NULL CHECK (json_valid(data)), -- JSON object of {object, changed_fields, previous}
  request_key TEXT -- the Idempotency-Key of the request, by which a screen recognises its own change
) STRICT;
CREATE UNIQUE INDEX events_seq ON events (org_id, seq, object_id); -- with the record: docs/decisions/023-timeline.md
CREATE INDEX events_steps ON events (org_id, actor_id, seq, request_key) -- what members did in the screens: docs/decisions/050-one-undo.md
  WHERE request_key >= 'step.' AND request_key < 'step/';

CREATE TABLE webhooks (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  event_types TEXT NOT NULL CHECK (json_valid(event_types)), -- JSON array of names and patterns
  description TEXT,
  status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'disabled')),
  disabled_reason TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_states ( -- delivery state of a webhook
  org_id INTEGER NOT NULL,
  webhook_id TEXT NOT NULL,
  secrets TEXT NOT NULL, -- encrypted JSON array of {secret, until}, newest first; the key is a file beside the database
  planned_seq INTEGER NOT NULL, -- all events up to here have their deliveries
  failures INTEGER NOT NULL, -- failed attempts since the last success
  failing_since INTEGER,
  held_until INTEGER, -- nothing is sent before this time
  last_success_at INTEGER,
  last_failure_at INTEGER,
  PRIMARY KEY (org_id, webhook_id),
  FOREIGN KEY (org_id, webhook_id) REFERENCES webhooks (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries ( -- an event for a webhook, or a test of one
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  webhook_id TEXT NOT NULL, -- no reference: there may be a million, which a job deletes in batches after the webhook
  event_id TEXT NOT NULL,
  seq INTEGER, -- of the event; NULL for a test
  type TEXT NOT NULL,
  object_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  tries TEXT NOT NULL CHECK (json_valid(tries)), -- JSON array
  failures INTEGER NOT NULL, -- attempts that count for the schedule
  is_ordered INTEGER NOT NULL CHECK (is_ordered IN (0, 1)), -- whether it waits for earlier deliveries of its record
  due_at INTEGER, -- NULL: finished, running, or waiting for another delivery of its record
  leased_until INTEGER, -- while it is being sent
  body TEXT, -- of a test
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  -- The filters of one webhook's deliveries, which may be few among those of all webhooks.
  webhook_status TEXT GENERATED ALWAYS AS (webhook_id || ' ' || status) VIRTUAL,
  webhook_type TEXT GENERATED ALWAYS AS (webhook_id || ' ' || type) VIRTUAL,
  PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_webhook ON deliveries (org_id, webhook_id);
CREATE UNIQUE INDEX deliveries_seq ON deliveries (org_id, webhook_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX deliveries_status ON deliveries (org_id, webhook_status);
CREATE INDEX deliveries_type ON deliveries (org_id, webhook_type);
CREATE INDEX deliveries_due ON deliveries (org_id, webhook_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_record ON deliveries (org_id, webhook_id, object_id, seq) WHERE status = 'pending' AND is_ordered = 1;
CREATE INDEX deliveries_tests ON deliveries (due_at) WHERE type = 'webhook.test' AND due_at IS NOT NULL;

CREATE TABLE jobs ( -- work for a later time
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT, -- the subject of the job: at most one job per kind and key
  payload TEXT NOT NULL CHECK (json_valid(payload)),
  due_at INTEGER NOT NULL,
  tries INTEGER NOT NULL, -- attempts that failed or, under a lease, have begun
  leased_until INTEGER, -- while it is running
  last_error TEXT,
  failed_at INTEGER, -- set after the last attempt
  created_at INTEGER NOT NULL,
  lane TEXT NOT NULL DEFAULT '', -- jobs of one lane share a few of the places of their kind; '': no lanes
  PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX jobs_key ON jobs (org_id, kind, key) WHERE key IS NOT NULL;
CREATE INDEX jobs_due ON jobs (kind, due_at, id) WHERE failed_at IS NULL AND leased_until IS NULL;
CREATE INDEX jobs_lanes ON jobs (kind, lane, due_at, id)
  WHERE lane <> '' AND failed_at IS NULL AND leased_until IS NULL;
CREATE INDEX jobs_leased ON jobs (leased_until) WHERE leased_until IS NOT NULL;
CREATE INDEX jobs_failed ON jobs (org_id, kind, failed_at) WHERE failed_at IS NOT NULL;

CREATE TABLE audit_chains ( -- the ends of each chain of the audit log
  org TEXT NOT NULL PRIMARY KEY, -- orgs.public_id, which outlives a restored export; '' for the whole installation
  anchor_seq INTEGER NOT NULL DEFAULT 0, -- the last entry that was deleted: the chain continues after it
  anchor_hash TEXT NOT NULL,
  last_seq INTEGER NOT NULL DEFAULT 0,
  last_hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_log ( -- who did what; docs/decisions/037-audit-log.md
  org TEXT NOT NULL,
  seq INTEGER NOT NULL, -- gapless
  at INTEGER NOT NULL,
  actor_type TEXT NOT NULL CHECK (actor_type IN ('member', 'command', 'server', 'stranger')),
  actor_id TEXT, -- the member, and their email at that time; no reference: they may have been removed
  actor_email TEXT,
  via TEXT, -- the session or token of a member, or the account of the machine that ran a command
  action TEXT NOT NULL,
  record_id TEXT, -- no reference: it may have been deleted
  detail TEXT NOT NULL CHECK (json_valid(detail)), -- JSON object
  hash TEXT NOT NULL, -- SHA-256 of the previous hash and the canonical text of the entry: src/events/audit/entry.ts
  PRIMARY KEY (org, seq)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER audit_log_next BEFORE INSERT ON audit_log
WHEN NEW.seq IS NOT (SELECT last_seq + 1 FROM audit_chains WHERE org = NEW.org)
BEGIN
  SELECT RAISE(ABORT, 'the audit log only takes the next entry');
END;
CREATE TRIGGER audit_log_end AFTER INSERT ON audit_log
BEGIN
  UPDATE audit_chains SET last_seq = NEW.seq, last_hash = NEW.hash WHERE org = NEW.org;
END;
CREATE TRIGGER audit_log_kept BEFORE UPDATE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'entries of the audit log do not change');
END;
CREATE TRIGGER audit_log_purged BEFORE DELETE ON audit_log
WHEN OLD.seq > (SELECT anchor_seq FROM audit_chains WHERE org = OLD.org)
BEGIN
  SELECT RAISE(ABORT, 'entries of the audit log are deleted only with those before them');
END;
CREATE TRIGGER audit_chains_forward BEFORE UPDATE ON audit_chains
WHEN NEW.org <> OLD.org OR NEW.anchor_seq < OLD.anchor_seq OR NEW.last_seq < OLD.last_seq
  OR NEW.anchor_seq > NEW.last_seq
BEGIN
  SELECT RAISE(ABORT, 'a chain of the audit log only grows');
END;
CREATE TRIGGER audit_chains_kept BEFORE DELETE ON audit_chains
BEGIN
  SELECT RAISE(ABORT, 'a chain of the audit log stays');
END;

CREATE TABLE recurring_jobs ( -- when recurring work last ran, and when it is due again
  name TEXT NOT NULL PRIMARY KEY,
  due_at INTEGER NOT NULL,
  last_started_at INTEGER,
  last_finished_at INTEGER,
  last_error TEXT,
  failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0) -- in a row
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency ( -- stored responses, for 24 h
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  caller TEXT NOT NULL, -- the id of the token or session that sent the key
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL, -- of method, target and body
  status INTEGER NOT NULL,
  headers TEXT NOT NULL CHECK (json_valid(headers)), -- JSON object
  body TEXT NOT NULL, -- encrypted if it contains a secret
  created_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, caller, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_created ON idempotency (created_at);
