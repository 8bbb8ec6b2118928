import type { Deps } from '../../deps.ts'
import { emailKey } from '../../lib/email.ts'
import { UUID } from '../../lib/id.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import type { Contact } from '../../records/contact.ts'
import { isFullName } from './patterns.ts'
import { ERASED, finder, isDistinct, type Traits } from './traits.ts'

/**
 * Somebody whose data are erased or shown. `ids` are of the contact and of those that were merged into it; there is none
 * for a person of whom only an email is known, such as a participant of a meeting.
 */
export type Person = { ids: readonly string[]; traits: Traits }

type Known = Partial<Pick<Contact, 'name' | 'first_name' | 'last_name' | 'emails' | 'phones' | 'linkedin_url'>>

/** Finds a person by the id of a contact or by an email, and what the person is recognised by. */
export function people({ db }: Pick<Deps, 'db'>) {
  const byId = db.prepare(
    'SELECT name, first_name, last_name, emails, phones, linkedin_url FROM contacts WHERE org_id = ? AND id = ?',
  )
  const byEmail = db.prepare('SELECT contact_id FROM contact_emails WHERE org_id = ? AND email_key = ?').pluck()
  const inBin = db.prepare("SELECT record FROM bin WHERE org_id = ? AND record_id = ? AND object = 'contact'").pluck()
  const binned = db.prepare("SELECT record_id, record FROM bin WHERE org_id = ? AND object = 'contact'")
  // Also what was merged into those before.
  const mergedInto = db.prepare(
    `WITH RECURSIVE into_one (merged_id, undo) AS (
       SELECT merged_id, undo FROM merges WHERE org_id = @org AND kept_id = @id AND object = 'contact'
       UNION SELECT merges.merged_id, merges.undo FROM into_one JOIN merges
         ON merges.org_id = @org AND merges.kept_id = into_one.merged_id AND merges.object = 'contact')
     SELECT merged_id, undo FROM into_one`,
  )
  const mergeOf = db
    .prepare(
      "SELECT kept_id FROM merges WHERE org_id = ? AND merged_id = ? AND object = 'contact' AND undone_at IS NULL",
    )
    .pluck()
  const told = db
    .prepare("SELECT data FROM events WHERE org_id = ? AND object_id = ? AND type LIKE 'contact.%'")
    .pluck()
  const emailElsewhere = db
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM contact_emails WHERE org_id = @org AND email_key = @key
           AND contact_id NOT IN (SELECT value FROM json_each(@ids)))
         OR EXISTS (SELECT 1 FROM members WHERE org_id = @org AND email = @key)
         OR EXISTS (SELECT 1 FROM mailboxes WHERE org_id = @org AND email_key(address) = @key)
         OR EXISTS (SELECT 1 FROM mailboxes, json_each(mailboxes.aliases) AS alias
           WHERE mailboxes.org_id = @org AND email_key(alias.value) = @key)`,
    )
    .pluck()
  const textsOfOthers = db
    .prepare(
      `WITH others AS (SELECT phones, linkedin_url FROM contacts WHERE org_id = @org
         AND id NOT IN (SELECT value FROM json_each(@ids)))
       SELECT phones FROM others WHERE phones <> '[]'
       UNION ALL SELECT linkedin_url FROM others WHERE linkedin_url IS NOT NULL
       UNION ALL SELECT phone FROM companies WHERE org_id = @org AND phone IS NOT NULL
       UNION ALL SELECT linkedin_url FROM companies WHERE org_id = @org AND linkedin_url IS NOT NULL`,
    )
    .pluck()

  /** Throws 404 for nobody, and 409 for an email of several contacts, and for a contact that was merged into another. */
  function find(org: number, asked: string): Person {
    if (!asked.includes('@')) return personOf(org, idOf(org, asked.toLowerCase()), [])
    const found = byEmail.all(org, emailKey(asked)) as string[]
    if (found.length > 1)
      throw conflict(
        'several_contacts',
        `Several contacts have the email ${asked}. Name one by its id: ${found.join(', ')}.`,
      )
    return personOf(org, found[0] ?? deletedWith(org, emailKey(asked)), [asked])
  }

  function idOf(org: number, id: string): string {
    const kept = mergeOf.get(org, id) as string | undefined
    if (kept) throw conflict('merged', `The contact ${id} was merged into ${kept}. Name that one.`)
    if (UUID.test(id) && (byId.get(org, id) || inBin.get(org, id) || told.get(org, id))) return id
    throw new Problem(
      404,
      'no_contact',
      `There is no contact with the id ${id}, neither in the bin nor in the history.`,
    )
  }

  /** A deleted contact is in the bin for 30 days. */
  function deletedWith(org: number, key: string): string | undefined {
    for (const { record_id, record } of binned.all(org) as { record_id: string; record: string }[])
      if ((JSON.parse(record) as Contact).emails.some(({ email }) => emailKey(email) === key)) return record_id
    return undefined
  }

  function personOf(org: number, id: string | undefined, emails: readonly string[]): Person {
    const merges = (id ? mergedInto.all({ org, id }) : []) as { merged_id: string; undo: string }[]
    const ids = [...new Set([...(id ? [id] : []), ...merges.map(({ merged_id }) => merged_id)])]
    const known: Known[] = [
      ...merges.flatMap(({ undo }) => (JSON.parse(undo) as { merged?: Known }).merged ?? []),
      ...ids.flatMap((each) => formsOf(org, each)),
    ]
    return { ids, traits: traitsOf(org, ids, known, emails) }
  }

  /** The contact as it is, as it was deleted, and as events show it: people change their names and addresses. */
  function formsOf(org: number, id: string): Known[] {
    const row = byId.get(org, id) as Record<'emails' | 'phones', string> | undefined
    const now = row && { ...row, emails: JSON.parse(row.emails), phones: JSON.parse(row.phones) }
    const deleted = inBin.get(org, id) as string | undefined
    const events = (told.all(org, id) as string[]).flatMap((data) => {
      const { object, previous } = JSON.parse(data) as { object: Known; previous: Known }
      return [object, { ...object, ...previous }]
    })
    return [...(now ? [now] : []), ...(deleted ? [JSON.parse(deleted) as Known] : []), ...events]
  }

  function traitsOf(org: number, ids: readonly string[], known: readonly Known[], given: readonly string[]): Traits {
    const all = JSON.stringify(ids)
    const emails = [...given, ...known.flatMap((each) => each.emails?.map(({ email }) => email) ?? [])]
    const texts = known.flatMap(({ phones, linkedin_url }) => [
      ...(phones?.map(({ number }) => number) ?? []),
      ...(linkedin_url ? [linkedin_url] : []),
    ])
    const names = known.flatMap(({ name, first_name, last_name }) => {
      const both = first_name && last_name ? [`${first_name} ${last_name}`, `${last_name}, ${first_name}`] : []
      return [...(name ? [name] : []), ...both]
    })
    const ofOthers = new Set([
      ...unique(emails).filter((email) => emailElsewhere.get({ org, key: emailKey(email), ids: all }) !== 0),
      ...among(unique(texts), textsOfOthers.iterate({ org, ids: all }) as IterableIterator<string>),
    ])
    const own = unique([...emails, ...texts]).filter((text) => isDistinct(text) && !ofOthers.has(text))
    return {
      own,
      names: unique(names).filter(isFullName),
      left: unique([...emails, ...texts, ...names]).filter((text) => !own.includes(text) && !isFullName(text)),
    }
  }

  /** Those that any of the others has, in whichever notation. */
  function among(texts: readonly string[], others: Iterable<string>): string[] {
    let rest = texts.map((text) => ({ text, find: finder([text]) }))
    const found: string[] = []
    for (const other of others)
      rest = rest.filter(({ text, find }) => {
        const isOther = find.finds(other)
        if (isOther) found.push(text)
        return !isOther
      })
    return found
  }

  return { find }
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)].filter((text) => !text.includes(ERASED))
