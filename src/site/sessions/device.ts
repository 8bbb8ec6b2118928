import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Store } from '../../store/open.ts'
import { deviceCookie } from './cookie.ts'

// A browser in which a member has signed in before. Its failures are counted apart, so that a stranger who tries
// passwords cannot keep the member out.

const MAX_AGE_S = 365 * 24 * 3600
const PURPOSE = 'device'
/** Somebody may have an account in several organisations. The oldest are forgotten. */
const MAX_ACCOUNTS = 5

/** The parts of `<member>.<random>.<signature>`. */
const FORM = /^([\w-]+)\.([\w-]{12})\.([\w-]+)$/

type Account = { org: number; member: string }

/** A known device of an account, and its place among those of the browser: 0 signed in last. */
export type Device = { id: string; place: number }

export function devices(store: Pick<Store, 'vault' | 'installation'>) {
  const { vault } = store
  const cookie = deviceCookie(store)
  const signed = ({ org }: Account, id: string): string => vault.sign(PURPOSE, `${org}.${id}`)
  const listOf = (req: IncomingMessage): string[] =>
    (cookie.read(req) ?? '')
      .split('~')
      .slice(0, MAX_ACCOUNTS)
      .filter((each) => FORM.test(each))

  /** The header Set-Cookie that makes the browser a known device of the account, beside those that it is one of. */
  function remember(req: IncomingMessage, account: Account): string {
    const id = `${account.member}.${randomBytes(9).toString('base64url')}`
    const others = listOf(req).filter((each) => !isOf(account, each))
    const all = [`${id}.${signed(account, id)}`, ...others].slice(0, MAX_ACCOUNTS)
    return cookie.set(req, all.join('~'), MAX_AGE_S)
  }

  /** The device of a request, if the account has signed in on it. */
  function known(req: IncomingMessage, account: Account): Device | undefined {
    const list = listOf(req)
    const place = list.findIndex((each) => isOf(account, each))
    return place < 0
      ? undefined
      : { id: (list[place] as string).slice(0, (list[place] as string).lastIndexOf('.')), place }
  }

  function isOf(account: Account, text: string): boolean {
    const [, member, nonce, signature = ''] = FORM.exec(text) ?? []
    if (member !== account.member) return false
    const given = Buffer.from(signature)
    const id = `${member}.${nonce}`
    // Earlier versions signed without the organisation.
    return [signed(account, id), vault.sign(PURPOSE, id)]
      .map((each) => Buffer.from(each))
      .some((wanted) => given.length === wanted.length && timingSafeEqual(given, wanted))
  }

  /** The header Set-Cookie that gives a device of the account, known by the old name, the name of today; or none. */
  function takeOver(req: IncomingMessage, account: Account): string[] {
    const value = cookie.onlyOld(req)
    return value !== undefined && known(req, account) ? [cookie.set(req, value, MAX_AGE_S)] : []
  }

  return { remember, known, takeOver }
}
