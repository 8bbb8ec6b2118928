import { emailIn, emailKey } from '../../../lib/email.ts'
import { fold } from '../../../lib/pure/fold.ts'
import type { Context } from '../../../lib/written/reading.ts'
import { addressesIn } from './addresses.ts'
import type { Draft, Link } from './draft.ts'
import { join, linkNote } from './draft-values.ts'
import { quoted } from './figures.ts'
import { personIn } from './person.ts'

// Cells that fill several members: names of people, addresses, and pages of the web.

/** Google writes all web pages into a cell. The first one is taken, and a note keeps all of them. */
export function firstPage(draft: Draft, column: string, text: string): string {
  const [first = text, ...others] = text.split(/\s*:::\s*/)
  if (others.length > 0) linkNote(draft, 'notes', `${column}: ${text}`)
  return first
}

/** A name, and what stands beside it: an address, a company, a job. What is in no field, a note keeps. */
export function putPerson(draft: Draft, column: string, text: string, context: Context): void {
  const { given, links } = draft
  const [, bare = text, address] = /^(.*\S)\s*<\s*([^<>\s]+@[^<>\s]+)\s*>$/su.exec(text) ?? []
  const email = emailIn(address ?? text)
  const isThere = ((given.emails ?? []) as { email: string }[]).some(
    (each) => email && emailKey(each.email) === emailKey(email),
  )
  if (email !== undefined && address === undefined && isThere) return // programs show the address of who has no name
  if (email !== undefined && address !== undefined && !isThere) join(draft, 'emails', [{ email, label: 'work' }])
  const { first_name, last_name, company, job_title, hasMore, unsure } = personIn(bare, context)
  Object.assign(given, { ...(first_name ? { first_name } : {}), ...(last_name ? { last_name } : {}) })
  const isOther = company !== undefined && links.has('company_id')
  if (company !== undefined && !isOther) links.set('company_id', { kind: 'company', texts: [company] })
  const isHeld = job_title !== undefined && given.job_title !== undefined
  if (job_title !== undefined && !isHeld) given.job_title = job_title
  if (hasMore || isHeld || (isOther && !isNamed(links.get('company_id'), company)))
    linkNote(draft, 'notes', `${column}: ${text}`)
  if (unsure !== undefined) draft.unsure = [...(draft.unsure ?? []), { column, reason: `${quoted(text)} ${unsure}` }]
}

const isNamed = (link: Link | undefined, name: string): boolean =>
  link?.texts.some((text) => fold(text) === fold(name)) === true

/** The first address of a row, and notes of the others. */
export function putAddresses(draft: Draft, context: Context) {
  const { address, notes, remarks } = addressesIn(draft.places ?? [], context)
  if (address !== undefined) draft.given.address = { ...(draft.given.address as object), ...address }
  for (const note of notes) linkNote(draft, 'notes', note)
  if (remarks.length > 0) draft.unsure = [...(draft.unsure ?? []), ...remarks]
}
