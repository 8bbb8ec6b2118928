import { version } from '../../assets.ts'
import { orgCount } from '../../store/orgs/orgs.ts'
import type { ScreenParts } from '../parts.ts'

/** What the browser app starts with before somebody signs in: JSON text. Strangers learn nothing of who works here. */
export function signedOutBoot({
  store: { db },
  web,
}: Pick<ScreenParts, 'store' | 'web'>): (language: string) => string {
  const count = orgCount(db)
  return (language) =>
    JSON.stringify({ signed_in: false, build: web.build, version, needs_setup: count() === 'none', language })
}
