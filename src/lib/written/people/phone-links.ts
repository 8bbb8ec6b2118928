import { internationalOf } from './phone-countries.ts'
import { readPhones, type WrittenPhone } from './phones.ts'

/** A part of a written number, and what dials it; without `href` it is what stands between two. */
export type PhonePart = { text: string; href?: string | undefined }

/**
 * The parts of a phone as it is written, each number with its link: in E.164 where the country is known, else as it is
 * dialled there. What is no number has none: nobody is called by what is left of a text.
 */
export function phoneParts(written: string, country: string | undefined): PhonePart[] {
  const read = readPhones(written)
  if (!('value' in read)) return [{ text: written }]
  const [first, ...more] = read.value
  if (first && more.length === 0) return [{ text: written, href: linkOf(first, country) }]
  const parts: PhonePart[] = []
  let at = 0
  for (const phone of read.value) {
    const found = written.indexOf(phone.number, at)
    // It is written in part only, as in "030 1234-20/-21".
    if (found < 0) return read.value.flatMap((each, index) => [...(index > 0 ? [{ text: ', ' }] : []), whole(each)])
    if (found > at) parts.push({ text: written.slice(at, found) })
    parts.push(whole(phone))
    at = found + phone.number.length
  }
  return at < written.length ? [...parts, { text: written.slice(at) }] : parts

  function whole(phone: WrittenPhone): PhonePart {
    return { text: phone.number, href: linkOf(phone, country) }
  }
}

/** The longest of the standard. */
const MOST = 15

/** The link of a number (RFC 3966); undefined for one that no country has. */
function linkOf({ dialled, extension }: WrittenPhone, country: string | undefined): string | undefined {
  const number = internationalOf(dialled, country === undefined ? {} : { country })
  const isNone = number === undefined && (/^(?:\+|00)/.test(dialled) || dialled.length > MOST)
  return isNone ? undefined : `tel:${number ?? dialled}${extension === undefined ? '' : `;ext=${extension}`}`
}
