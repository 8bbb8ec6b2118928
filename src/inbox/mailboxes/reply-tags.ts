import { timingSafeEqual } from 'node:crypto'
import { type Deps, once } from '../../deps.ts'
import type { Mailbox } from './mailboxes.ts'

// A mailbox whose server takes "support+anything@..." may have answers come to an address that names the conversation:
// they find it also where a mail program leaves out the headers that say what it answers.

const PURPOSE = 'reply tag'
const SIGNATURE_BYTES = 6
const TAG = /^c([1-9]\d{0,14})-([0-9a-f]{12})$/

/** Tags are signed: nobody writes into a conversation by its number. In lower case, since servers may make them so. */
export const replyTags = once(({ db, vault }: Deps) => {
  const publicId = db.prepare('SELECT public_id FROM orgs WHERE id = ?').pluck()

  const signature = (org: number, number: number): Buffer =>
    Buffer.from(vault.sign(PURPOSE, `${publicId.get(org)} ${number}`), 'base64url').subarray(0, SIGNATURE_BYTES)

  function addressOf(org: number, { address }: Mailbox, number: number): string {
    const at = address.lastIndexOf('@')
    return `${address.slice(0, at)}+c${number}-${signature(org, number).toString('hex')}${address.slice(at)}`
  }

  /** The number of the conversation that an address names; undefined for any other one. */
  function numberIn(org: number, address: string): number | undefined {
    const local = address.slice(0, address.lastIndexOf('@')).toLowerCase()
    const [, digits, signed] = TAG.exec(local.slice(local.lastIndexOf('+') + 1)) ?? []
    if (!digits || !signed) return undefined
    const isOurs = timingSafeEqual(Buffer.from(signed, 'hex'), signature(org, Number(digits)))
    return isOurs ? Number(digits) : undefined
  }

  return { addressOf, numberIn }
})
