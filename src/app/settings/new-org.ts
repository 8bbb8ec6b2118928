import { keyring } from '../../auth/keys.ts'
import { makeMissingKeys } from '../../auth/needed-keys.ts'
import { memberSettings } from '../../crm/members/settings.ts'
import { diskReserve } from '../../store/folder/reserve.ts'
import type { Store } from '../../store/open.ts'
import { defaultSettings } from './defaults.ts'
import { createOrg, readDocument, type SettingsDocument } from './document.ts'

export type NewOrg = {
  name: string
  currency: string
  timezone: string
  owner: { email: string; name: string }
  /** Without the default pipeline, close reasons and business hours. */
  bare?: boolean
}

/** The settings of a new organisation with its first owner. Throws Problem 422. */
export function newOrgSettings({ name, currency, timezone, owner, bare = false }: NewOrg) {
  const document = {
    ...(bare ? {} : defaultSettings(timezone)),
    org: { name, timezone, currency },
    members: [{ ...owner, role: 'owner' as const, timezone }],
  } satisfies SettingsDocument
  readDocument(document)
  return document
}

/** Makes the organisation. Returns its internal and its public id, and the id of its owner. */
export function makeOrg(store: Store, settings: ReturnType<typeof newOrgSettings>) {
  const { org, publicId } = createOrg(store, settings)
  const [owner] = memberSettings(store).all(org)
  return { org, publicId, owner: (owner as { id: string }).id }
}

/** Makes the files that a data folder needs beside its database: the keys, and the reserve of disk space. */
export function prepareFolder(store: Store, dataDir: string): void {
  const keys = keyring(dataDir, store)
  diskReserve(dataDir).allocate()
  if (keys.list().length === 0) keys.rotate()
  makeMissingKeys(store, dataDir)
}
