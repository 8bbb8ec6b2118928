import { prepareFolder } from '../../app/settings/new-org.ts'
import { linkUrl, setupLink } from '../../auth/links.ts'
import { isNewFolder } from '../../command/expected-data.ts'
import { isLocal, isUnix, SOCKET_NOTE } from '../../http/listener/screens-url.ts'
import { qrText } from '../../site/sessions/qr.ts'
import { openStore, type Store } from '../../store/open.ts'
import { allOrgsEver } from '../../store/orgs/orgs.ts'

/** Makes the database of a data folder that is missing or empty: its organisation is made in the browser. */
export function prepareEmptyFolder(dataDir: string): void {
  if (!isNewFolder(dataDir)) return // opening it says what is wrong, if anything
  openStore(dataDir, { create: true }).close()
}

/** While a data folder has no organisation: makes the link that creates one. An earlier link ends. */
export function newSetupUrl(store: Store, dataDir: string, origin: string): string | null {
  if (allOrgsEver(store.db).length > 0) return null
  prepareFolder(store, dataDir)
  const secret = store.writeAtOnce(() => setupLink(store).make())
  return linkUrl(origin, 'setup', secret)
}

/** The link works once, so that it is no secret for long. A phone on the network reads it as a QR code. */
export function setupText(url: string, screens: string): string {
  const note = isUnix(screens) && isLocal(url) ? `         ${SOCKET_NOTE}\n` : ''
  const code = isLocal(url) ? '' : `\n${qrText(url)}\n`
  return `setup    ${url}\n         Open this link to create your organisation. It works once, for 24 hours.\n${note}${code}`
}
