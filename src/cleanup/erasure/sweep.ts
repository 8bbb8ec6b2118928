import { randomUUID } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { type TextTable, textTables } from '../../store/schema/tables.ts'
import { isUniqueViolation } from '../../store/sqlite/constraints.ts'
import { idsIn, type Traced } from './traces.ts'
import { ERASED, type Finder } from './traits.ts'

/** Written with the records that they are derived from. */
const DERIVED = new Set(['search_docs', 'search_pending', 'search_words', 'contact_emails', 'company_domains'])
/** Short-lived rows, or rows about one mail: nothing in them is worth more than the person's wish. */
const DROPPED = new Set(['idempotency', 'rejected_mails', 'notifications', 'spam_senders'])

type Row = Record<string, unknown>

/** A row with a text that names the person, as it was found. */
export type Hit = TextTable & { row: Row; find: Finder }

/**
 * Finds the rows of all tables in which a text names the person: by something that is theirs alone anywhere, by the name
 * only where the row also names a record of theirs.
 */
export function sweeper({ db }: Pick<Deps, 'db'>) {
  const tables = textTables(db).filter(({ table, texts }) => texts.length > 0 && !DERIVED.has(table))

  /** Settings are applied again as they are shown: an address that is none would be refused. */
  const dropErased = db.prepare(
    `UPDATE mailboxes SET trusted_forwarders =
       (SELECT json_group_array(value) FROM json_each(trusted_forwarders) WHERE value <> '${ERASED}')
     WHERE org_id = @org_id AND id = @id`,
  )

  function* hits(org: number, { linked }: Traced, own: Finder, all: Finder): Generator<Hit> {
    for (const each of tables) {
      const names = [...new Set(['org_id', ...each.key, ...each.texts])].join(', ')
      const rows = db.prepare(`SELECT ${names} FROM ${each.table} WHERE org_id = ?`).iterate(org)
      const found: Hit[] = [] // whoever gets them writes, which an open statement would prevent
      for (const row of rows as IterableIterator<Row>) {
        // Somebody else may have the same name: the contacts of a company are near each other.
        const isNear = each.table !== 'contacts' && each.texts.some((name) => isAmong(linked, row[name]))
        const find = isNear ? all : own
        if (isNamed(each, row, find)) found.push({ ...each, row, find })
      }
      yield* found
    }
  }

  const whereOf = ({ key }: Hit): string =>
    [...new Set(['org_id', ...key])].map((name) => `${name} = @${name}`).join(' AND ')

  /** The row as it is now, if it still names the person. */
  function now(hit: Hit): Hit | undefined {
    const names = Object.keys(hit.row).join(', ')
    const row = db.prepare(`SELECT ${names} FROM ${hit.table} WHERE ${whereOf(hit)}`).get(hit.row) as Row | undefined
    return row && isNamed(hit, row, hit.find) ? { ...hit, row } : undefined
  }

  /** Replaces the texts in a row; deletes it if its key names the person, or if it is of the kind that is dropped. */
  function clean(hit: Hit): void {
    const { table, key, texts, row, find } = hit
    const where = whereOf(hit)
    if (DROPPED.has(table) || key.some((name) => isChanged(find, row[name]))) {
      db.prepare(`DELETE FROM ${table} WHERE ${where}`).run(row)
      return
    }
    const changed = texts.filter((name) => isChanged(find, row[name]))
    const update = db.prepare(
      `UPDATE ${table} SET ${changed.map((name) => `${name} = @new_${name}`).join(', ')} WHERE ${where}`,
    )
    const replace = (instead?: string) =>
      update.run({
        ...row,
        ...Object.fromEntries(changed.map((name) => [`new_${name}`, find.without(row[name] as string, instead)])),
      })
    try {
      replace()
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      replace(`[erased ${randomUUID()}]`) // such as the Message-ID of a second mail
    }
    if (table === 'mailboxes') dropErased.run(row)
  }

  return { hits, now, clean }
}

const isAmong = (ids: ReadonlySet<string>, value: unknown): boolean =>
  ids.size > 0 && typeof value === 'string' && idsIn(value).some((id) => ids.has(id))

const isNamed = ({ texts }: TextTable, row: Row, find: Finder): boolean =>
  texts.some((name) => isChanged(find, row[name]))

const isChanged = (find: Finder, value: unknown): boolean => typeof value === 'string' && find.finds(value)
