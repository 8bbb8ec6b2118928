import { version } from '../../assets.ts'
import { soleOrg } from '../../store/orgs.ts'
import type { ScreenParts } from '../parts.ts'

/** What the browser app starts with before somebody signs in: JSON text. It names the organisation only if it is the only one. */
export function signedOutBoot({
  store: { db },
  web,
}: Pick<ScreenParts, 'store' | 'web'>): (language: string) => string {
  const orgIn = soleOrg(db)
  return (language) => {
    const { count, name, owner } = orgIn()
    return JSON.stringify({
      signed_in: false,
      build: web.build,
      version,
      org_name: name,
      needs_setup: count === 0,
      invited_by_hint: owner,
      language,
    })
  }
}
