import { existsSync, readdirSync } from 'node:fs'
import { linkUrl, setupLink } from '../auth/links.ts'
import { CONFIG_FILE } from '../config/file.ts'
import { qrText } from '../screens/sessions/qr.ts'
import { prepareFolder } from '../settings/new-org.ts'
import { openStore, type Store } from '../store/open.ts'
import { allOrgsEver } from '../store/orgs.ts'
import { isLocal } from './screens-url.ts'

/** What a folder without a database may have: that of a new disk, and the configuration for the first start. */
const EXPECTED = ['lost+found', CONFIG_FILE]

/** Makes the database of a data folder that is missing or empty: its organisation is made in the browser. */
export function prepareEmptyFolder(dataDir: string): void {
  const names = existsSync(dataDir) ? readdirSync(dataDir) : []
  if (names.some((name) => !EXPECTED.includes(name))) return // opening it says what is wrong, if anything
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
export const setupText = (url: string): string =>
  `setup    ${url}\n         Open this link to create your organisation. It works once, for 24 hours.\n${isLocal(url) ? '' : `\n${qrText(url)}\n`}`
