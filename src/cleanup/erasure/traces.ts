import type { Deps } from '../../deps.ts'
import { parseExactly } from '../../lib/exact-json.ts'
import { blanked, ERASED, type Finder } from './traits.ts'

/** Ids in a text. */
const IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Whose ids these are: the traces of `gone` lose everything that was told about them, those of `linked` the person. */
export type Traced = {
  person: ReadonlySet<string>
  gone: ReadonlySet<string>
  /** Conversations of others whose preview may have been the beginning of a message of the person. */
  quoted: ReadonlySet<string>
  linked: ReadonlySet<string>
}

export const idsIn = (text: string): string[] => text.match(IDS) ?? []

type Event = { commit_seq: number; object_id: string; data: string }

/** What journals tell about records: copies for an undo, the history, and answers that are kept for a repeated request. */
export function traceStore({ db }: Pick<Deps, 'db'>) {
  const IN = 'IN (SELECT value FROM json_each(@ids))'
  const importRows = `SELECT import_id, row_number FROM import_rows WHERE org_id = @org AND record_id ${IN}`
  const removals = {
    deletions_in_bin: `DELETE FROM bin WHERE org_id = @org AND record_id ${IN}`,
    ids_elsewhere: `DELETE FROM external_ids WHERE org_id = @org AND record_id ${IN}`,
    merges: `DELETE FROM merges WHERE org_id = @org AND object = 'contact' AND (kept_id ${IN} OR merged_id ${IN})`,
    values_left_out: `DELETE FROM import_omissions WHERE org_id = @org AND (import_id, row_number) IN (${importRows})`,
    rows_rejected: `DELETE FROM import_rejects WHERE org_id = @org AND (import_id, row_number) IN (${importRows})`,
    import_rows: `DELETE FROM import_rows WHERE org_id = @org AND record_id ${IN}`,
    notifications: `DELETE FROM notifications WHERE org_id = @org AND record_id ${IN}`,
    samples: `DELETE FROM sample_records WHERE org_id = @org AND record_id ${IN}`,
  }
  const statements = Object.entries(removals).map(([kind, sql]) => ({ kind, run: db.prepare(sql) }))
  const clears = [
    `UPDATE bulk_rows SET error = NULL WHERE org_id = @org AND error IS NOT NULL AND record_id ${IN}`,
    `UPDATE deliveries SET tries = '[]' WHERE org_id = @org AND tries <> '[]' AND object_id ${IN}`,
  ].map((sql) => db.prepare(sql))
  const importsOf = db
    .prepare(`SELECT DISTINCT import_id FROM import_rows WHERE org_id = @org AND record_id ${IN}`)
    .pluck()
  const drafts = db.prepare('SELECT member_id, key FROM drafts WHERE org_id = ?')
  const removeDraft = db.prepare('DELETE FROM drafts WHERE org_id = ? AND member_id = ? AND key = ?')
  const draftFiles = db.prepare('SELECT id, key FROM draft_files WHERE org_id = ?')
  const removeDraftFile = db.prepare('DELETE FROM draft_files WHERE org_id = ? AND id = ?')
  const answers = db.prepare('SELECT caller, key, headers, body FROM idempotency WHERE org_id = ?')
  const removeAnswer = db.prepare('DELETE FROM idempotency WHERE org_id = ? AND caller = ? AND key = ?')
  const eventsOf = db
    .prepare(`SELECT commit_seq FROM events WHERE org_id = @org AND object_id ${IN} ORDER BY commit_seq`)
    .pluck()
  const since = db.prepare('SELECT commit_seq, object_id, data FROM events WHERE org_id = ? AND seq > ? ORDER BY seq')
  const eventOf = db.prepare('SELECT commit_seq, object_id, data FROM events WHERE org_id = ? AND commit_seq = ?')
  const setData = db.prepare('UPDATE events SET data = ? WHERE org_id = ? AND commit_seq = ?')
  const lastSeq = db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck()

  /** Removes the rows about these records; returns how many by kind. */
  function remove(org: number, ids: readonly string[]): Record<string, number> {
    const given = { org, ids: JSON.stringify(ids) }
    for (const clear of clears) clear.run(given)
    const counts = statements.map(({ kind, run }) => [kind, run.run(given).changes] as const)
    return Object.fromEntries(counts)
  }

  /** Answers and drafts name records in their texts. Read without a lock, and removed one by one. */
  function* removeNaming(org: number, ids: ReadonlySet<string>): Generator<'answers' | 'drafts' | 'draft_files'> {
    const names = (text: string): boolean => idsIn(text).some((id) => ids.has(id))
    const drafted = (drafts.all(org) as { member_id: string; key: string }[]).filter(({ key }) => names(key))
    for (const { member_id, key } of drafted) {
      removeDraft.run(org, member_id, key)
      yield 'drafts'
    }
    const filed = (draftFiles.all(org) as { id: string; key: string }[]).filter(({ key }) => names(key))
    for (const { id } of filed) {
      removeDraftFile.run(org, id)
      yield 'draft_files'
    }
    const kept: { caller: string; key: string }[] = []
    type Answer = { caller: string; key: string; headers: string; body: string }
    for (const { caller, key, headers, body } of answers.iterate(org) as IterableIterator<Answer>)
      if (names(headers) || names(body)) kept.push({ caller, key })
    for (const { caller, key } of kept) {
      removeAnswer.run(org, caller, key)
      yield 'answers'
    }
  }

  function told(org: number, event: Event, { gone, person, quoted }: Traced, find: Finder): boolean {
    const data = find.without(
      gone.has(event.object_id) ? blanked(event.data) : withoutPerson(event.data, person, quoted.has(event.object_id)),
    )
    if (data !== event.data) setData.run(data, org, event.commit_seq)
    return data !== event.data
  }

  return {
    remove,
    removeNaming,
    imports: (org: number, ids: readonly string[]) => importsOf.all({ org, ids: JSON.stringify(ids) }) as string[],
    /** The numbers of the events about these records. */
    eventsOf: (org: number, ids: Iterable<string>): number[] =>
      eventsOf.all({ org, ids: JSON.stringify([...ids]) }) as number[],
    /** Leaves ids and times in an event. */
    blank: (org: number, number: number, traced: Traced, find: Finder): boolean => {
      const event = eventOf.get(org, number) as Event | undefined
      return event !== undefined && told(org, event, traced, find)
    },
    /** Runs a change whose events must not tell about the person either. */
    quietly: (org: number, traced: Traced, find: Finder, job: () => void): void => {
      const before = lastSeq.get(org) as number
      job()
      for (const event of since.all(org, before) as Event[]) told(org, event, traced, find)
    },
  }
}

/** Takes the person off lists of people, such as participants, and their words out of the preview of a conversation. */
function withoutPerson(data: string, ids: ReadonlySet<string>, isQuoted: boolean): string {
  if (!isQuoted && !data.includes('"contact_id"')) return data
  return JSON.stringify(
    parseExactly(data, (name, value) => {
      if (isQuoted && name === 'preview') return ERASED
      return Array.isArray(value) ? value.filter((each) => !ids.has(each?.contact_id)) : value
    }),
  )
}
