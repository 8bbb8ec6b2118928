import { readName, type WrittenName } from './names.ts'

// The names of a contact, which has a first and a last one: a title stays with the one, a suffix with the other.

export type NameFields = { first_name?: string; last_name?: string }

/** The two parts that a contact has. */
export function namesOf({ prefix, given, family, suffix }: WrittenName): NameFields {
  const behind = suffix === undefined ? '' : `${GENERATION.test(suffix) ? ' ' : ', '}${suffix}`
  const first = given === undefined ? '' : `${prefix === undefined ? '' : `${prefix} `}${given}`
  const last = family === undefined ? '' : `${given === undefined && prefix ? `${prefix} ` : ''}${family}`
  const [first_name, last_name] = last === '' ? [first + behind, last] : [first, last + behind]
  return { ...(first_name === '' ? {} : { first_name }), ...(last_name === '' ? {} : { last_name }) }
}

const GENERATION =
  /^(?:[js]r|jnr|snr|jun|sen|junior|senior|júnior|filho|neto|[IVX]+)\.?$|^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}]/iu

/** The same of a text that is a name for certain, or is to be one: what is no person's name is a last name. */
export function likelyNames(text: string): NameFields {
  const name = readName(text)
  return name?.given !== undefined || name?.family !== undefined ? namesOf(name) : { last_name: text.trim() }
}

export type Typed = { first_name: string | null; last_name: string | null }

/**
 * The names of a contact that somebody types. What has more than a name, such as a company in brackets, stays whole, since
 * nothing else would keep it. Where they edit the name of `former`, what they left of it stays the part that it was.
 */
export function typedNames(text: string, locale: string, former?: Typed): Typed {
  const kept = former && keptPart(text.trim(), former)
  if (kept) return kept
  const { company, rest, nickname, ...name } = readName(text, { locale }) ?? {}
  const hasMore = company !== undefined || rest !== undefined || nickname !== undefined
  const { first_name = null, last_name = null } = hasMore ? {} : namesOf(name)
  return first_name === null && last_name === null ? { first_name, last_name: text.trim() } : { first_name, last_name }
}

/** One of two names is as it was: "Ida Maria | Lund" became "Ida Maria Berg". */
function keptPart(text: string, { first_name, last_name }: Typed): Typed | undefined {
  if (!first_name || !last_name || text.includes(',')) return undefined
  if (text === first_name || text === last_name)
    return text === first_name ? { first_name, last_name: null } : { first_name: null, last_name }
  if (text.startsWith(`${first_name} `)) return { first_name, last_name: text.slice(first_name.length).trim() }
  return text.endsWith(` ${last_name}`) ? { first_name: text.slice(0, -last_name.length).trim(), last_name } : undefined
}
