import { timingSafeEqual } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { signatures } from '../../auth/former-keys.ts'
import { type Deps, once } from '../../deps.ts'
import type { Mailbox } from './mailbox.ts'

// If the server of a mailbox accepts "support+anything@...", replies can go to an address that identifies the
// conversation: they find it even if a mail program omits the reply headers.

const PURPOSE = 'reply tag'
const SIGNATURE_BYTES = 6
const TAG = /^c([1-9]\d{0,14})-([0-9a-f]{12})$/

/**
 * Tags are signed, so that nobody can write into a conversation by guessing its number. They are lower case, because
 * servers may change the case.
 */
export const replyTags = once(({ db, vault }: Deps) => {
  const publicId = db.prepare('SELECT public_id FROM orgs WHERE id = ?').pluck()

  const signed = signatures({ db, vault })
  const textOf = (org: number, number: number): string => `${publicId.get(org)} ${number}`
  const bytesOf = (signature: string): Buffer => Buffer.from(signature, 'base64url').subarray(0, SIGNATURE_BYTES)

  const tagOf = (org: number, number: number): string =>
    `+c${number}-${bytesOf(vault.sign(PURPOSE, textOf(org, number))).toString('hex')}`

  function addressOf(org: number, { address }: Mailbox, number: number): string {
    const at = address.lastIndexOf('@')
    return `${address.slice(0, at)}${tagOf(org, number)}${address.slice(at)}`
  }

  /**
   * An id for the header References, in which mail programs hand on what they answer: it leads back to the conversation also
   * where a provider has replaced our Message-ID.
   */
  const referenceOf = (org: number, { address }: Mailbox, number: number): string =>
    `<thread${tagOf(org, number)}@${domainToASCII(address.slice(address.lastIndexOf('@') + 1)) || 'localhost'}>`

  /** Returns the number of the conversation that an address, or an id, identifies; undefined for any other one. */
  function numberIn(org: number, address: string): number | undefined {
    const local = address.slice(0, address.lastIndexOf('@')).replace(/^</, '').toLowerCase()
    const [, digits, signature] = TAG.exec(local.slice(local.lastIndexOf('+') + 1)) ?? []
    if (!digits || !signature) return undefined
    const given = Buffer.from(signature, 'hex')
    const all = signed(org, PURPOSE, textOf(org, Number(digits))).map(bytesOf)
    const isOurs = all.some((own) => timingSafeEqual(given, own))
    return isOurs ? Number(digits) : undefined
  }

  return { addressOf, referenceOf, numberIn }
})
