import type { Connection } from '../../sqlite/driver.ts'

/** Lets the stage changes of deals wait in the order of time. */
export function addPendingStageChanges(db: Connection): void {
  db.exec(TABLES)
}

const TABLES = `
CREATE TABLE deal_stage_changes_pending (
  org_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  deal_id TEXT NOT NULL,
  deal_version INTEGER NOT NULL,
  from_stage_id TEXT NOT NULL,
  to_stage_id TEXT NOT NULL,
  member_id TEXT,
  PRIMARY KEY (org_id, at, deal_id, deal_version),
  FOREIGN KEY (org_id, deal_id) REFERENCES deals (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, from_stage_id) REFERENCES stages (org_id, id),
  FOREIGN KEY (org_id, to_stage_id) REFERENCES stages (org_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE VIEW deal_stage_history AS
  SELECT org_id, deal_id, deal_version, at, from_stage_id, to_stage_id, member_id FROM deal_stage_changes
  UNION ALL
  SELECT org_id, deal_id, deal_version, at, from_stage_id, to_stage_id, member_id FROM deal_stage_changes_pending;
`
