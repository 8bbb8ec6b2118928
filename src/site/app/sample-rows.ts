import type { Deps } from '../../deps.ts'
import { conversationRemoval } from '../../inbox/conversations/removal.ts'

/** What sample data consists of: the path of each in the API, whose table has the same name. */
const KINDS = [
  'tasks',
  'notes',
  'meetings',
  'enrollments',
  'conversations',
  'lists',
  'deals',
  'contacts',
  'companies',
  'tags',
  'custom-fields',
  'sequences',
  'members',
]
const MAX_SHOWN = 100

/** What is left of the sample data, and the removal of what the API cannot delete: mails, enrollments, settings. */
export function sampleRows({ db, clock }: Deps) {
  const removeConversation = conversationRemoval({ db, clock })
  const of = Object.fromEntries(
    KINDS.map((object) => {
      const table = object.replaceAll('-', '_')
      const joined = `sample_records AS sample JOIN ${table} AS own
        ON own.org_id = sample.org_id AND own.id = sample.record_id WHERE sample.org_id = ? AND sample.object = '${object}'`
      return [
        object,
        {
          count: db.prepare(
            `SELECT count(*) AS count, coalesce(sum(own.version > sample.version), 0) AS edited FROM ${joined}`,
          ),
          edited: db
            .prepare(`SELECT own.id FROM ${joined} AND own.version > sample.version LIMIT ${MAX_SHOWN}`)
            .pluck(),
          next: db.prepare(`SELECT own.id FROM ${joined} LIMIT ?`).pluck(),
          forgetEdited: db.prepare(
            `DELETE FROM sample_records WHERE org_id = @org AND object = '${object}' AND record_id IN
               (SELECT own.id FROM sample_records AS sample JOIN ${table} AS own
                  ON own.org_id = sample.org_id AND own.id = sample.record_id
                WHERE sample.org_id = @org AND sample.object = '${object}' AND own.version > sample.version)`,
          ),
        },
      ]
    }),
  )
  const waiting = db.prepare('SELECT 1 FROM jobs WHERE org_id = ? AND kind = ? LIMIT 1').pluck()
  const forget = db.prepare('DELETE FROM sample_records WHERE org_id = ? AND object = ? AND record_id = ?')
  const statements = (texts: string[]) => texts.map((text) => db.prepare(text))
  const removals: Record<string, ReturnType<typeof statements>> = {
    enrollments: statements([
      'UPDATE tasks SET enrollment_id = NULL WHERE org_id = @org AND enrollment_id = @id',
      'UPDATE message_headers SET enrollment_id = NULL WHERE org_id = @org AND enrollment_id = @id',
      `UPDATE messages SET enrollment_id = NULL WHERE org_id = @org AND enrollment_id = @id AND conversation_id =
         (SELECT conversation_id FROM enrollments WHERE org_id = @org AND id = @id)`,
      'DELETE FROM jobs WHERE org_id = @org AND key = @id',
      'DELETE FROM enrollments WHERE org_id = @org AND id = @id',
    ]),
    sequences: statements([
      `DELETE FROM sequences WHERE org_id = @org AND id = @id
         AND NOT EXISTS (SELECT 1 FROM enrollments WHERE org_id = @org AND sequence_id = @id)`,
    ]),
    // Who owns nothing more may still be in the history; a person who never signs in cannot do any harm.
    members: statements([
      "UPDATE members SET status = 'deactivated', version = version + 1 WHERE org_id = @org AND id = @id",
    ]),
  }

  function remove(org: number, object: string, id: string): void {
    if (object === 'conversations') removeConversation(org, id)
    for (const statement of removals[object] ?? []) statement.run({ org, id })
  }

  return {
    remove,
    isWaiting: (org: number, kind: string): boolean => waiting.get(org, kind) === 1,
    count: (org: number, object: string) => of[object]?.count.get(org) as { count: number; edited: number },
    /** The first edited records of all kinds. */
    edited: (org: number): { kind: string; id: string }[] =>
      Object.entries(of).flatMap(([kind, { edited }]) => (edited.all(org) as string[]).map((id) => ({ kind, id }))),
    next: (org: number, object: string, limit: number): string[] => of[object]?.next.all(org, limit) as string[],
    forget: (org: number, object: string, id: string): void => void forget.run(org, object, id),
    forgetEdited: (org: number, object: string): void => void of[object]?.forgetEdited.run({ org }),
  }
}
