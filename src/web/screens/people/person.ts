import type { Draft, Field } from '../../components/fields/field.ts'
import { isEmpty, kindOf, valueOfDraft } from '../../components/fields/field-types.ts'
import { draftsOf } from '../../components/fields/use-form.ts'
import { boot } from '../../data/boot.ts'
import { texts as tableTexts } from '../../tables/texts.ts'
import { texts } from './texts.ts'

// A person of a pasted text, as it is corrected before anything is written.

/** What POST /app/people/read answers of each. */
export type PersonFound = {
  first_name: string | null
  last_name: string | null
  job_title: string | null
  emails: { email: string; label: string }[]
  phones: { number: string; label: string }[]
  website: string | null
  linkedin_url: string | null
  address: Record<string, string> | null
  custom_fields: Record<string, unknown>
  company: { id: string | null; name: string; domain: string | null; because: 'name' | 'domain' | null } | null
  known: { id: string; name: string; because: 'email' | 'name' } | null
  twin: number | null
  unread: string[]
}

export const CHOICES = ['create', 'add', 'skip'] as const
export type Choice = (typeof CHOICES)[number]

export const PIECE_KINDS = ['note', 'job_title', 'company', 'none'] as const
type Piece = { text: string; as: (typeof PIECE_KINDS)[number] }

export type Person = {
  found: PersonFound
  fields: readonly Field[]
  drafts: Record<string, Draft>
  choice: Choice
  pieces: readonly Piece[]
  errors: Record<string, string>
  /** Why the server did not take it. */
  fault?: string | undefined
  isMade?: boolean
}

/** Who is there with the same email is complemented, and who is in the text twice is left out: both can be changed. */
export function personOf(found: PersonFound): Person {
  const fields = fieldsFor(found)
  const primary = <Each extends object>(all: Each[]) => all.map((each, at) => ({ ...each, is_primary: at === 0 }))
  const custom = Object.fromEntries(Object.entries(found.custom_fields).map(([key, value]) => [CUSTOM + key, value]))
  const values = {
    ...found,
    ...custom,
    company: found.company?.name ?? null,
    emails: primary(found.emails),
    phones: primary(found.phones),
  }
  return {
    found,
    fields,
    drafts: draftsOf(fields, values),
    choice: found.twin !== null ? 'skip' : found.known?.because === 'email' ? 'add' : 'create',
    pieces: found.unread.map((text) => ({ text, as: 'note' })),
    errors: {},
  }
}

const CUSTOM = 'custom_fields.'

/** Those that are usual, and the others of which the text says something or which are required. */
function fieldsFor(found: PersonFound): Field[] {
  const words = tableTexts().fields
  const rare: Field[] = [
    { key: 'website', label: words.website, type: 'url' },
    { key: 'linkedin_url', label: words.linkedin, type: 'url' },
    { key: 'address', label: words.address, type: 'address' },
  ]
  const custom = boot
    .peek()
    .custom_fields.filter(
      ({ object, key, is_required, is_archived }) =>
        object === 'contact' && !is_archived && (is_required || found.custom_fields[key] !== undefined),
    )
    .map(({ key, label, type, options, help_text, is_required }): Field => {
      return { key: CUSTOM + key, label, type, options: options ?? [], help_text, is_required, isLong: true }
    })
  return [
    { key: 'first_name', label: words.firstName, type: 'text' },
    { key: 'last_name', label: words.lastName, type: 'text' },
    { key: 'job_title', label: words.jobTitle, type: 'text' },
    { key: 'company', label: words.company, type: 'text' },
    { key: 'emails', label: words.email, type: 'emails' },
    { key: 'phones', label: words.phone, type: 'phones' },
    ...rare.filter(({ key }) => found[key as 'website'] !== null),
    ...custom,
  ]
}

export const nameOfPerson = ({ drafts }: Person): string =>
  [drafts.first_name, drafts.last_name].filter(Boolean).join(' ').trim()

/** With what is wrong in it; a person that exists lacks nothing that is required. */
export function checked(person: Person): Person {
  const errors: Record<string, string> = {}
  const values = person.fields.map((field) => {
    const isRequired = person.choice === 'create' && field.is_required === true
    const parsed = valueOfDraft(person.drafts[field.key], { ...field, is_required: isRequired })
    if ('error' in parsed) errors[field.key] = parsed.error
    return 'error' in parsed || !isReach(field.key) ? null : parsed.value
  })
  if (Object.keys(errors).length === 0 && values.every(isEmpty)) errors.first_name = texts().needsOne
  return { ...person, errors }
}

const isReach = (key: string): boolean => /_name$|^emails$|^phones$/.test(key)

/** Whether a company of this name is there, and is meant. */
export const isCompanyThere = ({ found: { company }, drafts }: Person): boolean =>
  company?.id != null && drafts.company === company.name

/** The person as POST /app/people takes it. */
export function bodyOf(person: Person, owner: string | null): Record<string, unknown> {
  const { found, drafts, choice, pieces } = person
  const contact: Record<string, unknown> = choice === 'create' ? { owner_id: owner } : {}
  const custom: Record<string, unknown> = {}
  for (const field of person.fields) {
    const parsed = valueOfDraft(drafts[field.key], field)
    if ('error' in parsed || isEmpty(parsed.value) || field.key === 'company') continue
    if (field.key.startsWith(CUSTOM)) custom[field.key.slice(CUSTOM.length)] = parsed.value
    else contact[field.key] = parsed.value
  }
  if (Object.keys(custom).length > 0) contact.custom_fields = custom
  const name = String(drafts.company ?? '').trim()
  const isThere = isCompanyThere(person)
  if (isThere) contact.company_id = found.company?.id
  // The domain of another company stays with that one.
  const domain = found.company?.id === null ? found.company.domain : null
  const note = pieces.flatMap(({ text, as }) => (as === 'note' ? text : [])).join('\n')
  return {
    contact,
    ...(isThere || name === '' ? {} : { company: { name, ...(domain ? { domain } : {}) } }),
    ...(choice === 'add' && found.known ? { to_contact_id: found.known.id } : {}),
    ...(choice === 'create' && (found.known?.because === 'email' || found.twin !== null)
      ? { allow_duplicate: true }
      : {}),
    ...(note === '' ? {} : { note }),
  }
}

/** A piece that was not understood becomes the value of a field, or leaves the note. */
export function withPiece(person: Person, at: number, as: Piece['as']): Person {
  const pieces = person.pieces.map((piece, index) => (index === at ? { ...piece, as } : piece))
  const text = person.pieces[at]?.text ?? ''
  const isField = as === 'job_title' || as === 'company'
  const drafts = isField ? { ...person.drafts, [as]: text } : person.drafts
  return { ...person, pieces, drafts }
}

/** An email or a phone of a person, for the line of the list. */
export function reachOf({ drafts, fields }: Person): string {
  const shown = fields.filter(({ key }) => key === 'emails' || key === 'phones')
  const texts = shown.flatMap((field) => {
    const lines = drafts[field.key] as { text: string }[]
    return kindOf(field.type) ? lines.map(({ text }) => text) : []
  })
  return texts.find((text) => text.trim() !== '') ?? ''
}
