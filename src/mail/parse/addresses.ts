import { createRequire } from 'node:module'
import type { Address as Parsed } from 'postal-mime'
import * as v from 'valibot'
import * as f from '../../lib/fields.ts'
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
  for (const field of (head.fields.get(name) ?? []).slice(0, MAX_FIELDS))
    for (const parsed of library().addressParser(oneCharset(field.slice(0, MAX_CHARS), charset), { flatten: true })) {
      const address = addressOf(parsed)
      if (address && found.size < MAX_ADDRESSES && !found.has(address.email)) found.set(address.email, address)
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

function addressOf({ address = '', name }: Parsed): Address | undefined {
  const email = cleanEmail(address)
  if (email === undefined) return undefined
  const shown = oneLine(name)
    .replace(/^(["'])(.*)\1$/, '$2')
    .trim()
  return { email, name: shown === '' || shown.toLowerCase() === email.toLowerCase() ? null : shown }
}

/**
 * Returns the address with its domain in lower case, since domains are case-insensitive; undefined if it is not valid.
 */
export function cleanEmail(text: string): string | undefined {
  const bare = oneLine(text, 300).replace(/^<|\.?>?$/g, '')
  const at = bare.lastIndexOf('@')
  const email = v.safeParse(f.email, bare.slice(0, at) + bare.slice(at).toLowerCase())
  return email.success ? email.output : undefined
}
