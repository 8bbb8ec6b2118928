import { createRequire } from 'node:module'
import type { Address as Parsed } from 'postal-mime'
import * as v from 'valibot'
import { emailIn } from '../../email.ts'
import * as f from '../../fields.ts'
import type { Address } from '../mail.ts'
import { decodeField, type Head } from './head.ts'
import { oneLine } from './text.ts'

const requireHere = typeof require === 'function' ? undefined : createRequire(import.meta.filename)
const library = (): typeof import('postal-mime') => (requireHere ? requireHere('postal-mime') : require('postal-mime'))

const MAX_ADDRESSES = 50
/** Longer than any field with that many addresses and names. The library is slow on input that contains no address. */
const MAX_CHARS = 16_384
const MAX_FIELDS = 4

/** Returns the valid addresses of a field, in order and without duplicates. */
export function addressesIn(head: Head, name: string, charset?: string): Address[] {
  const found = new Map<string, Address>()
  for (const field of (head.fields.get(name) ?? []).slice(0, MAX_FIELDS)) {
    let before = ''
    for (const parsed of library().addressParser(bracketed(oneCharset(field.slice(0, MAX_CHARS), charset)), {
      flatten: true,
    })) {
      const address = addressOf(parsed)
      if (!address) {
        before = parsed.address ? '' : parsed.name
        continue
      }
      // "Ruiz, Eva <eva@...>" without the quotation marks that it needs: the first part is a name and no address.
      if (before && address.name !== null) address.name = oneLine(`${before}, ${address.name}`)
      before = ''
      if (found.size < MAX_ADDRESSES && !found.has(address.email)) found.set(address.email, address)
    }
  }
  return [...found.values()]
}

/**
 * The library decodes the encoded words of a name only after it has found where the name ends, so that a comma inside a
 * word stays part of the name. It supports only some charsets, so all words are re-encoded as UTF-8 first.
 */
function oneCharset(field: string, charset: string | undefined): string {
  const words = /(?:=\?[^?\s]{1,60}\?[bBqQ]\?[^?]{0,8000}\?=[ \t]*)+/g
  const labelled = field.replace(words, (run) => {
    const decoded = decodeField(run.trimEnd(), charset)
    return `=?utf-8?B?${Buffer.from(decoded).toString('base64')}?=${/[ \t]$/.test(run) ? ' ' : ''}`
  })
  return /[\u0080-\u00ff]/.test(labelled)
    ? decodeField(labelled.replaceAll('=?', '=\u0001?'), charset).replaceAll('=\u0001?', '=?')
    : labelled
}

/** Without angle brackets, the library takes a local part in quotation marks for a name. */
const bracketed = (field: string): string =>
  field.replace(/(?<=^|,)\s*("(?:[^"\\]|\\.){1,200}"@[^\s,<>]{1,253})\s*(?=,|$)/g, ' <$1>')

function addressOf({ address = '', name }: Parsed): Address | undefined {
  const email = cleanEmail(address)
  if (email === undefined) return undefined
  const shown = oneLine(name)
    .replace(/^(["'])(.*)\1$/, '$2')
    .trim()
  return { email, name: shown === '' || shown.toLowerCase() === email.toLowerCase() ? null : shown }
}

/** Returns the address of one line, with its domain in lower case; undefined if it is not valid. */
export function cleanEmail(text: string): string | undefined {
  const email = emailIn(oneLine(text, 300))?.replace(/@[^@]*$/, (domain) => domain.toLowerCase())
  return v.is(f.email, email) ? email : undefined
}
