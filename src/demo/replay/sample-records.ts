import type { Database } from '../../store/sqlite/driver.ts'

/** What sample data has, by its path in the API, with its table. */
const OBJECTS = {
  deals: 'deals',
  contacts: 'contacts',
  companies: 'companies',
  notes: 'notes',
  tasks: 'tasks',
  meetings: 'meetings',
  conversations: 'conversations',
  enrollments: 'enrollments',
  sequences: 'sequences',
  lists: 'lists',
  tags: 'tags',
  'custom-fields': 'custom_fields',
  members: 'members',
} as const

/**
 * Remembers everything that an organisation has as its sample data, except one member, so that it can be removed later.
 * A record with a higher version than now was edited.
 */
export function rememberSample(db: Database, org: number, owner: string): void {
  for (const [object, table] of Object.entries(OBJECTS)) {
    db.prepare(
      `INSERT INTO sample_records (org_id, object, record_id, version)
       SELECT org_id, ?, id, version FROM ${table} WHERE org_id = ? AND id <> ?`,
    ).run(object, org, owner)
  }
}
