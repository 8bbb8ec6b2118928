import { timingSafeEqual } from 'node:crypto'
import { type Deps, once } from '../deps.ts'
import { signatures } from './former-keys.ts'

// Links in mails, which need no account: whoever has one may do what it is for.

/** What is signed for them: each is the name of its pages below the public address, too. */
export type LinkPurpose = 'unsubscribe' | 'rating'

const ID_BYTES = 16
const TOKEN = /^[A-Za-z0-9_-]{64}$/

/**
 * Tokens have 64 characters: the public id of the org, the id of a record, and a signature over both. They are not
 * stored, and never expire by themselves.
 */
export const mailLinks = once((deps: Deps) => {
  const { db, vault, basePath } = deps
  const orgById = db.prepare('SELECT public_id, public_base_url FROM orgs WHERE id = ?')
  const orgByPublicId = db.prepare('SELECT id FROM orgs WHERE public_id = ?').pluck()
  const signed = signatures(deps)

  /** Null if the org has no public_base_url. Whoever set that may have left the base path out, without which nothing is here. */
  function url(org: number, purpose: LinkPurpose, id: string): string | null {
    const { public_base_url } = orgById.get(org) as { public_base_url: string | null }
    if (public_base_url === null) return null
    const { origin, pathname } = new URL(public_base_url)
    const path = pathname.replace(/\/+$/, '')
    return `${origin}${path}${path.endsWith(basePath) ? '' : basePath}/${purpose}/${tokenOf(org, purpose, id)}`
  }

  function tokenOf(org: number, purpose: LinkPurpose, id: string): string {
    const { public_id } = orgById.get(org) as { public_id: string }
    const signature = vault.sign(purpose, `${public_id} ${id}`)
    return Buffer.concat([bytesOf(public_id), bytesOf(id), Buffer.from(signature, 'base64url')]).toString('base64url')
  }

  /** Returns undefined if the signature is invalid, or the org is not in this store. */
  function read(purpose: LinkPurpose, token: string): { org: number; id: string } | undefined {
    if (!TOKEN.test(token)) return undefined
    const bytes = Buffer.from(token, 'base64url')
    const publicId = idOf(bytes.subarray(0, ID_BYTES))
    const id = idOf(bytes.subarray(ID_BYTES, 2 * ID_BYTES))
    const org = orgByPublicId.get(publicId) as number | undefined
    // Signs in any case, so that both answers take the same time.
    const all = signed(org ?? 0, purpose, `${publicId} ${id}`).map((each) => Buffer.from(each, 'base64url'))
    const isOurs = all.some((signature) => timingSafeEqual(signature, bytes.subarray(2 * ID_BYTES)))
    return org === undefined || !isOurs ? undefined : { org, id }
  }

  return { url, tokenOf, read }
})

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

const idOf = (bytes: Buffer): string => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
